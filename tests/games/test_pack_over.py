"""The rest of a pack of one game leaves the shoe: it is set aside and counted, and opens nothing."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import Card, Serial
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import usual
from firmware_bridge.shoe.state import cards_left
from firmware_bridge.topics.lamps import lamps, signals
from firmware_bridge.topics.state import table as table_topic
from tests.kit.rows import each_row
from tests.kit.table import Table

MARKS = "1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1"
PURSES = "money=1:9,2:9,3:9,4:9"
RICH = "money=1:900,2:900,3:900,4:900"

GAME = {
    "niuniu": f"{MARKS} As Ah Ad Ac 2s 2h 2d 2c 3s 3h 3d 3c 4s 4h 4d 4c 5s 5h 5d 5c",
    "zhajinhua": "money=1:50,2:50,3:50 Ks 9h 2h Kh 9d 5c 7d 2s Ad lot=1 1:fold 2:fold",
    "erbagang": f"money=1:9,2:9,3:9,4:1 {MARKS} wp 1p 2p 3p wp 4p 5p 6p",  # S4 is out: the game stops
}
"""A whole game of each pack that lasts one."""

OPENERS = {"niuniu": "2:grab=1", "zhajinhua": "money=1:50,2:50,3:50", "erbagang": PURSES}

PACKS = [(game, close) for game in GAME for close in ("auto", "next")]


def over(game: str, close: str, **house: Any) -> Table:
    """A table whose first game is over; with `next` its round is not closed."""
    table = Table(**{"game": game, **usual(game), "close": close, **house}).play(f"shoe {GAME[game]}")
    assert table.phase == ("ended" if close == "auto" else "complete")
    return table


def rest(table: Table) -> list[Card]:
    """The cards that are still in the shoe."""
    left = [card for card, copies in GAMES[table.house.game].pack.items() for _ in range(copies)]
    return list((Counter(left) - Counter(table.shoe.seen)).elements())


def shoes(table: Table) -> int:
    return sum(isinstance(event, e.ShoeOpened) for event in table.events)


@pytest.mark.parametrize(("game", "close"), PACKS)
@pytest.mark.parametrize("count", [1, 4, None], ids=["one", "four", "all"])
def test_what_is_pulled_of_a_pack_that_is_over_is_set_aside_and_counted(
    game: str, close: str, count: int | None
) -> None:
    table = over(game, close)
    before, old = len(table.events), rest(table)
    for card in old[:count]:
        table.take(table.card(card))
    assert {type(event) for event in table.events[before:]} == {e.CardSetAside}
    assert (shoes(table), table.open, table.shoe.held, table.shoe.overdrawn) == (1, (), (), ())
    left = len(old) - len(old[:count])
    assert (cards_left(table.shoe), table_topic(table.shoe).cards_left) == (left, left)


@pytest.mark.parametrize(("game", "close"), PACKS)
def test_no_card_of_the_old_pack_is_dealt_into_the_next_game(game: str, close: str) -> None:
    table = over(game, close)
    for card in rest(table)[:4]:
        table.take(table.card(card))
    table.play("next" * (close == "next"), OPENERS[game])
    assert (table.answer.ok, shoes(table), table.shoe.seen, table.shoe.laid, table.open) == (True, 2, (), (), ())


@pytest.mark.parametrize(("game", "close"), PACKS)
def test_more_cards_than_the_pack_held_are_set_aside_too(game: str, close: str) -> None:
    table = over(game, close)
    for card in [*rest(table), *GAMES[game].pack]:
        table.take(table.card(card))
    assert (shoes(table), table.open, table_topic(table.shoe).cards_left) == (1, (), 0)
    table.play("next" * (close == "next"), OPENERS[game])
    assert (table.answer.ok, shoes(table)) == (True, 2)


@each_row(("game", "close"), PACKS)
@each_row(
    "fault",
    [
        {"lot": 9},
        {"flags": ("face_up",)},
        {"flags": ("double_feed", "backwards")},
        {"slot": "S2"},
        {"serial": Serial("7")},
    ],
    ids=str,
)
def test_a_faulty_card_of_a_pack_that_is_over_stops_nothing(game: str, close: str, fault: dict[str, Any]) -> None:
    table = over(game, close)
    left = cards_left(table.shoe)
    table.take(table.card(rest(table)[0], **fault))
    table.take(table.card("2s" if game == "erbagang" else "1p"))  # of another game
    table.take(inputs.CardUnread(at=0, reason="unreadable", nonce=table.nonce()))
    assert (shoes(table), table.open, cards_left(table.shoe)) == (1, (), left - 3)


@pytest.mark.parametrize("game", GAME)
def test_the_first_card_before_the_first_pack_is_set_aside(game: str) -> None:
    table = Table(**{"game": game, **usual(game)})
    table.take(table.card(next(iter(GAMES[game].pack))))
    assert (table.phase, shoes(table)) == ("empty", 0)
    assert signals(table.shoe) == {"lock": "steady"}
    assert shoes(table.play(OPENERS[game])) == 1


@pytest.mark.parametrize(("game", "close"), PACKS)
@pytest.mark.parametrize("confirm", [False, True])
def test_the_lock_holds_until_the_next_pack_is_opened(game: str, close: str, confirm: bool) -> None:
    table = over(game, close, confirm_shuffle=confirm) if not confirm else confirmed(game, close)
    assert signals(table.shoe) == {"lock": "steady"}
    if close == "next":
        table.play("next")
        assert (table.phase, signals(table.shoe)) == ("ended", {"lock": "steady"})
    table.play("+2s next" if confirm else OPENERS[game])
    assert table.shoe.status == "open"
    first = GAMES[game].money.stakes and not confirm and game == "zhajinhua"  # a card is due now
    assert signals(table.shoe) == ({} if first else {"lock": "steady"})


def confirmed(game: str, close: str) -> Table:
    house = {"game": game, **usual(game), "close": close, "confirm_shuffle": True}
    return Table(**house).play(f"next {GAME[game]}")


@pytest.mark.parametrize(("game", "close"), PACKS)
def test_next_opens_the_next_pack(game: str, close: str) -> None:
    table = over(game, close).play("next" * (close == "next"))
    assert (table.phase, shoes(table)) == ("ended", 1)
    table.play("+2s next")
    assert (shoes(table), table.phase) == (2, "ready" if game == "niuniu" else "betting")
    assert [event for event in table.events if isinstance(event, e.ShoeOpened)][-1].confirmed_by == ""


@pytest.mark.parametrize("game", GAME)
def test_the_lid_is_free_while_the_pack_is_over(game: str) -> None:
    """The rest is taken out there, and the next pack laid in, before NEXT."""
    table = over(game, "next").play("lid-open lid-close next", OPENERS[game])
    assert (table.answer.ok, table.open) == (True, ())
    assert over(game, "next").play("lid-open next", OPENERS[game]).open == ("lid_opened",)


@pytest.mark.parametrize("close", ["auto", "next"])
def test_tiles_between_two_rounds_of_a_game_are_not_set_aside(close: str) -> None:
    table = Table(**{"game": "erbagang", **usual("erbagang"), "close": close})
    table.play(f"shoe {RICH} {MARKS} 1p 2p 3p 4p 5p 6p 7p 8p 9p")
    assert table.open == ("overdrawn",) if close == "next" else ("drawn_before_mark",)
    table.play("next" * (close == "next"), MARKS)
    assert [each.slot for each in table.events if isinstance(each, e.CardDealt)][-1] == "S1"


@pytest.mark.parametrize("close", ["auto", "next"])
def test_the_fifth_round_ends_the_forty_tiles(close: str) -> None:
    table = Table(**{"game": "erbagang", **usual("erbagang"), "close": close}).play(f"shoe {RICH}")
    for number in range(5):
        tiles = [tile.value for tile in rest(table)][:8]
        table.play("next" * (close == "next" and number > 0), MARKS, " ".join(tiles))
    assert signals(table.shoe) == {"lock": "steady"}
    table.play("wp")
    assert (table.open, type(table.events[-1])) == ((), e.CardSetAside)


def test_a_card_held_while_the_reader_was_doubted_is_set_aside_afterwards() -> None:
    table = over("niuniu", "next").play(inputs.DeviceLost(at=0, device="reader", why="unplugged"))
    table.play(inputs.DeviceBack(at=0, device="reader"), "Kd")
    assert len(table.shoe.held) == 1
    table.play("next")
    assert (table.open, table.shoe.held, table.phase) == ((), (), "complete")
    assert isinstance(table.events[-1], e.CardSetAside)
    assert lamps(table.play("next").shoe).lit == dict.fromkeys(("S1", "S2", "S3", "S4"), "confirm")


def test_a_correction_is_possible_while_the_rest_leaves_the_shoe() -> None:
    words = GAME["niuniu"].split()
    for close in ("auto", "next"):
        table = over("niuniu", close).play("Kd Qd", "next" * (close == "next"), "Jd")
        table.take(table.order(orders.Correct(1, (*words[:-1], "6c"), "misread")))
        assert table.answer.ok, table.answer


@pytest.mark.parametrize(("game", "close"), PACKS)
@pytest.mark.parametrize("seed", range(6))
def test_three_games_are_the_same_whatever_is_pulled_between_them(game: str, close: str, seed: int) -> None:
    """The same words, once with nothing between the games and once with old, unread and strange cards there."""
    rng, strange = Random(f"{game} {seed}"), "2s" if game == "erbagang" else "1p"
    quiet, disturbed = (Table(**{"game": game, **usual(game), "close": close}) for _ in range(2))
    for _ in range(3):
        quiet.play(GAME[game])
        disturbed.play(GAME[game])
        for word in ("", "next") if close == "next" else ("",):
            quiet.play(word)
            disturbed.play(word)
            for card in rng.sample(rest(disturbed), rng.randrange(12)):
                disturbed.take(disturbed.card(rng.choice([card.value, card.value, strange])))
            disturbed.play("?? " * rng.randrange(3))
    assert (shoes(disturbed), disturbed.open, disturbed.phase) == (3, (), "ended")
    assert [outcome_of(each) for each in disturbed.rounds] == [outcome_of(each) for each in quiet.rounds]
    assert len(quiet.rounds) == 3


def outcome_of(message: dict[str, Any]) -> dict[str, Any]:
    """What a `round` message says of its round."""
    return {name: message[name] for name in ("shoe", "round", "outcome", "cards", "hands", "bets", "flags", "last")}
