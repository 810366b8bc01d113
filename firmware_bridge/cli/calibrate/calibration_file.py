"""The calibration of one table on disk, which several technicians may change at once."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from firmware_bridge.config import calibration
from firmware_bridge.config.calibration import AnySection, Calibration
from firmware_bridge.errors import ConfigError


class CalibrationFile:
    """The file at `path`. say: takes a text about a damaged file.

    All methods raise OSError, and ConfigError where the file may not be read or written.
    """

    def __init__(self, path: Path, say: Callable[[str], None]) -> None:
        self._path, self._say = path, say

    def read(self) -> Calibration:
        """The calibration; a file that makes no sense is set aside, and calibrating begins a new one."""
        try:
            return calibration.load(self._path)
        except calibration.Damaged:
            with _alone(self._path):
                return self._read()

    def keep(self, name: str, section: AnySection) -> None:
        """Renew a section."""
        self._change(lambda found: calibration.calibrated(found, name, section))

    def forget(self, name: str) -> None:
        """Put the section back that was there before."""
        self._change(lambda found: calibration.undone(found, name))

    def _change(self, change: Callable[[Calibration], Calibration]) -> None:
        """Change the file as it is now: another visit may have written its section meanwhile."""
        with _alone(self._path):
            calibration.save(self._path, change(self._read()))

    def _read(self) -> Calibration:
        try:
            return calibration.load(self._path)
        except calibration.Damaged as damaged:
            aside = self._path.with_name(f"{self._path.name}.damaged")
            self._path.replace(aside)
            self._say(f"{damaged.what}: it is set aside as {aside}, calibrate everything again")
            return Calibration()


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other visits from changing the file meanwhile."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(path.parent):
            yield
    except PermissionError:
        raise ConfigError(f"{path} cannot be written", "put sudo before the command") from None


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
