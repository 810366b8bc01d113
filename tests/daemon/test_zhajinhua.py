"""Zha jin hua with a daemon, a reader board and a broker: kills at cards and marks, and no face before the result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.test_grabbed import Floor, everything, shoe
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable

broker, brokers = real.broker, real.brokers  # fixtures

LAMPS = {"S1": 5, "S2": 6, "S4": 13, "ready": 20, "fault": 17}
COMMANDS = ["bets_closed", "mark", "next"]

FACES = "Ks 9h 4s Kh 9s 5h 7h 2s Ah"
"""Faces that can stand in no digest."""

BETTING: list[tuple[int | None, str, str | None, bool]] = [
    (None, "lot", "2", True),
    (4, "look", None, True),
    (2, "raise", "3", True),
    (1, "call", None, False),
    (4, "call", None, True),
    (1, "call", None, True),
    (2, "compare", "4", True),
    (1, "look", None, True),
]
"""Seat, word, value, and whether it is taken; seat 1 is asked last."""


@pytest.fixture
def backend(broker: Broker) -> Iterator[Backend]:
    with Backend(broker.port) as backend:
        yield backend


@pytest.fixture
def table(tmp_path: Path, broker: Broker, backend: Backend) -> Iterator[DaemonTable]:
    """A table of three seats, its packs opening by themselves."""
    mqtt = {"port": broker.port, "commands": COMMANDS}
    game = {"game": "zhajinhua", "decks": 1, "burn": "none", "betting": "required"}
    table = DaemonTable(tmp_path, broker.port, table=game, lamps=LAMPS, mqtt=mqtt)
    backend.meanwhile = lambda: table.pause(0.005)
    yield table.start()
    table.close()


class Seats(Floor):
    """Seats that mark, and mark again; a repeat acts on nothing."""

    def says(self, seat: int | None, word: str, value: str | None) -> bool:
        asked = {"round": self.shown["round"], "turn": self.shown["turn"]}
        fields = {"word": word} | ({} if value is None else {"value": value}) | ({} if seat is None else {"seat": seat})
        answer = self.order("mark", **asked, **fields)
        again = self.order("mark", **asked, **fields)
        assert not again["ok"], (seat, word, again)
        return bool(answer["ok"])


def deal(table: DaemonTable, backend: Backend, seats: Seats) -> None:
    """Close the bets and deal nine cards, the daemon killed between some of them."""
    backend.wait_until(lambda: backend.on("table"))
    answer = seats.order("bets_closed", money={"1": "100", "2": "100", "3": "0.5", "4": "100"})
    assert (answer["ok"], answer["hint"]) == (True, "S3 takes no part: money_below_ante")
    for n, card in enumerate(FACES.split()):
        laid = sum(map(len, seats.shown["hands"].values()))
        table.deal(card)
        backend.wait_until(lambda laid=laid: sum(map(len, seats.shown["hands"].values())) > laid)  # type: ignore[misc]
        if n in (0, 4, 8):
            seats.kill()


@pytest.mark.story
def test_a_round_goes_on_after_every_kill_and_tells_no_face_before_its_result(
    table: DaemonTable, backend: Backend
) -> None:
    seats = Seats(table, backend)
    deal(table, backend, seats)
    for seat, word, value, is_taken in BETTING:
        assert seats.says(seat, word, value) is is_taken, (seat, word)
        seats.kill()
    assert seats.shown["shows"] == {"round": 2, "stake": "3", "pot": "18"}
    emitted = everything(table, backend)
    assert [face for face in FACES.split() if face in emitted] == []
    assert seats.says(1, "fold", None)
    seats.kill()
    assert backend.on("round") == []
    assert seats.order("next")["ok"]
    backend.wait_until(lambda: backend.on("round"))
    (closed,) = backend.on("round")
    assert (closed["winner"], closed["won_by"], closed["shown"]) == ("S2", "fold", [])
    assert closed["bets"] == {"S1": "-4", "S2": "11", "S4": "-7"}
    emitted = everything(table, backend)
    assert [face for face in FACES.split() if face not in emitted] == []
    assert table.stop() == 0
    verified = shoe("journal", "verify", "--replay", "--config", table.config_path)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_what_two_people_saw_of_a_card_that_was_not_read_is_on_record(table: DaemonTable, backend: Backend) -> None:
    seats = Seats(table, backend)
    backend.wait_until(lambda: backend.on("table"))
    assert seats.order("bets_closed", money={"1": "100", "2": "100", "4": "100"})["ok"]
    for card in FACES.split():
        if card == "9s":
            table.board.fault("unreadable")
            table.until(lambda: not table.board.waiting)
        else:
            table.deal(card)
    backend.wait_until(lambda: "lot" in (seats.shown.get("act") or {}))
    for seat, word, value in ((None, "lot", "1"), (1, "fold", None), (4, "fold", None)):
        assert seats.says(seat, word, value)
    backend.wait_until(lambda: backend.on("alarm")[-1]["open"])
    (alarm,) = backend.on("alarm")[-1]["open"]
    assert (alarm["id"], alarm["of"]) == ("unreadable", ["S2"])
    seats.kill()
    ran = shoe("enter", "9s", "--by", "ANNA", "--second", "BO", "--config", table.config_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    backend.wait_until(lambda: backend.on("table")[-1]["phase"] == "complete")
    assert seats.order("next")["ok"]  # confirms the restart
    assert seats.order("next")["ok"]
    backend.wait_until(lambda: backend.on("round"))
    assert backend.on("round")[0]["hands"]["S2"]["cards"] == ["9h", "9s", "2s"]
    (seen,) = [each["event"] for each in backend.on("event") if each["event"]["type"] == "CardLookedAt"]
    assert (seen["by"], seen["second"], seen["slot"]) == ("ANNA", "BO", "S2")
    assert table.stop() == 0
