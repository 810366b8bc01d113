"""Interface of what migrates a store of one engine."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.store.migrations.step import Database, Steps


class Backup(NamedTuple):
    """A store in a format, beside the one that took its place."""

    path: Path
    format: int


class Engine(ABC):
    """A store of any format. All methods raise StoreError.

    `migrate` and `back` change the store in their last step alone, which is done or not: after a kill at any moment
    they may be run again.
    """

    place: str
    """The store in words, without secrets."""

    @abstractmethod
    def format(self) -> int | None:
        """Return the store's format; None where there is no store."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[Database]:
        """Return a context that reads the store, beside all who use it."""

    @abstractmethod
    def room(self) -> str:
        """Return what a backup takes, what there is, and where it will be, in words."""

    @abstractmethod
    def migrate(self, found: int, to: int, steps: Steps, names: Names | None) -> Iterator[str]:
        """Keep the store of the format `found` as a backup and take it through the steps; yield a line for each thing.

        Refused while another program has the store open.
        """

    @abstractmethod
    def backups(self) -> list[Backup]:
        """Return the backups of migrations, the newest format first."""

    @abstractmethod
    def back(self, backup: Backup) -> Iterator[str]:
        """Put a backup in the place of the store, which is kept beside it; yield a line for each thing.

        Refused while another program has the store open.
        """


def of_format(path: Path, number: int) -> Path:
    """Return the place beside a store where it is kept in a format."""
    return path.with_name(f"{path.name}.format-{number}")


def kept_formats(path: Path) -> list[Backup]:
    """Return what is kept beside a store, the newest format first."""
    found = path.parent.glob(f"{path.name}.format-*")
    numbered = [(each, each.name.rpartition("-")[2]) for each in found]
    kept = [Backup(each, int(number)) for each, number in numbered if number.isdecimal()]
    return sorted(kept, key=lambda each: -each.format)
