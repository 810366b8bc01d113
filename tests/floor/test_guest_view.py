"""What guests see of a table: what is shown, when bets are open, and what a screen makes of odd messages."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from firmware_bridge.floor.page.guest import WAITING, Limit, View, view
from firmware_bridge.floor.page.guest_fold import NOTHING, ROUNDS, Kept, fold
from firmware_bridge.floor.page.guest_html import document, screen
from firmware_bridge.floor.page.guest_results import Hand
from firmware_bridge.floor.page.guest_tables import MOST, Guests
from firmware_bridge.floor.page.guest_words import LANGUAGES, WORDS, known
from firmware_bridge.games import GAMES
from firmware_bridge.games.erbagang.hands import Kind as ErBaGangKind
from firmware_bridge.games.house import usual
from firmware_bridge.games.niuniu.hands import Kind as NiuNiuKind
from firmware_bridge.games.zhajinhua.hands import Kind as ZhaJinHuaKind
from tests.floor.guests import LIMITS, Said, Stage, _Watched
from tests.war.rules import GAME as WAR

HEAD = {"v": 1, "table": "T07", "shoe": 3, "journal": "3-5ad1", "boot": "5c1e"}


def at(n: int) -> str:
    return f"2026-11-20T21:33:{n:02}.000Z"


def table(stage: Stage, text: str = "", **house: Any) -> _Watched:
    """A table of baccarat at which a deal script was played; a stage has what it published."""
    made = _Watched(stage, **{"burn": "none", "limits": LIMITS} | house)
    stage.status(made.shoe, "online", began=True)
    made.play(text)
    return made


def seen(text: str, cards: Any = "closed", **house: Any) -> View:
    """What guests see after a deal script."""
    stage = Stage()
    table(stage, text, **house)
    return view(kept(stage.said), cards)


def kept(said: list[Said]) -> Kept:
    result = NOTHING
    for each in said:
        result = fold(result, each.topic, each.payload)
    return result


def status(state: str = "online", *, n: int = 1, **more: Any) -> bytes:
    body = {"as_of": n, "at": at(n), "state": state, "mode": "FULL", "link": 1}
    return json.dumps(HEAD | body | more).encode()


# ---------------------------------------------------------------- bets, cards, results

BETTING = {"betting": "required"}


@pytest.mark.parametrize(
    ("text", "house", "bets", "number"),
    [
        ("shoe", BETTING, "open", 1),
        ("shoe bets-closed", BETTING, "closed", 1),
        ("shoe bets-closed bets-open", BETTING, "open", 1),
        ("shoe bets-closed 9s", BETTING, "closed", 1),
        ("shoe bets-closed 9s Kd Th Kc", BETTING, "open", 2),
        ("shoe", {}, "open", 1),
        ("shoe 9s", {}, "closed", 1),
        ("shoe 9s Kd Th Kc", {}, "open", 2),
        ("shoe", {"burn": "first-card"}, "closed", 1),
        ("", {}, "closed", None),
        ("shoe 9s Kd Th Kc !close_shoe", {}, "closed", None),
    ],
)
def test_bets_are_open_until_an_order_or_the_first_card_closes_them(
    text: str, house: dict[str, Any], bets: str, number: int | None
) -> None:
    shown = seen(text, **house)
    assert (shown.waits, shown.bets, shown.round) == (False, bets, number)


def test_cards_of_the_present_round_are_seen_live_where_the_house_wants_it_and_else_when_it_is_over() -> None:
    assert seen("shoe 9s Kd Th").cards == ()
    assert seen("shoe 9s Kd Th", "live").cards == (Hand("player", ("9s", "Th")), Hand("banker", ("Kd",)))
    over = seen("shoe 9s Kd Th Kc", "live")
    assert over.cards == ()
    assert over.result
    assert over.result.hands == (Hand("player", ("9s", "Th"), "9"), Hand("banker", ("Kd", "Kc"), "0"))
    assert (over.result.round, over.result.outcome, over.result.natural) == (1, "wins.player", True)


def test_a_card_drawn_before_bets_are_closed_is_not_seen_until_it_is_dealt() -> None:
    assert seen("shoe 9s", "live", **BETTING).cards == ()
    assert seen("shoe 9s bets-closed", "live", **BETTING).cards == (Hand("player", ("9s",)),)


def test_a_sealed_card_is_a_back_until_it_is_opened() -> None:
    house = BETTING | {"disclose": "sealed"}
    assert seen("shoe bets-closed 9s Kd Th Kc", "live", **house).cards == (
        Hand("player", (None, None)),
        Hand("banker", (None, None)),
    )
    assert seen("shoe bets-closed 9s Kd Th Kc reveal", "live", **house).cards[0] == Hand("player", ("9s", "Th"))


def test_six_cards_lie_where_they_are_played() -> None:
    house = {"procedure": "six-card", "close": "next"}
    both = seen("shoe 2s 3d 3h Tc 7s 9d", "live", **house).cards
    assert both == (Hand("player", ("2s", "3h", "7s")), Hand("banker", ("3d", "Tc", "9d")))
    one = seen("shoe 6s 3d Kh Tc 7s 9d", "live", **house).cards
    assert one == (Hand("player", ("6s", "Kh")), Hand("banker", ("3d", "Tc", "7s")))


def test_a_voided_round_is_void_and_names_no_card() -> None:
    shown = seen("shoe 9s Kd !void misdeal")
    assert shown.result
    assert (shown.result.outcome, shown.result.hands) == ("void", ())


def test_a_corrected_round_is_the_corrected_one() -> None:
    shown = seen("shoe 9s Kd Th Kc !correct 1 9s,Kd,Th,9c")
    assert shown.result
    assert (shown.result.outcome, shown.result.hands[1]) == ("wins.tie", Hand("banker", ("Kd", "9c"), "9"))


def test_a_blocked_table_says_please_wait_and_shows_no_round() -> None:
    shown = seen("shoe 9s Kd ??", "live")
    assert (shown.waits, shown.cards, shown.bets) == (True, (), "closed")
    drawn = screen("T07", shown, "en")
    assert "Please wait" in drawn
    assert "9<i>" not in drawn


@pytest.mark.parametrize(
    "last",
    [status("lost", n=9), status("stopped", n=9), status(n=9, mode="NO_JOURNAL"), status(n=9, mode="OBSERVE"), b""],
)
def test_a_table_that_is_gone_or_deals_nothing_says_please_wait(last: bytes) -> None:
    stage = Stage()
    table(stage, "shoe 9s")
    whole = kept(stage.said)
    assert not view(whole).waits
    plain = json.loads(last or b"{}") | {"shoe": 1, "journal": stage.lines[-1].public.journal, "boot": "boot"}
    assert view(fold(whole, "status", json.dumps(plain).encode() if last else b"")).waits
    assert view(whole, silent=True).waits


def test_limits_are_those_a_screen_has_words_for() -> None:
    assert seen("shoe").limits == (Limit("table", "100", "20000"), Limit("tie", "", "5000"))
    assert seen("", game="zhajinhua", **BETTING | {"decks": 1, "limits": {}}).limits[:2] == (
        Limit("ante", "1", ""),
        Limit("top", "10", ""),
    )


def test_the_last_result_is_none_where_rounds_were_missed() -> None:
    stage = Stage()
    table(stage, "shoe 9s Kd Th Kc 9h Kd Th Kc 9d Kd Th Kc")
    second = [each for each in stage.said if each.topic == "round"][1]
    shown = view(kept([each for each in stage.said if each.topic != "round" or each is second]))
    assert (shown.round, shown.result) == (4, None)
    assert [each.round for each in shown.results] == [2]


def test_roads_and_results_are_those_of_the_present_shoe() -> None:
    before = seen("shoe 9s Kd Th Kc !close_shoe")
    assert before.roads
    assert (len(before.roads.bead), before.result is not None) == (1, True)
    after = seen("shoe 9s Kd Th Kc !close_shoe shoe")
    assert after.roads
    assert (after.roads.bead, after.result, after.results) == ((), None, ())


# ---------------------------------------------------------------- odd messages


def test_nothing_is_known_of_a_table_that_said_nothing() -> None:
    assert view(NOTHING) == WAITING
    assert "Please wait" in document("T07", WAITING, "en")


@pytest.fixture
def war() -> Iterator[None]:
    GAMES[WAR.name] = WAR
    yield
    del GAMES[WAR.name]


def test_a_game_without_words_shows_nothing(war: None) -> None:
    shown = seen("shoe bets=1:5 lot=1 9s", "live", game="war", **BETTING)
    assert shown == WAITING


@pytest.mark.parametrize("payload", [b"{", b"[]", b"{}", b"\xff", b"null", b"[" * 5000, b'{"shoe":-1}'])
@pytest.mark.parametrize("topic", ["status", "alarm", "table", "roads", "round", "event", "odds", "x"])
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
    assert guests.take("shoe/T07/status", status())
    assert not guests.take("shoe/T07/status", status())
    assert not guests.take("shoe/T07/event", status())
    assert not guests.take("shoe/T07/x/status", status())
    assert not guests.take("other/T07/status", status())
    assert guests.take("shoe/T07/status", b"")
    assert guests.tables == {}
    for n in range(MOST):
        guests.take(f"shoe/{n}/status", status())
    assert len(guests.tables) == MOST


# ---------------------------------------------------------------- words


def test_every_language_has_every_text_with_the_same_values() -> None:
    def values(text: str) -> list[str]:
        return [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]

    assert set(WORDS) == set(LANGUAGES)
    for id, english in WORDS["en"].items():
        for lang in LANGUAGES:
            assert WORDS[lang][id].strip(), (lang, id)
            assert values(WORDS[lang][id]) == values(english), (lang, id)
    assert not any("\u4e00" <= letter <= "\u9fff" for text in WORDS["en"].values() for letter in text)


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
    assert [word for word in words if not known(game, word)] == []


def test_every_game_has_a_screen() -> None:
    assert all(name in WORDS["en"] for name in GAMES if name != "war")


# ---------------------------------------------------------------- games with seats

PURSES = "money=1:100,2:100,3:100"
DEALT = f"{PURSES} Ks 9h 4c Kh 9d 5c 7d 2s Ad"


@pytest.mark.parametrize(
    ("text", "bets", "pot", "stake", "seats"),
    [
        ("", "open", "", "", ()),
        (PURSES, "closed", "", "", ()),
        (f"{PURSES} Ks", "closed", "3", "1", ()),
        (DEALT, "closed", "3", "1", ("S1", "S2", "S3")),
        (f"{DEALT} lot=1 1:look 1:raise=4", "closed", "7", "2", ("S1", "S2", "S3")),
        (f"{DEALT} lot=1 1:look 1:raise=4 2:fold", "closed", "7", "2", ("S1", "S3")),
        (f"{DEALT} lot=1 1:fold 2:fold", "open", "", "", ()),
    ],
)
def test_a_pot_its_stake_and_who_is_in(text: str, bets: str, pot: str, stake: str, seats: tuple[str, ...]) -> None:
    shown = seen(text, "live", **usual("zhajinhua") | {"game": "zhajinhua"})
    assert (shown.bets, shown.pot, shown.stake, shown.seats) == (bets, pot, stake, seats)
    assert not any(face for hand in shown.cards for face in hand.cards)


def test_only_hands_that_the_house_shows_are_named_when_a_pot_is_won() -> None:
    house = usual("zhajinhua") | {"game": "zhajinhua"}
    folded = seen(f"{DEALT} lot=1 1:fold 2:fold", **house).result
    assert folded
    assert (folded.outcome, folded.seat, folded.pot) == ("wins.seat", "S3", "3")
    assert {hand.cards for hand in folded.hands} == {(None, None, None)}
    compared = seen(f"{DEALT} lot=1 1:call 2:call 3:fold 1:compare=2", **house).result
    assert compared
    assert compared.hands[0] == Hand("S1", ("Ks", "Kh", "7d"), "", "is.zhajinhua.pair", "win")
    assert compared.hands[1] == Hand("S2", (None, None, None))


def test_a_pack_that_waits_to_be_confirmed_takes_no_bets() -> None:
    house = usual("zhajinhua") | {"game": "zhajinhua", "confirm_shuffle": True}
    assert seen(f"next {DEALT} lot=1 1:fold 2:fold", **house).bets == "closed"


@pytest.mark.parametrize(
    ("text", "bets"),
    [
        ("", "open"),
        ("1:grab=3 2:grab=1 3:grab=0 4:grab=2", "open"),
        ("1:grab=3 2:grab=1 3:grab=0 4:grab=2 2:bet=3 3:bet=1 4:bet=2", "closed"),
        ("1:grab=3 2:grab=1 3:grab=0 4:grab=2 2:bet=3 3:bet=1 4:bet=2 Kh", "closed"),
    ],
)
def test_bids_and_bets_against_a_bank_are_laid_before_the_cards(text: str, bets: str) -> None:
    shown = seen(text, "live", **usual("niuniu") | {"game": "niuniu"})
    assert shown.bets == bets
    assert "grab" not in repr(shown)


def test_a_hand_of_blackjack_is_open_and_the_dealers_second_card_is_not() -> None:
    house = usual("blackjack") | {"game": "blackjack"}
    shown = seen("shoe bets=1:100,3:12.5 8h As 6c 8d Kd 9s", "live", **house)
    assert shown.cards == (Hand("D", ("6c", None)), Hand("S1.1", ("8h", "8d")), Hand("S3.1", ("As", "Kd")))
    over = seen("shoe bets=1:100 9h 9s Tc 8c 1:S", "live", **house).result
    assert over
    assert over.hands == (Hand("D", ("9s", "8c"), "17"), Hand("S1.1", ("9h", "Tc"), "19", "", "win"))
