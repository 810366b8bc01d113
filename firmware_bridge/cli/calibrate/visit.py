"""One visit of a technician: the technician, the step asked for, and the file that keeps its result."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from firmware_bridge.cli.calibrate.borrow import Borrowed, borrow
from firmware_bridge.cli.calibrate.calibration_file import CalibrationFile
from firmware_bridge.cli.calibrate.guide import Guide
from firmware_bridge.cli.calibrate.port import ReaderPort
from firmware_bridge.config import calibration
from firmware_bridge.config.calibration import AnySection
from firmware_bridge.config.sections import Config
from hardware.calibrate.bench import Bench
from hardware.calibrate.figures import Refusal


class Visit:
    """`arguments` are those of `shoe calibrate`. Raises ConfigError for a calibration that may not be read."""

    def __init__(self, arguments: argparse.Namespace, config: Config) -> None:
        self.config, self.by = config, arguments.by
        self.cards: int | None = arguments.cards
        self.patience_s: float = arguments.patience
        self.step: str = arguments.what.replace("-", "_")
        self.guide = Guide(arguments.what, arguments.json, arguments.yes)
        self._json, self._arguments = arguments.json, arguments
        self._path = Path(config.journal.dir) / calibration.FILE
        self._file = CalibrationFile(self._path, self.guide.say)
        self._found = self._file.read()
        self._kept, self._at_daemon = "nothing is kept", ""

    @property
    def now(self) -> str:
        """The time, as the calibration file has it."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def last(self) -> AnySection:
        """The last calibration of this step. Raises Refusal where there is nothing to undo."""
        section: AnySection | None = getattr(self._found, self.step)
        if section is None:
            what = self._arguments.what
            reason = f"nothing is left to undo: {what} was never calibrated here, or all that is kept of it is undone"
            raise Refusal(reason, f"to calibrate it: sudo shoe calibrate {what} --by NAME")
        return section

    @contextmanager
    def borrow(self, device: str, open_shoe: bool = True) -> Iterator[Borrowed]:
        """A device of the daemon's. open_shoe: whether the technician may borrow it between the rounds of a shoe."""
        asked = self._arguments.open_shoe and open_shoe
        with borrow(self._arguments.config, self._path.parent, device, self.by, asked) as borrowed:
            back = {"reader": "the reader is", "pins": "the pins are"}[device]
            self._at_daemon = f"{back} back at the daemon" if borrowed.is_of_daemon else f"{back} free"
            yield borrowed

    @asynccontextmanager
    async def bench(self, borrowed: Borrowed) -> AsyncIterator[Bench]:
        """The reader on the bench, with the settings a killed command had changed put back."""
        port = ReaderPort(self.config.reader, borrowed.report)
        await port.open()
        port.write(borrowed.restore)
        try:
            yield Bench(port, borrowed.passed)
        finally:
            port.close()

    def keep(self, section: AnySection) -> None:
        """Write a section into the calibration file. Raises OSError or ConfigError."""
        self._file.keep(self.step, section)
        self._kept = "the result is kept"

    def forget(self) -> None:
        """Put the section back that was there before. Raises OSError or ConfigError."""
        self._file.forget(self.step)

    def done(self, text: str, **fields: Any) -> int:
        """Say that the step is good and its result kept; 0."""
        if self._json:
            self.guide.tell({"ok": True, **msgspec.to_builtins(fields)})
        else:
            self.guide.say(text)
        return 0

    def stopped(self) -> None:
        """Say what becomes of the work that Ctrl-C ended."""
        told = ", ".join(filter(None, (self._kept, self._at_daemon)))
        if self._json:
            self.guide.tell({"ok": False, "error": "stopped", "hint": told})
        else:
            self.guide.say(f"stopped: {told}")

    def failed(self, reason: str, remedy: str) -> None:
        """Say why the step failed."""
        if self._json:
            self.guide.tell({"ok": False, "error": reason, "hint": remedy})
        else:
            self.guide.say(f"NOT CALIBRATED: {reason}\n    {remedy}")
