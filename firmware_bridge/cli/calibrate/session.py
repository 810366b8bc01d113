"""Session of a technician: dialogue, reader port on the bench, and the file with the result."""

import argparse
import json
import os
import select
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.text import Text

from firmware_bridge.cli.calibrate.lease import Borrowed, borrow
from firmware_bridge.cli.calibrate.reader_port import ReaderPort
from firmware_bridge.cli.calibrate.storage import CalibrationStorage
from firmware_bridge.cli.long_commands import CANNOT_MOVE
from firmware_bridge.config import calibration, layout
from firmware_bridge.config.calibration import AnySection
from firmware_bridge.config.sections import Config
from firmware_bridge.config.streams import print_json
from firmware_bridge.daemon.devices import code_books
from firmware_bridge.errors import ConfigError
from hardware.calibrate.bench import Bench
from hardware.calibrate.figures import Refusal

BAR: Final = 30
STYLES: Final[Mapping[object, str]] = {True: layout.GREEN, False: layout.RED}
"""Whether a result is good -> its style."""

FORGOTTEN: Final = {
    "cut_card": "what was measured is forgotten",
    "lamps": "what was seen is forgotten",
    "keypad": "what was felt is forgotten",
    "pack": "the pack is forgotten",
}
"""Step without settings -> message after its undo."""


class Session:
    """Session of `shoe calibrate` with its `arguments`. Raises ConfigError or NoDaemon if nothing could be kept."""

    def __init__(self, arguments: argparse.Namespace, config: Config) -> None:
        self.config, self.by = config, arguments.by
        self.cards: int | None = arguments.cards
        self.patience_s: float = arguments.patience
        self.step: str = arguments.what.replace("-", "_")
        self.guide = Guide(arguments.what, arguments.json, arguments.yes)
        self._arguments = arguments
        self._path = Path(config.journal.dir) / calibration.FILE
        self._record = CalibrationStorage(arguments.config, self._path, self.by)
        self._found, moved = self._record.read()
        self._say_moved(moved)
        self._kept, self._at_daemon = "nothing was kept", ""

    @property
    def now(self) -> str:
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def last(self) -> AnySection:
        """The last calibration of this step. Raises Refusal if there is nothing to undo."""
        section: AnySection | None = getattr(self._found, self.step)
        if section is None:
            what = self._arguments.what
            reason = f"nothing to undo: {what} was never calibrated here, or was undone already"
            raise Refusal(reason, f"to calibrate it: sudo shoe calibrate {what} --by NAME")
        return section

    @contextmanager
    def borrow(self, device: str, open_shoe: bool = True) -> Iterator[Borrowed]:
        """Lease a device of the daemon. open_shoe: allowed also between rounds of an open shoe."""
        with_open_shoe = self._arguments.open_shoe and open_shoe
        with borrow(self._arguments.config, self._path.parent, device, self.by, with_open_shoe) as borrowed:
            back = {"reader": "the reader is", "pins": "the pins are"}[device]
            self._at_daemon = f"{back} back with the daemon" if borrowed.is_of_daemon else f"{back} free"
            yield borrowed

    @asynccontextmanager
    async def bench(self, borrowed: Borrowed, repeats: float = 0.0) -> AsyncIterator[Bench]:
        """Yield the reader on the bench, settings changed by a killed command restored. repeats: as in `[reader]`."""
        port = ReaderPort(self.config.reader, borrowed.report, self._book(), repeats, self.guide.say)
        await port.open()
        port.write(borrowed.restore)
        try:
            yield Bench(port, borrowed.passed)
        except Refusal as refusal:
            if suspects := port.suspects:
                raise Refusal(refusal.reason, suspects) from None
            raise
        finally:
            port.close()

    def keep(self, section: AnySection) -> None:
        """Keep a section in the calibration file. Raises OSError, ConfigError or NoDaemon."""
        self._say_moved(self._record.keep(self.step, section))
        self._kept = "the result is kept"

    def forget(self) -> None:
        """Restore the section from before. Raises OSError, ConfigError or NoDaemon."""
        self._say_moved(self._record.keep(self.step, None))

    def undo(self) -> int:
        """Remove the last calibration of the step; return 0. Raises Refusal if there is nothing to undo."""
        _ = self.last
        self.forget()
        return self.done(FORGOTTEN[self.step])

    def done(self, text: str, **fields: Any) -> int:
        """Report that the step is good and its result kept; return 0."""
        self.guide.end(text, {"ok": True, **msgspec.to_builtins(fields)})
        return 0

    def stopped(self) -> None:
        outcome = ", ".join(filter(None, (self._kept, self._at_daemon)))
        self.guide.end(f"stopped: {outcome}", {"ok": False, "error": "stopped", "hint": outcome})

    def failed(self, reason: str, remedy: str) -> None:
        fields = {"ok": False, "error": reason, "hint": remedy}
        self.guide.end(f"NOT CALIBRATED: {reason}\n    {remedy}", fields)

    def _book(self) -> code_books.CodeBook:
        """Return the table's code book; the plain one while it has none that can be read."""
        try:
            return code_books.of_reader(self.config.reader, self.config.table.decks, self.config.rules.pack)
        except ConfigError:
            return code_books.plain()

    def _say_moved(self, moved: str) -> None:
        if moved:
            self.guide.say(moved)


class Guide:
    """Output to a terminal with a live bar, to a pipe in plain lines, or (as_json) in JSON lines.

    yes: no one is there to answer; the answer to every question is yes.
    """

    def __init__(self, step: str, as_json: bool, yes: bool) -> None:
        self._step, self._json, self._yes = step, as_json, yes
        self._live = sys.stdout.isatty() and not as_json and os.environ.get("TERM", "") not in CANNOT_MOVE
        self._bar = False
        self._shown_count = -1

    @property
    def unattended(self) -> bool:
        return self._yes

    def say(self, text: str) -> None:
        self.end(text, {"say": text})

    def end(self, text: str, fields: dict[str, Any]) -> None:
        """Report the end of a step: `text` for people, `fields` for programs."""
        if self._json:
            self._write_json(fields)
        else:
            self._end_bar()
            style = STYLES.get(fields.get("ok"), "")
            for line in text.splitlines():
                layout.show_as_is(Text(line, style))

    def _write_json(self, fields: dict[str, Any]) -> None:
        print_json(json.dumps({"step": self._step, **fields}, ensure_ascii=False), flush=True)

    def bar(self, part: float, count: int, of: int, text: str, name: str = "done") -> None:
        """Show progress: live on a terminal, else when the count changes."""
        if self._live:
            full = round(BAR * max(0.0, min(1.0, part)))
            line = Text(f"  {name} {'█' * full}{'░' * (BAR - full)} {count}/{of} {text}")
            line.truncate(max(1, layout.columns() - 1), overflow="ellipsis")
            print(f"\r\x1b[K{line.plain}", end="", flush=True)
            self._bar = True
        elif count != self._shown_count and self._json:
            self._write_json({"count": count, "of": of, "text": text})
        elif count != self._shown_count:
            print(f"  {count}/{of} {text}", flush=True)
        self._shown_count = count

    def ask(self, question: str, choices: str = "yn") -> str:
        """Return the letter answered; the first of `choices` with --yes. Raises Refusal at the input's end."""
        if self._yes:
            return choices[0]
        self._end_bar()
        while True:
            asked = layout.hanging(Text(f"{question} [{'/'.join(choices)}]"), layout.columns())
            print("\n".join(line.plain for line in asked), end=" ", flush=True)
            line = sys.stdin.readline()
            if not line:
                raise Refusal("there is no one to answer", "run it on a terminal, or with --yes")
            if (letter := line.strip().lower()[:1] or choices[0]) in choices:
                return letter

    def typed(self) -> str:
        """Return the letter typed since the last call, followed by Enter; "" if none. Does not wait."""
        if self._yes or not select.select([sys.stdin], [], [], 0)[0]:
            return ""
        return sys.stdin.readline().strip().lower()[:1]

    def _end_bar(self) -> None:
        if self._bar:
            print()
        self._bar = False
