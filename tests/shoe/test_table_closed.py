"""A table that is closed by an order, between two shoes, until the next one is opened."""

from __future__ import annotations

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import table as state
from tests.kit.table import Table

ROUND = "9s Kd Th Kc"


@pytest.mark.parametrize("before", ["", "shoe !close_shoe"])
def test_a_table_is_closed_between_shoes_and_opened_by_the_next_one(before: str) -> None:
    table = Table(burn="none").play(f"{before} !close_table")
    assert table.answer.ok
    assert [each for each in table.events if isinstance(each, e.TableClosed)] == [e.TableClosed(by="floor")]
    assert (state(table.shoe).closed, state(table.shoe).phase) == (True, "ended" if before else "empty")
    again = table.play("!close_table").answer
    assert (again.ok, again.error) == (False, "the table is closed already")
    table.play("shoe")
    assert (state(table.shoe).closed, table.shoe.device.closed) == (False, e.Device().closed)
    assert not table.play("!close_table").answer.ok


@pytest.mark.parametrize("during", ["shoe", f"shoe {ROUND}", "shoe 9s"])
def test_a_table_with_an_open_shoe_is_not_closed(during: str) -> None:
    refused = Table(burn="none").play(f"{during} !close_table").answer
    assert (refused.error, refused.hint) == ("a shoe is in use", "close it first: close_shoe")


def test_a_card_opens_a_closed_table_where_cards_open_shoes() -> None:
    table = Table(burn="none", new_shoe="auto").play("!close_table 9s")
    assert (state(table.shoe).closed, table.shoe.status) == (False, "open")


def test_a_table_of_one_round_packs_is_closed_between_packs_and_opened_in_the_same_journal() -> None:
    table = Table(game="niuniu", burn="none").play("shoe !close_shoe !close_table")
    journal = table.shoe.journal
    assert (table.answer.ok, state(table.shoe).closed) == (True, True)
    table.play("shoe")
    assert (state(table.shoe).closed, table.shoe.journal) == (False, journal)


def test_a_closed_table_says_so_where_it_says_what_it_waits_for() -> None:
    assert lamps(Table(burn="none").play("!close_table").shoe).why == ("the table is closed",)
