"""When sealed cards are opened: by key, by order, and by the clock."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from firmware_bridge.facts import events, orders
from firmware_bridge.shoe import decide
from firmware_bridge.shoe.handlers.disclosure import deadline
from tests.kit.rows import each_row
from tests.kit.table import RESTART, Table

NATURAL = "9s Kd Th Kc"
THIRDS = "2s 2d 3h Ac"  # player 5 draws, banker 3
VIP: dict[str, Any] = {"burn": "none", "mode": "vip"}
SEALED: dict[str, Any] = {"burn": "none", "disclose": "sealed"}


def named(table: Table) -> str:
    """The slots opened so far, each step of the ceremony in its order."""
    return " ".join(each.slot or "-" for each in table.events if isinstance(each, events.CardRevealed))


# settings, steps -> slots opened, rounds, phase
OPENED: list[tuple[str, dict[str, Any], str, str, str, str]] = [
    ("one press per step", SEALED, f"shoe {THIRDS} reveal", "P1 P2", "", "dealing"),
    ("then the banker's pair", SEALED, f"shoe {NATURAL} reveal reveal", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("nothing before the pairs are out", SEALED, "shoe 9s Kd Th reveal", "", "", "dealing"),
    ("the third is drawn first", SEALED, f"shoe {THIRDS} reveal reveal reveal", "P1 P2 B1 B2", "", "dealing"),
    ("P3 alone", SEALED, f"shoe {THIRDS} reveal reveal 9s reveal", "P1 P2 B1 B2 P3", "", "dealing"),
    (
        "B3 after it",
        SEALED,
        f"shoe {THIRDS} reveal reveal 9s reveal 4d reveal",
        "P1 P2 B1 B2 P3 B3",
        "1 closed banker",
        "ready",
    ),
    ("NEXT closes", SEALED | {"close": "next"}, f"shoe {NATURAL} reveal reveal", "P1 P2 B1 B2", "", "complete"),
    ("and not before", SEALED | {"close": "next"}, f"shoe {NATURAL} reveal next", "P1 P2", "", "dealing"),
    ("the time opens all", SEALED, f"shoe {NATURAL} +60.1s", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("and not before its end", SEALED, f"shoe {NATURAL} +59.9s", "", "", "dealing"),
    ("what comes after opens as drawn", SEALED, f"shoe {THIRDS} +61s 9s 4d", "P1 P2 B1 B2 P3 B3", "1 closed banker", "ready"),
    ("only in its round", SEALED, f"shoe {NATURAL} +61s {NATURAL}", "P1 P2 B1 B2", "1 closed player", "dealing"),
    ("from the close of betting", SEALED | {"betting": "required"}, f"shoe bets-closed +61s {NATURAL}", "P1 P2 B1 B2", "1 closed player", "betting"),
    ("which begins anew", SEALED | {"betting": "required"}, f"shoe bets-closed +50s bets-open +99s bets-closed +50s {NATURAL}", "", "", "dealing"),
    ("another time is set", SEALED | {"reveal_timeout": 5}, f"shoe {NATURAL} +5.1s", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("six cards first", SEALED | {"procedure": "six-card"}, f"shoe {THIRDS} 9s reveal", "", "", "dealing"),
    ("six: by steps", SEALED | {"procedure": "six-card"}, f"shoe {THIRDS} 9s 4d reveal reveal reveal", "P1 P2 B1 B2 P3", "", "dealing"),
    ("six: to the end", SEALED | {"procedure": "six-card"}, f"shoe {THIRDS} 9s 4d reveal reveal reveal reveal", "P1 P2 B1 B2 P3 B3", "1 closed banker", "ready"),
    ("six: reserves stay sealed", SEALED | {"procedure": "six-card"}, f"shoe {NATURAL} 9s 4d reveal reveal", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("a card too soon waits, then opens the next round", SEALED, f"shoe {NATURAL} 2s reveal reveal", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("or is the third", SEALED, f"shoe {THIRDS} 9s reveal reveal", "P1 P2 B1 B2", "", "dealing"),
    ("cut card behind the round's last card", SEALED, f"shoe {NATURAL} cut reveal reveal", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("cut card before a third", SEALED, f"shoe {THIRDS} cut reveal reveal 9s reveal 4d reveal", "P1 P2 B1 B2 P3 B3", "1 closed banker last", "ended"),
    ("an empty shoe voids when it shows", SEALED | {"burn": 48, "decks": 1}, f"shoe BURN {THIRDS} reveal", "P1 P2", "", "dealing"),
    ("now it shows", SEALED | {"burn": 48, "decks": 1}, f"shoe BURN {THIRDS} reveal reveal", "P1 P2 B1 B2" + 48 * " -", "1 voided last", "ended"),
]  # fmt: skip


@each_row(("house", "steps", "slots", "rounds", "phase"), [row[1:] for row in OPENED], ids=[row[0] for row in OPENED])
def test_opening(house: dict[str, Any], steps: str, slots: str, rounds: str, phase: str) -> None:
    burned = " ".join(f"{r}{s}" for r in "A23456789TJQK" for s in "shdc" if f"{r}{s}" not in THIRDS)
    table = Table(**house).play(steps.replace("BURN", burned))
    assert (named(table), table.summary, table.phase) == (slots, rounds, phase)


# slots asked for one after the other -> opened
BY_WIRE = [
    (["B1"], "B1"),
    (["B1 B2", "P2", "P1"], "B1 B2 P2 P1"),
    (["P1 P1"], "P1"),
    (["P1 R1"], ""),
    (["P3"], ""),
    (["B3"], ""),
    (["", ""], "P1 P2 B1 B2"),
]


@pytest.mark.parametrize(("asked", "slots"), BY_WIRE)
def test_guests_open_cards_one_by_one(asked: list[str], slots: str) -> None:
    table = Table(**SEALED).play(f"shoe {THIRDS}")
    for each in asked:
        table.take(table.order(orders.Reveal(tuple(each.split()))))
    assert named(table) == slots
    assert table.answer.ok is bool(slots)


def test_at_a_table_that_shows_its_cards_there_is_nothing_to_reveal() -> None:
    table = Table(**VIP).play("shoe 9s !reveal")
    assert table.answer.error == "there is nothing to reveal"


def test_the_clocks_go_on_through_a_restart_of_the_daemon() -> None:
    table = Table(**SEALED).play(f"shoe {NATURAL} +40s")
    before = deadline(table.shoe)
    table.play(RESTART, "+15s")
    assert (deadline(table.shoe), named(table)) == (before, "")
    table.play("+6s")
    assert named(table) == "P1 P2 B1 B2"


def test_after_a_boot_the_clocks_begin_anew() -> None:
    table = Table(**SEALED).play(f"shoe {NATURAL} +4000s {NATURAL}")
    booted = decide(table.shoe, replace(RESTART, mono=5_000))
    assert events.RevealClockStarted(until=65_000) in booted


def test_where_betting_is_ignored_each_last_card_has_its_time() -> None:
    table = Table(**SEALED).play("shoe 2s 3s 2d 3d reveal reveal")
    assert deadline(table.shoe) is None
    table.play("+300s 4s")
    assert named(table) == "P1 P2 B1 B2"
    table.play("+59s")
    assert named(table) == "P1 P2 B1 B2"
    table.play("+2s")
    assert named(table).startswith("P1 P2 B1 B2 P3")


def test_a_fly_comes_before_bets_are_closed() -> None:
    table = Table(**VIP | {"betting": "required"}).play("shoe bets-closed !fly")
    assert table.answer.error == "bets are closed"


def test_a_shoe_change_keeps_the_flies_and_the_dealer_to_come() -> None:
    table = Table(**VIP).play(f"shoe !fly {NATURAL} !request_dealer_change !close_shoe !open_shoe")
    assert (table.shoe.device.flown, table.shoe.device.dealer_change) == (1, True)


def test_a_fly_that_was_never_dealt_does_not_count() -> None:
    table = Table(**VIP)
    for _ in range(6):
        table.play("shoe !fly")
        assert table.answer.ok
        table.play("!close_shoe")
    assert (table.shoe.device.flown, table.shoe.flying) == (0, False)


def test_several_cards_at_once_after_the_time_make_the_rounds_of_cards_one_by_one() -> None:
    """Held cards are dealt after a block: the round is closed with its last one, the others open the next."""
    held = Table(**SEALED, policy="us-burn", betting="required").play("shoe bets-closed +61s ?? Kd Th Kc 2s !enter 9s")
    assert (held.summary, held.seen.split()[4:]) == ("1 closed player", ["2s"])
    assert not [each for each in held.events if isinstance(each, events.Irregular) and each.id == "overdrawn"]
