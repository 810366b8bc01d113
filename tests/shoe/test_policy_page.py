"""What docs/irregularities.md says of each policy is what a table does: blocks, goes on, or burns, in every game."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.games.house import usual
from firmware_bridge.shoe import state
from firmware_bridge.shoe.policy import POLICIES
from firmware_bridge.shoe.state import blockers, cards_left
from tests.kit.rows import each_row
from tests.kit.table import BACK, FLOODED, LOST, RESTART, Step, Table

PAGE: Final = Path(__file__).parents[2] / "docs" / "irregularities.md"


class Said(NamedTuple):
    """The row of an alarm on the page."""

    todo: str
    blocks: bool
    choices: tuple[str, ...]


def _rows(text: str) -> dict[str, Said]:
    found = re.findall(r"^\| `(\w+)` \| (.*) \| (yes|no)(?:, confirm)? \| (.*) \|$", text, re.M)
    return {
        name: Said(todo, blocked == "yes", tuple(re.findall(r"`([\w-]+)`", choices)))
        for name, todo, blocked, choices in found
    }


def _page() -> dict[str, dict[str, Said]]:
    parts = re.split(r"^## `([\w-]+)`$", PAGE.read_text("utf-8"), flags=re.M)[1:]
    own = {name: _rows(text) for name, text in zip(parts[::2], parts[1::2], strict=True)}
    return {name: own["keep-order"] | rows for name, rows in own.items()}


SAID: Final = _page()

GRABS: Final = "1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1"
BEGUN: Final = {
    "baccarat": "bets-closed",
    "blackjack": "bets=1:100",
    "niuniu": "",
    "erbagang": "money=1:900,2:900,3:900,4:900",
    "zhajinhua": "money=1:500,2:500,3:500",
}
"""Game -> what closes the bets of a round."""

CARDS: Final = {
    "baccarat": "2s",
    "blackjack": "Ts",
    "niuniu": f"{GRABS} 2s",
    "erbagang": f"{GRABS} 1p",
    "zhajinhua": "2s",
}
"""Game -> a round's first steps behind it, up to its first card."""

MARKS: Final = {
    "blackjack": "Ts Tc Kd 9c",
    "niuniu": "",
    "erbagang": "",
    "zhajinhua": "As Kd 9h 7s 5d 4h 2c 3c 6c",
}
"""Game -> behind the close of bets, up to a question to a seat."""

OVER: Final = {
    "baccarat": "9s Kd Th Kc",
    "blackjack": "Ts Tc Kd 9c 1:S",
    "erbagang": f"{GRABS} 1p 6p 2p 9p 5p 1p 7p 8p",
}
"""Game -> behind the close of bets, a whole round of a pack that goes on."""

NEXT_CARD: Final = {"erbagang": "wp"}
FOREIGN: Final = {"erbagang": "As"}
TWO: Final = {"erbagang": ("3p", "4p")}


def table_of(game: str, policy: str, **house: Any) -> Table:
    kind = {"game": game, **usual(game), "betting": "required" if BEGUN[game] else "ignored", "burn": "none"}
    return Table(**kind | {"close": "next", "policy": policy} | house).play("shoe")


class Cause(NamedTuple):
    """How an alarm is caused in a game: what comes before it, and the input of the alarm; house: its settings."""

    before: str
    alarm: tuple[Step, ...]
    house: dict[str, Any] | None = None


def causes() -> dict[tuple[str, str], Cause]:
    """(alarm, game) -> its cause, for all that cards, sensors and devices do."""
    found: dict[tuple[str, str], Cause] = {}
    for game, begun in BEGUN.items():
        inside = f"{begun} {CARDS[game]}"
        card = NEXT_CARD.get(game, "8h")
        found |= {
            ("foreign", game): Cause(inside, (FOREIGN.get(game, "1p"),)),
            ("lid_opened", game): Cause(inside, ("lid-open", "lid-close")),
            ("jam", game): Cause(inside, (inputs.CardUnread(at=0, reason="jam", nonce="a" * 32),)),
            ("reader_lost", game): Cause(inside, (LOST,)),
            ("reader_back", game): Cause(inside, (LOST, BACK)),
            ("reader_fault", game): Cause(inside, (FLOODED,)),
            ("broker_lost", game): Cause(inside, (inputs.DeviceLost(at=0, device="broker", why="gone"),)),
            ("clock_jump", game): Cause(inside, (inputs.ClockJumped(at=0, by=-5000),)),
            ("sensor_stuck", game): Cause(inside, (inputs.SensorStuck(at=0, sensor="next", stuck=True),)),
            ("restarted_mid_round", game): Cause(inside, (RESTART,)),
            **{
                (flag, game): Cause(inside, (inputs.CardRead(at=0, card=Card(card), nonce="a" * 32, flags=(flag,)),))
                for flag in ("face_up", "double_feed", "backwards")
            },
        }
        if begun:
            found["drawn_before_bets_closed", game] = Cause("", (card,))
    for game, marks in MARKS.items():
        found["drawn_before_mark", game] = Cause(f"{BEGUN[game]} {marks}", (NEXT_CARD.get(game, "8h"),))
    for game, over in OVER.items():
        found["overdrawn", game] = Cause(f"{BEGUN[game]} {over}", (NEXT_CARD.get(game, "8h"),))
    found["missing_third", "baccarat"] = Cause("bets-closed 2s 2d 3h Ac", ("next",))
    for game in ("baccarat", "blackjack"):
        found["unreadable", game] = Cause(BEGUN[game], ("??",))
        found["burn_short", game] = Cause("", ("next",), {"burn": 2})
        found["burn_over", game] = Cause("2c 3c", ("4c",), {"burn": 2})
    for game in ("baccarat", "blackjack", "erbagang"):
        inside, face = f"{BEGUN[game]} {CARDS[game]}", CARDS[game].split()[-1]
        again = inputs.CardRead(at=0, card=Card(face), nonce="b" * 32, again=True)
        found["read_again", game] = Cause(inside, (again,))
    found["duplicate", "baccarat"] = Cause("bets-closed 2s", ("2s",), {"decks": 1})
    for game in ("niuniu", "zhajinhua"):
        found["duplicate", game] = Cause(f"{BEGUN[game]} {CARDS[game]}", ("2s",))
    return found


CAUSES: Final = causes()
CELLS: Final = [(policy, *cell) for policy in SAID for cell in CAUSES]


def caused(policy: str, alarm: str, game: str) -> Table:
    cause = CAUSES[alarm, game]
    return table_of(game, policy, **(cause.house or {})).play(cause.before, *cause.alarm)


def came(table: Table, alarm: str) -> bool:
    return any(isinstance(each, e.Irregular) and each.id == alarm for each in table.events)


def dealt(table: Table) -> int:
    """Cards in a place: on the layout, burned, or set aside."""
    return sum(isinstance(each, e.CardDealt | e.CardBurned | e.CardSetAside | e.CardOverdrawn) for each in table.events)


def held(table: Table) -> int:
    return len(state.held_cards(table.shoe))


def alarm_of(name: str) -> str:
    """The alarm of a cell, by its name."""
    return name.split("-")[-2]


def test_the_page_has_every_policy_and_alarm() -> None:
    assert {name: set(rows) for name, rows in SAID.items()} == {name: set(rows) for name, rows in POLICIES.items()}


@each_row(("policy", "alarm", "game"), CELLS, by=alarm_of)
def test_what_the_page_says_is_what_the_table_does(policy: str, alarm: str, game: str) -> None:
    said = SAID[policy][alarm]
    table = caused(policy, alarm, game)
    assert came(table, alarm), table.open
    if said.todo == "Burn the card.":
        set_aside = [each.why for each in table.events if isinstance(each, e.CardSetAside)]
        assert (set_aside, held(table), table.open) == (["burned"], 0, ())
        return
    assert (alarm in blockers(table.shoe)) is said.blocks
    if said.blocks:
        places, waiting = dealt(table), held(table)
        for card in TWO.get(game, ("7d", "6d")):
            table.play(card)
        assert (dealt(table), held(table)) == (places, waiting + 2)
    elif alarm in ("drawn_before_bets_closed", "drawn_before_mark"):
        assert (held(table), table.open) == (1, (alarm,))
        _go_on(table, game, alarm)
        assert held(table) == 0


def _go_on(table: Table, game: str, alarm: str) -> None:
    """Gives what the card waits for."""
    if alarm == "drawn_before_bets_closed":
        table.play(BEGUN[game])
    if game in ("niuniu", "erbagang"):
        table.play(GRABS)
    elif alarm == "drawn_before_mark":
        table.play("1:H" if game == "blackjack" else "!void misdeal")


@each_row(("policy", "alarm", "game"), CELLS, by=alarm_of)
def test_the_choices_of_the_page_are_those_of_the_pit(policy: str, alarm: str, game: str) -> None:
    said = SAID[policy][alarm]
    for choice in ("burn", "keep", "remove", "void", "accept", "continue", "end-shoe"):
        table = caused(policy, alarm, game)
        if alarm not in table.open:
            return
        left = cards_left(table.shoe)
        table.take(table.order(orders.Resolve(alarm, choice)))
        if choice not in said.choices:
            assert not table.answer.ok
            continue
        assert table.answer.ok or choice == "void", (choice, table.answer)
        changes = (-1,) if alarm == "read_again" else (0, 1) if choice in ("remove", "void") else (0,)
        assert cards_left(table.shoe) - left in changes


# ---------------------------------------------------------------- a card before a mark, where the pit decides first


def early() -> Table:
    return table_of("blackjack", "macau").play(BEGUN["blackjack"], MARKS["blackjack"], "5h")


def test_macau_takes_the_mark_and_deals_nothing_until_the_pit_keeps_the_card() -> None:
    table = early()
    table.play("1:H")
    assert (held(table), table.due, table.open) == (1, None, ("drawn_before_mark",))
    table.play("!resolve drawn_before_mark keep")
    assert (held(table), table.open) == (0, ())
    assert [each.card.value for each in table.shoe.laid if each.card][-1] == "5h"


def test_a_card_that_the_pit_keeps_before_the_mark_waits_for_it_without_a_further_alarm() -> None:
    table = early().play("!resolve drawn_before_mark keep")
    assert (held(table), table.open) == (1, ())
    table.play(RESTART, "next")
    assert (held(table), table.open) == (1, ())
    table.play("1:H")
    assert (held(table), table.open) == (0, ())
    assert [each.card.value for each in table.shoe.laid if each.card][-1] == "5h"


def test_a_second_card_is_a_second_decision() -> None:
    table = table_of("blackjack", "macau").play("bets=1:100 2s Tc 3d 9c 5h 4h")
    table.play("!resolve drawn_before_mark keep", "1:H")
    assert (held(table), table.open) == (1, ("drawn_before_mark",))
    table.play("!resolve drawn_before_mark burn")
    assert (held(table), table.open) == (0, ())


def test_where_a_tile_is_burned_er_ba_gang_ends_a_round_earlier() -> None:
    tiles = [f"{n}p" for n in range(1, 10) for _ in range(4)] + ["wp"] * 4
    table = table_of("erbagang", "us-burn").play(BEGUN["erbagang"], GRABS, *tiles[:9], "next")
    for first in (9, 17, 25):
        table.play(GRABS, *tiles[first : first + 8], "next")
    assert (table.phase, [each["status"] for each in table.rounds]) == ("ended", ["closed"] * 4)


@pytest.mark.parametrize("close", ["auto", "next"])
@pytest.mark.parametrize("policy", SAID)
def test_a_card_after_the_last_one_of_a_round_is_never_dealt_while_bets_are_open(policy: str, close: str) -> None:
    """Where the round closes by itself, the card is drawn before bets are closed, not too many."""
    table = table_of("baccarat", policy, close=close).play("bets-closed 9s Kd Th Kc", "8h")
    alarm = "overdrawn" if close == "next" else "drawn_before_bets_closed"
    assert came(table, alarm)
    assert (alarm in blockers(table.shoe)) is (policy in ("macau", "studio"))
    assert len(table.shoe.laid) == (4 if close == "next" else 0)


@pytest.mark.parametrize(("choice", "aside"), [("burn", ["burned"]), ("void", ["void"])])
def test_a_studio_burns_the_card_or_voids_the_round(choice: str, aside: list[str]) -> None:
    table = table_of("baccarat", "studio", close="auto").play("bets-closed 9s Kd Th Kc", "8h")
    table.take(table.order(orders.Resolve("drawn_before_bets_closed", choice)))  # type: ignore[arg-type]  # one of them
    assert table.answer.ok
    assert [each.why for each in table.events if isinstance(each, e.CardSetAside)] == aside
    assert (held(table), table.open, table.phase) == (0, (), "betting")
    assert cards_left(table.shoe) == 411
