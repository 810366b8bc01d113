"""`shoe-floor metrics` as a process of its own."""

from __future__ import annotations

import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kit.broker import free_port
from tests.kit.patience import HANG_S, Patience, ended
from tests.kit.process import python


class Exported:
    """Runs from `start` to `end`; its store is floor.db in `folder`, or a database of PostgreSQL."""

    def __init__(self, folder: Path, broker: int, url: str = "") -> None:
        self.port, self.store = free_port(), folder / "floor.db"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        where = f'url = "{url}"' if url else f'path = "{self.store}"'
        (folder / "metrics.toml").write_text(
            f"[mqtt]\nport = {broker}\n[store]\n{where}\n[metrics]\nport = {self.port}\n"
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/metrics"

    def start(self) -> Exported:
        pytest.importorskip("uvicorn")
        config = str(self._folder / "metrics.toml")
        with (self._folder / "metrics.log").open("wb") as log:
            self._process = python("-m", "firmware_bridge.floor", "--config", config, "metrics", stderr=log)
        self.until(lambda: f":{self.port}/metrics" in self.log)
        return self

    def end(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        process.send_signal(signal.SIGTERM)
        return ended(process)

    def text(self, accept: str = "*/*") -> str:
        request = urllib.request.Request(self.url, headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=HANG_S) as answer:
            text: str = answer.read().decode()
            return text

    def values(self, name: str) -> dict[str, float]:
        """Labels -> value of a metric."""
        lines = [line for line in self.text().splitlines() if line.startswith((f"{name}{{", f"{name} "))]
        return {series.removeprefix(name): float(value) for series, value in (line.rsplit(" ", 1) for line in lines)}

    def until(self, condition: Callable[[], Any]) -> Any:
        patience = Patience()
        while not (found := condition()):
            assert self._process
            assert self._process.poll() is None, self.log
            assert not patience.is_over, self.log
            time.sleep(0.05)
        return found

    @property
    def log(self) -> str:
        path = self._folder / "metrics.log"
        return path.read_text()[-3000:] if path.exists() else ""
