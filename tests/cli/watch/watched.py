"""A running daemon that is connected, and a `shoe watch` of it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit import command
from tests.kit.broker import Broker
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import ended


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[Callable[..., DaemonTable]]:
    """A running daemon with its reader, connected."""
    made: list[DaemonTable] = []

    def make(**sections: Any) -> DaemonTable:
        made.append(DaemonTable(tmp_path, broker.port, **sections))
        started = made[-1].start()
        started.ask(do="status")
        started.until(lambda: status(started)["broker"]["up"] and status(started)["reader"]["open"])
        return started

    yield make
    for each in made:
        each.close()


class Watch:
    """A `shoe watch` of its own process, and what it says."""

    def __init__(self, bridge: DaemonTable, *words: str) -> None:
        self.process = command.spawn("watch", "--config", bridge.config_path, *words)
        self.out, self.err = command.Heard(self.process.stdout), command.Heard(self.process.stderr)

    def close(self) -> None:
        self.process.kill()
        ended(self.process)
        self.out.close()
        self.err.close()


@pytest.fixture
def watch() -> Iterator[Callable[..., Watch]]:
    made: list[Watch] = []

    def make(bridge: DaemonTable, *words: str) -> Watch:
        made.append(Watch(bridge, *words))
        return made[-1]

    yield make
    for each in made:
        each.close()


def naturals(rounds: int) -> str:
    """So many rounds of four cards that the player wins 9:0."""
    suits = ["shdc"[number % 4] for number in range(rounds)]
    return "".join(f" 9{suit} T{suit} K{suit} Q{suit}" for suit in suits)
