"""What a guest screen makes of odd messages, of other devices and of what it has no words for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import get_args

import pytest
from msgspec.structs import replace

from firmware_bridge.floor.page.guest.fold import MOST, NOTHING, ROUNDS, Guests, fold
from firmware_bridge.floor.page.guest.html import document, screen
from firmware_bridge.floor.page.guest.view import WAITING, result, view
from firmware_bridge.games import GAMES
from firmware_bridge.games.erbagang.hands import Kind as ErBaGangKind
from firmware_bridge.games.guest import Guest, Hand, Result
from firmware_bridge.games.niuniu.hands import Kind as NiuNiuKind
from firmware_bridge.games.zhajinhua.hands import Kind as ZhaJinHuaKind
from firmware_bridge.topics.texts import known
from tests.floor.guest_stage import Stage
from tests.floor.guest_table import HEAD, at, kept, seen, status, table
from tests.kit.rows import each_row
from tests.war.rules import GAME as WAR


def test_nothing_is_known_of_a_table_that_said_nothing() -> None:
    assert view(NOTHING) == WAITING
    assert "Please wait" in document("T07", WAITING, "en")


@pytest.fixture
def war() -> Iterator[None]:
    GAMES[WAR.name] = WAR
    yield
    del GAMES[WAR.name]


def test_a_game_without_words_shows_nothing(war: None) -> None:
    shown = seen("shoe bets=1:5 lot=1 9s", "live", game="war", betting="required")
    assert shown == WAITING


@each_row("payload", [b"{", b"[]", b"{}", b"\xff", b"null", b"[" * 5000, b'{"shoe":-1}'])
@each_row("topic", ["status", "alarm", "table", "roads", "round", "event", "odds", "x"])
def test_bytes_that_are_no_message_change_nothing(topic: str, payload: bytes) -> None:
    stage = Stage()
    table(stage, "shoe 9s Kd Th Kc")
    whole = kept(stage.said)
    assert fold(whole, topic, payload) is whole


def test_a_text_of_a_message_is_never_shown() -> None:
    """Whatever stands where words, slots and amounts are: only words of the screen, seats and amounts are drawn."""
    bad = "<script>SECRET</script>"
    round = HEAD | {"seq": 9, "at": at(9), "round": 1, "revision": 0, "status": "closed", "outcome": bad, "winner": bad}
    round |= {"banker": bad, "pot": bad, "outcomes": {"S1": bad}, "shown": ["S1", bad]}
    hand = {"cards": ["As"], "kind": bad, "how": bad, "outcome": bad, "digit": bad, "total": 3}
    state = HEAD | {"as_of": 9, "at": at(9), "phase": "dealing", "round": 2, "slots": [{"slot": bad, "card": "As"}]}
    state |= {"limits": {bad: 5, "tie": bad, "table": {"low": bad, "high": bad}}, "shows": {"pot": bad, "stake": bad}}
    state |= {"settings": {"betting": bad, "terms": dict.fromkeys(("min", "max", "ante", "top", "base"), bad)}}
    state |= {"hands": {bad: ["As"], "S1": ["Kd"]}, "anytime": {bad: {"fold": True}}}
    for game in ("baccarat", "blackjack", "niuniu", "zhajinhua", "erbagang"):
        whole = NOTHING
        for topic, body in (
            ("status", json.loads(status(n=9))),
            ("alarm", HEAD | {"as_of": 9, "at": at(9), "open": []}),
            ("table", state | {"game": game}),
            ("round", round | {"game": game, "hands": {"S1": hand, bad: hand, "player": hand}}),
        ):
            whole = fold(whole, topic, json.dumps(body).encode())
        assert whole.table
        assert whole.rounds
        assert "SECRET" not in repr(view(whole, "live"))
        assert "SECRET" not in screen("T07", view(whole, "live"), "en")


def test_what_a_game_shows_is_let_through_by_words_seats_and_amounts(war: None) -> None:
    """Whatever a game's package makes of a round: the screen keeps its own list of what guests may see."""
    bad = "<script>SECRET</script>"
    hands = (Hand("S2", ("As",), bad, bad, bad), Hand(bad, ("Kd",)), Hand("player", ("Qc",)), Hand("S1", ("2s",), "7"))
    round = HEAD | {"seq": 9, "at": at(9), "game": "war", "round": 1, "revision": 0, "status": "closed"}
    round |= {"shown": ["S1"], "outcome": "even", "hands": {"S2": {"cards": ["2h"]}, bad: {"cards": ["2s"]}}}
    folded = fold(NOTHING, "round", json.dumps(round).encode()).rounds[0]
    assert result(folded) == Result(1, "", hands=(Hand("S2", ("2h",)),), shoe=3)
    GAMES["war"] = replace(WAR, guest=Guest())
    assert result(folded) == Result(1, "", shoe=3)
    shows = Guest(result=lambda folded: Result(folded.round, bad, bad, hands, pot=bad, pairs=(bad,)))
    GAMES["war"] = replace(WAR, guest=shows)
    assert result(folded) == Result(1, "", "", (Hand("S1", ("2s",), "7"), Hand("S2", ("As",))), shoe=3)
    GAMES["war"] = replace(WAR, guest=replace(shows, hidden=2))
    assert result(folded).hands == (Hand("S1", ("2s",), "7"), Hand("S2", (None, None)))
    assert result(replace(folded, shown=())).hands == (Hand("S1", (None, None)), Hand("S2", (None, None)))


def test_the_name_of_a_table_is_no_html() -> None:
    assert "<b>" not in document("<b>", WAITING, "en")


# ---------------------------------------------------------------- order


def test_a_connection_that_was_followed_by_another_is_not_missed() -> None:
    new = fold(fold(NOTHING, "status", status(n=1, link=1)), "status", status(n=5, link=2))
    assert fold(new, "status", status("lost", n=1, link=1)) == new
    gone = fold(new, "status", status("lost", n=5, link=2))
    assert gone.status
    assert gone.status.state == "lost"
    assert fold(gone, "status", status(n=5, link=2)) == gone


def test_another_device_at_the_table_begins_anew() -> None:
    old = fold(NOTHING, "status", status(n=8))
    new = fold(old, "status", status(n=1, shoe=0, journal="0-77", boot="new", at=at(20)))
    assert new.status
    assert (new.status.boot, new.gone) == ("new", ("5c1e",))
    assert fold(new, "status", status(n=9, at=at(30))) == new
    assert fold(old, "status", status(n=1, shoe=0, journal="0-77", boot="older", at=at(2))).status == old.status


def test_an_emptied_topic_is_forgotten() -> None:
    stage = Stage()
    table(stage, "shoe 9s")
    assert view(fold(kept(stage.said), "table", b"")) == WAITING


def test_the_newest_rounds_are_kept() -> None:
    stage = Stage()
    table(stage, "shoe " + "9s Kd Th Kc " * 12 + "9h Ks Td Kh " * 12 + "9d Qd Tc Qc " * 5, decks=12)
    whole = kept(stage.said)
    assert len(whole.rounds) == ROUNDS
    assert whole.rounds[-1].round == ROUNDS + 5


def test_tables_are_kept_by_name_and_no_more_than_a_floor_has() -> None:
    guests = Guests("shoe")
    assert guests.handle("shoe/T07/status", status())
    assert not guests.handle("shoe/T07/status", status())
    assert not guests.handle("shoe/T07/event", status())
    assert not guests.handle("shoe/T07/x/status", status())
    assert not guests.handle("other/T07/status", status())
    assert guests.handle("shoe/T07/status", b"")
    assert guests.tables == {}
    for n in range(MOST):
        guests.handle(f"shoe/{n}/status", status().replace(b'"T07"', b'"%d"' % n))
    assert len(guests.tables) == MOST


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("niuniu", get_args(NiuNiuKind)),
        ("zhajinhua", get_args(ZhaJinHuaKind)),
        ("erbagang", set(get_args(ErBaGangKind)) - {"points"}),
        ("blackjack", ["bust", "blackjack", *(f"dealer_{n}" for n in range(17, 22))]),
        ("blackjack", ["dealer_bust", "dealer_blackjack", "dealer_no_draw"]),
    ],
)
def test_there_is_a_word_for_all_that_a_game_says(game: str, words: list[str]) -> None:
    assert [word for word in words if known("en", f"guest.is.{game}.{word}") is None] == []


def test_every_game_has_a_screen() -> None:
    assert all(known("en", f"game.{name}") for name in GAMES if name != "war")
