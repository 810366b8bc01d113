"""`shoe-floor ingest` as a process on a store of its own, to be started and killed."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from firmware_bridge.floor.config import load
from firmware_bridge.floor.store.open import open_store
from tests.floor.journals import Kept, kept
from tests.kit.patience import ended
from tests.kit.process import python


class Ingest:
    """An ingest in `folder` for the broker at `port`. store: the lines of `[store]`, a file of SQLite unless told."""

    code: tuple[str, ...] = ("-m", "firmware_bridge.floor")
    """What Python runs, before `--config .. ingest`."""
    execute = False
    """Whether it is executed, not forked."""

    def __init__(self, folder: Path, port: int, *, batch: int = 7, store: str = "") -> None:
        self.path, self._folder, self.config = folder / "floor.db", folder, folder / "floor.toml"
        self.process: subprocess.Popen[bytes] | None = None
        kept_in = store or f'path = "{self.path}"'
        self.config.write_text(f"[mqtt]\nport = {port}\n[store]\n{kept_in}\n[ingest]\nbatch = {batch}\n")

    def start(self) -> None:
        """Start it; its stderr is added to `log`."""
        with (self._folder / "ingest.log").open("ab") as log:
            self.process = python(*self.code, "--config", self.config, "ingest", execute=self.execute, stderr=log)

    def end(self, number: signal.Signals = signal.SIGKILL) -> int:
        """End it; its exit code, 0 where none runs."""
        process, self.process = self.process, None
        if process is None:
            return 0
        process.send_signal(number)
        return ended(process)

    def kept(self) -> Kept:
        """Key -> bytes, as the store has them now."""
        store = open_store(load(self.config), make=True)
        try:
            return kept(store)
        finally:
            store.close()

    def counts(self) -> tuple[int, int, int]:
        """How many conflicts, messages in quarantine and journals with gaps there are."""
        store = open_store(load(self.config), make=True)
        try:
            return store.count("conflicts"), store.count("quarantine"), store.count("gaps")
        finally:
            store.close()

    def received(self) -> dict[str, str]:
        """Journal -> when the last of its messages was received."""
        store = open_store(load(self.config), make=True)
        try:
            last: dict[str, str] = {}
            names = store.columns("messages")
            for row in store.rows("messages", None, None):
                journal, at = (str(row[names.index(name)]) for name in ("journal", "received_at"))
                last[journal] = max(at, last.get(journal, ""))
            return last
        finally:
            store.close()

    @property
    def log(self) -> str:
        """The end of what the ingests so far wrote to stderr."""
        return (self._folder / "ingest.log").read_text()[-3000:]
