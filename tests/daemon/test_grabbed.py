"""Niu-niu and er ba gang with a daemon, a reader board and a broker: kills, the same question, no face told early."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from firmware_bridge.journal.files import journal_files
from tests.kit import broker as real
from tests.kit import wire
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.process import ran

broker, brokers = real.broker, real.brokers  # fixtures

ROOT = Path(__file__).resolve().parents[2]
LAMPS = {"S1": 5, "S2": 6, "S3": 13, "S4": 19, "ready": 20, "fault": 17}
COMMANDS = ["open_shoe", "bets_closed", "mark", "next"]


class Played(NamedTuple):
    """A game in the order things come; `secret` is the face that lies down first, `net` what seat 1 has won."""

    money: dict[str, str]
    marks: list[tuple[int | None, str, str]]
    cards: str
    secret: str
    net: str


def marks(text: str) -> list[tuple[int | None, str, str]]:
    found = re.findall(r"(?:(\d):)?(\w+)=(\d+)", text)
    return [(int(seat) if seat else None, word, value) for seat, word, value in found]


GAMES = {
    "niuniu": Played(
        {},
        marks("1:grab=3 3:grab=3 2:grab=0 4:grab=1 lot=1 2:bet=3 4:bet=2 3:bet=1"),
        "Kh 2c 9s 8h Qs 4d 8c 6c Td 3s 7h 4c 6s 8d Js 9d 4s 6d Kc Ah",
        "Kh",
        "540",
    ),
    "erbagang": Played(
        {"1": "100", "2": "40", "3": "20", "4": "20"},
        marks("2:grab=0 1:grab=200 4:grab=7 3:grab=0 lot=1 4:bet=1 2:bet=66 3:bet=1"),
        "wp 2p 9p 1p wp 8p 8p 9p",
        "wp",
        "42",
    ),
}


@pytest.fixture
def backend(broker: Broker) -> Iterator[Backend]:
    with Backend(broker.port) as backend:
        yield backend


@pytest.fixture(params=GAMES)
def table(request: pytest.FixtureRequest, tmp_path: Path, broker: Broker, backend: Backend) -> Iterator[DaemonTable]:
    """A table of the game, its packs opening by themselves."""
    mqtt = {"port": broker.port, "commands": COMMANDS}
    game = {"game": request.param, "decks": 1, "burn": "none"}
    table = DaemonTable(tmp_path, broker.port, table=game, lamps=LAMPS, mqtt=mqtt)
    backend.meanwhile = lambda: table.pause(0.005)
    yield table.start()
    table.close()


def name_of(table: DaemonTable) -> str:
    return "niuniu" if '"niuniu"' in table.config_path.read_text() else "erbagang"


class Floor:
    """Gives orders over MQTT, and kills the daemon now and then; the question must stay the same."""

    def __init__(self, table: DaemonTable, backend: Backend) -> None:
        self.table, self.backend, self.orders = table, backend, 0

    def order(self, do: str, **fields: Any) -> dict[str, Any]:
        self.orders += 1
        name = f"o{self.orders}"
        self.backend.publish("shoe/T07/command", {"id": name, "do": do} | fields)
        given = self.backend.wait_for(lambda each: each.topic.endswith("/reply") and each.payload["id"] == name)
        answer: dict[str, Any] = given.payload
        self.backend.wait_until(lambda: not answer["ok"] or self.shown["as_of"] >= answer["as_of"])
        return answer

    @property
    def shown(self) -> dict[str, Any]:
        return dict(self.backend.on("table")[-1])

    def mark(self, seat: int | None, word: str, value: str, **late: int) -> dict[str, Any]:
        asked = {"round": self.shown["round"], "turn": self.shown["turn"]} | late
        return self.order("mark", word=word, value=value, **asked, **({} if seat is None else {"seat": seat}))

    def kill(self) -> None:
        """Kill -9 and start again: what is asked is what was asked."""
        asked = {name: self.shown[name] for name in ("due", "act", "turn", "round", "hands")}
        boot = self.backend.on("status")[-1]["boot"]
        self.table.kill()
        self.table.start()
        self.backend.wait_until(lambda: self.backend.on("status")[-1]["boot"] != boot)
        self.backend.wait_until(lambda: self.shown["boot"] != boot)
        assert {name: self.shown[name] for name in asked} == asked


def shoe(*words: object) -> subprocess.CompletedProcess[str]:
    return ran("-m", "firmware_bridge", *words, cwd=ROOT)


def test_a_game_goes_on_after_every_kill_and_tells_no_face_before_its_time(
    table: DaemonTable, backend: Backend
) -> None:
    game, floor = GAMES[name_of(table)], Floor(table, backend)
    backend.wait_until(lambda: backend.on("table"))
    if game.money:
        assert floor.order("bets_closed", money=game.money)["ok"]
    for n, (seat, word, value) in enumerate(game.marks):
        turn = floor.shown["turn"]
        assert floor.mark(seat, word, value)["ok"], (seat, word)
        again = floor.mark(seat, word, value, turn=turn)
        assert again["error"] in ("late", "already_marked", "no_mark_due", "not_allowed")
        if n in (1, 4, 6):
            floor.kill()
    cards = game.cards.split()
    for n, card in enumerate(cards[:-1]):
        laid = sum(map(len, floor.shown["hands"].values()))
        table.deal(card)
        backend.wait_until(lambda laid=laid: sum(map(len, floor.shown["hands"].values())) > laid)  # type: ignore[misc]
        if n in (0, len(cards) // 2):
            floor.kill()
    assert game.secret not in everything(table, backend)
    table.deal(cards[-1])
    backend.wait_until(lambda: floor.shown["phase"] == "complete")
    floor.kill()
    assert backend.on("round") == []
    assert floor.order("next")["ok"]
    backend.wait_until(lambda: backend.on("round"))
    (closed,) = backend.on("round")
    assert closed["bets"]["S1"] == game.net
    assert game.secret in everything(table, backend)
    by_place = {(each["journal"], each["seq"], each["n"]): each["event"] for each in backend.on("event")}  # repeats too
    did = [words for _, event in sorted(by_place.items()) for words in event.get("did", ())]
    assert [words[:3] for words in did if words[0] == "bet"] == [
        ["bet", f"S{seat}", int(value)] for seat, word, value in game.marks if word == "bet"
    ]
    assert table.stop() == 0


def everything(table: DaemonTable, backend: Backend) -> str:
    """All that the process has emitted, and what people can have it tell."""
    texts = [each.raw.decode() for each in backend.received] + [table.log]
    for words in (("status",), ("journal", "show")):
        ran = shoe(*words, "--config", table.config_path)
        texts += [ran.stdout, ran.stderr]
    return wire.without_signatures("\n".join(texts))


def test_its_journal_is_decided_again_to_the_same_events(table: DaemonTable, backend: Backend) -> None:
    game, floor = GAMES[name_of(table)], Floor(table, backend)
    backend.wait_until(lambda: backend.on("table"))
    if game.money:
        floor.order("bets_closed", money=game.money)
    for seat, word, value in game.marks:
        floor.mark(seat, word, value)
    table.deal(game.cards)
    backend.wait_until(lambda: floor.shown["phase"] == "complete")
    assert floor.order("next")["ok"]
    backend.wait_until(lambda: backend.on("round"))
    assert table.stop() == 0
    verified = shoe("journal", "verify", "--replay", "--config", table.config_path)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    (journal,) = journal_files(table.journal_dir)[-1:]
    assert f'"S1":"{game.net}"' in shoe("replay", journal).stdout
