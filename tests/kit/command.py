"""The command `shoe`, run in this process or in one of its own."""

import json
import subprocess
import threading
from collections.abc import Callable
from typing import IO, Any, NamedTuple

import pytest

from firmware_bridge.cli import main
from firmware_bridge.cli.daemon_socket import ask
from tests.kit.daemon_table import Table
from tests.kit.patience import said, until
from tests.kit.process import python


class Ran(NamedTuple):
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> list[Any]:
        """A value per line of stdout."""
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]


@pytest.fixture
def shoe(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command here: `shoe("replay", path)`."""

    def run(*words: object) -> Ran:
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:  # argparse's
            code = int(end.code or 0)
        return Ran(code, *capsys.readouterr())

    return run


def spawn(*words: object, **options: Any) -> subprocess.Popen[str]:
    """Start a command as a process; its stdout and stderr are pipes unless `options` say otherwise."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return python("-m", "firmware_bridge", *words, text=True, **streams | options)


class Heard:
    """The lines a process has written to a stream so far; they are read as they come."""

    def __init__(self, stream: IO[str] | None) -> None:
        assert stream is not None
        self.lines: list[str] = []
        self._stream = stream
        self._thread = threading.Thread(target=lambda: self.lines.extend(stream))
        self._thread.start()

    def close(self) -> None:
        """Wait until the process has said its last."""
        until(lambda: not self._thread.is_alive())
        self._stream.close()


def status(table: Table) -> dict[str, Any]:
    """What the daemon at this table answers to the request for its status."""
    return ask(table.journal_dir / "control.sock", {"do": "status"})


def piped(text: str, *words: object) -> Ran:
    """Run a command as a process with `text` on its stdin."""
    with spawn(*words, stdin=subprocess.PIPE) as process:
        out, err = said(process, text)
    return Ran(process.returncode, out, err)
