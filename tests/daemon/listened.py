"""A daemon at its table and what a backend hears of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable

COMMAND = "shoe/T07/command"


@pytest.fixture
def table(tmp_path: Path, broker: Broker, backend: Backend) -> Iterator[Callable[..., DaemonTable]]:
    made: list[DaemonTable] = []

    def make(**sections: Any) -> DaemonTable:
        made.append(DaemonTable(tmp_path, broker.port, **sections))
        backend.meanwhile = lambda: made[-1].pause(0.005)
        return made[-1].start()

    yield make
    for each in made:
        each.close()


def dealt(backend: Backend) -> list[str]:
    """The cards dealt face up, repeats dropped."""
    first = {(payload["journal"], payload["seq"], payload["n"]): payload["event"] for payload in backend.on("event")}
    return [event["card"] for event in first.values() if event["type"] == "CardDealt" and "card" in event]


def types(backend: Backend) -> list[str]:
    """The types of all events; repeats, which may follow a restart, are dropped."""
    first = {(payload["journal"], payload["seq"], payload["n"]): payload for payload in backend.on("event")}
    return [payload["event"]["type"] for payload in first.values()]


def status_is(backend: Backend, state: str) -> None:
    backend.wait_until(lambda: [p["state"] for p in backend.on("status")][-1:] == [state])
