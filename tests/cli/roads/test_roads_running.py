"""The roads of the running shoe: asked of the daemon, else read off the record."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli.daemon_socket import SOCKET
from firmware_bridge.cli.roads import running, settings
from firmware_bridge.errors import BridgeError
from firmware_bridge.games.baccarat.drawn.sheet import Heading
from firmware_bridge.games.baccarat.roads import Bead
from tests.kit.delivered_record import record

BANKER, PLAYER, TIE = "2s 6d 4h Ac ", "9s Kd Th Kc ", "2s 2d 3h Ac 8s "


@pytest.fixture(autouse=True)
def no_runtime_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "bridge.toml"
    path.write_text(f'[table]\nid = "T07"\n[journal]\ndir = "{tmp_path / "journal"}"\n')
    return path


def outcomes(rounds: list[Bead]) -> str:
    return "".join(bead.outcome for bead in rounds)


def test_the_newest_shoe_of_the_record(config: Path, tmp_path: Path) -> None:
    record(tmp_path / "journal", f"shoe {BANKER} shoe {PLAYER}{BANKER}{TIE}", burn="none")
    rounds, house, heading = running(config)
    assert outcomes(rounds) == "PBT"
    assert rounds[0] == Bead("P", True, False, True)
    assert settings([house]).leading_ties == "first-bead"
    assert heading == Heading("T07", 2, points={"player": "3", "banker": "3"})


def test_the_roads_of_the_record_are_drawn_by_its_own_settings(config: Path, tmp_path: Path) -> None:
    record(tmp_path / "journal", f"shoe {TIE}{PLAYER}", burn="none", leading_ties="own-column")
    assert settings([running(config)[1]]).leading_ties == "own-column"


def test_a_voided_round_has_no_bead(config: Path, tmp_path: Path) -> None:
    record(tmp_path / "journal", f"shoe {BANKER} 2s 6d !void misdeal {PLAYER}", burn="none")
    assert outcomes(running(config)[0]) == "BP"


def test_no_record_says_where_it_was_sought(config: Path, tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    with pytest.raises(BridgeError, match=r"no journal in .*name the directory"):
        running(config)


@contextmanager
def daemon(directory: Path, status: dict[str, Any]) -> Iterator[None]:
    """Answers one request with a status."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(directory / SOCKET))
    listener.listen()

    def answer() -> None:
        client, _ = listener.accept()
        with client, client.makefile("rb") as requests:
            assert json.loads(requests.readline()) == {"do": "status"}
            client.sendall(json.dumps(status).encode() + b"\n")

    thread = threading.Thread(target=answer)
    thread.start()
    yield
    thread.join()
    listener.close()


def test_what_the_daemon_says_comes_first(config: Path, tmp_path: Path) -> None:
    record(tmp_path / "journal", f"shoe {PLAYER}", burn="none")
    cells = [[1, 1, "red", True, False], [1, 2, "green", False, False]]
    roads = {"outcomes": "BT", "naturals": "01", "bead": cells}
    limits = {"player": {"low": 100, "high": "10000"}, "tie": 500, "banker": {"commission": "0.05"}}
    house = {"settings": {"terms": {"leading_ties": "own-column"}}, "limits": limits}
    points = {"player": "natural 9", "banker": "natural 9"}
    ended = [{"outcome": "tie", "points": points}, {"outcome": None}]
    status = {"table_id": "T07", "shoe": 3, "roads": roads, "table": house, "rounds": ended}
    with daemon(tmp_path / "journal", status):
        rounds, said, heading = running(config)
    assert rounds == [Bead("B", True, False), Bead("T", natural=True)]
    assert settings([said]).leading_ties == "own-column"
    assert heading == Heading("T07", 3, limits={"player": "100–10000", "tie": "≤ 500"}, points=points)


def test_a_daemon_that_does_not_tell_roads_has_a_record(config: Path, tmp_path: Path) -> None:
    record(tmp_path / "journal", f"shoe {TIE}", burn="none")
    with daemon(tmp_path / "journal", {"rounds": []}):
        assert outcomes(running(config)[0]) == "T"
