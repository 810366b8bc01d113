"""The rule book's draws and layouts, stated again without the program's tables."""

from __future__ import annotations

from itertools import islice, product
from pathlib import Path

import pytest

from firmware_bridge.facts.cards import FACES, Card, cards
from firmware_bridge.games.baccarat.rules import BANKER_DRAWS, STANDS_BY, STOOD, third_cards
from tests.games.baccarat.book import draws
from tests.kit.baccarat import layout
from tests.kit.nightly import EVERY
from tests.kit.table import Table


def test_every_sequence_of_points_draws_by_the_book() -> None:
    """A million deals: all points of six cards; the sixth changes no draw."""
    fifths = list(product(range(10), repeat=5))
    wrong = [points for points in fifths if third_cards(*points) != draws(*points)]
    assert len(fifths) * 10 == 1_000_000
    assert not wrong


BY_POINTS = {card.points: card for card in FACES if card.suit == "s"}


@pytest.mark.parametrize("procedure", ["on-demand", "six-card"])
def test_every_layout_takes_the_cards_the_book_draws(procedure: str) -> None:
    """All points of five cards through the layout, by day each seventh: used slots, and how many cards are carried."""
    for points in islice(product(range(10), repeat=5), 0, None, 1 if EVERY else 7):
        player, banker = draws(*points)
        thirds = [slot for slot, drawn in (("P3", player), ("B3", banker)) if drawn]
        faces = tuple(BY_POINTS[point] for point in (*points, 0))
        taken = faces if procedure == "six-card" else faces[: 4 + len(thirds)]
        table = layout(taken, procedure)
        assert [slot for slot in table.used if slot] == ["P1", "B1", "P2", "B2", *thirds]
        assert table.result
        assert table.due is None
        assert len(table.carried) == (2 - len(thirds) if procedure == "six-card" else 0)
        assert table.result.natural == (max((points[0] + points[2]) % 10, (points[1] + points[3]) % 10) > 7)


def dues(text: str, procedure: str) -> str:
    """The slot due before each card, and after the last."""
    hand = cards(text)
    return " ".join(layout(hand[:count], procedure).due or "-" for count in range(len(hand) + 1))


WHY = [
    ("2s 2d 3h Ac 8s", "banker 3, player's third 8 (三八)"),
    ("2s 2d 3h 2c 8s", "banker 4, player's third 8 (四八一)"),
    ("2s 2d 3h 2c As", "banker 4, player's third 1 (四八一)"),
    ("2s 2d 3h 3c 3s", "banker 5, player's third 3 (五八三)"),
    ("2s 2d 3h 4c Ks", "banker 6, player's third 0 (六八五)"),
    ("2s 2d 3h 5c 8s", "banker 7, player's third 8"),
    ("2s 2d 3h 2c 7s 9d", "banker 4, player's third 7"),
    ("2s 3d 4h 3c", "banker 6, player stood"),
]


@pytest.mark.parametrize(("text", "why"), WHY)
def test_a_banker_who_stands_is_worded_as_dealers_remember_it(text: str, why: str) -> None:
    assert Table(burn="none").play(f"shoe {text}").rounds[0]["why"][-1] == why


def test_the_docs_have_the_table_of_third_cards() -> None:
    text = (Path(__file__).parents[3] / "docs" / "baccarat.md").read_text("utf-8")
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]
    documented = {
        int(banker): ({STOOD} if stood == "draws" else set()) | {int(n) for n in third.replace("-", "").split()}
        for row in lines
        if len(row) == 5 and row[0][0].isdigit()
        for stood, third in (row[1:3],)
        for banker in row[0].split(",")
    }
    assert documented == {banker: set(thirds) for banker, thirds in BANKER_DRAWS.items()}
    assert {int(row[0]): row[4] for row in lines if len(row) == 5 and row[4] in STANDS_BY.values()} == STANDS_BY


ON_DEMAND = [
    ("9s Kd Th Kc", "P1 B1 P2 B2 -", "player", "natural"),
    ("2s 6d 4h Ac", "P1 B1 P2 B2 -", "banker", "both stand"),
    ("2s 3d 4h 2c 5s", "P1 B1 P2 B2 B3 -", "player", "player stands, banker draws to 0"),
    ("2s 3d 3h 4c 5s", "P1 B1 P2 B2 P3 -", "banker", "banker 7 stands"),
    ("2s 2d 3h Ac 8s", "P1 B1 P2 B2 P3 -", "tie", "banker 3 stands on 8"),
    ("2s 2d 3h Ac 9s 4d", "P1 B1 P2 B2 P3 B3 -", "banker", "banker 3 draws on 9"),
    ("2s 3d 3h 3c 6s 4d", "P1 B1 P2 B2 P3 B3 -", "player", "banker 6 draws on 6"),
]


@pytest.mark.parametrize(("text", "slots", "outcome", "rule"), ON_DEMAND, ids=[row[3] for row in ON_DEMAND])
def test_on_demand_card_by_card(text: str, slots: str, outcome: str, rule: str) -> None:
    assert dues(text, "on-demand") == slots
    result = layout(cards(text), "on-demand").result
    assert result
    assert result.outcome == outcome


SIX_CARD = [
    ("9s Kd Th Kc 2s 3s", "P1 B1 P2 B2 - -", 2, "natural carries both"),
    ("2s 3d 4h 2c 5s 3s", "P1 B1 P2 B2 B3 -", 1, "only the banker draws: R1 is B3"),
    ("2s 3d 3h 4c 5s 3s", "P1 B1 P2 B2 P3 -", 1, "only the player draws: R1 is P3"),
    ("2s 2d 3h Ac 9s 4d", "P1 B1 P2 B2 P3 B3", 0, "both draw"),
]


@pytest.mark.parametrize(("text", "used", "carried", "rule"), SIX_CARD, ids=[row[3] for row in SIX_CARD])
def test_six_card_fills_all_and_carries_the_rest(text: str, used: str, carried: int, rule: str) -> None:
    assert dues(text, "six-card") == "P1 B1 P2 B2 R1 R2 -"
    table = layout(cards(text), "six-card")
    assert " ".join(slot or "-" for slot in table.used) == used
    assert table.carried == tuple(range(6 - carried, 6))


@pytest.mark.parametrize(
    ("text", "player", "banker"),
    [("Ks 2d Kh 5c 3c 7d", True, False), ("Ks 2d Qh 2c 3c 4d", False, True), ("Ts 2d Jh 3c 3d 4d", False, False)],
)
def test_pairs_compare_rank_not_points(text: str, player: bool, banker: bool) -> None:
    result = layout(cards(text), "six-card").result
    assert result
    assert result.pairs == {"player": player, "banker": banker}


def test_a_third_card_of_nine_is_no_natural() -> None:
    result = layout(cards("2s 3d 3h 4c 4s"), "on-demand").result
    assert result
    assert (result.totals["player"], result.natural) == (9, False)


def test_a_hidden_reserve_says_nothing_about_itself() -> None:
    """With five cards out under six-card, `due` and its reason are the same whatever the fifth is."""
    reasons = {layout((*cards("9s Kd Th Kc"), card), "six-card").why for card in FACES}
    assert reasons == {"R2 due"}


def test_a_card_prints_as_unknown() -> None:
    assert repr(Card("As")) == str(Card("As")) == f"{Card('As')}" == "??"
