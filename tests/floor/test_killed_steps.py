"""Commands that are killed at each of their steps, SQLite."""

import shutil
from pathlib import Path

import pytest

from tests.floor.every_killed import *  # noqa: F403  # the tests of each engine
from tests.floor.every_killed import Kept


class KeptFile(Kept):
    """A file of SQLite."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._path, self._copy = folder / "floor.db", folder / "copy.db"
        self.lines = f'path = "{self._path}"'

    def keep(self) -> None:
        shutil.copy(self._path, self._copy)

    def restore(self) -> None:
        for each in self._path.parent.glob("floor.db*"):
            each.unlink()
        shutil.copy(self._copy, self._path)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    made = KeptFile(tmp_path)
    made.prepare()
    return made
