"""The script of a baccarat round beside the rule book, and its openings in any order."""

from __future__ import annotations

from random import Random

import pytest

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.baccarat import GAME
from firmware_bridge.games.baccarat.script import Baccarat
from firmware_bridge.games.game import Layout, Start
from firmware_bridge.games.machine import layout
from firmware_bridge.games.moves import Dealt
from firmware_bridge.games.prompts import CardDue, OpeningDue
from tests.games.baccarat.book import book

PROCEDURES = ("on-demand", "six-card")


def now(terms: Baccarat, cards: list[Card | None]) -> Layout:
    return layout(GAME, [Dealt(card) for card in cards], terms, Start())


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("seed", range(10))
def test_an_open_round_is_at_every_step_what_the_book_says(procedure: str, seed: int) -> None:
    random, terms = Random(seed), Baccarat(procedure=procedure)  # type: ignore[arg-type]  # one of the two
    for _ in range(200):
        faces: list[Card] = []
        while True:
            before = book(tuple(faces), procedure)
            table = now(terms, [card if slot else None for card, slot in zip(faces, before.plays, strict=True)])
            assert [each.slot for each in table.placed] == list(before.slots)
            assert [each.plays for each in table.placed] == list(before.plays)
            if before.outcome:
                break
            assert isinstance(table.due, CardDue)
            assert (table.due.slot, table.due.why) == (before.due, before.due_why)
            faces.append(random.choice(FACES))
        assert table.result
        assert (table.result.outcome, table.result.why) == (before.outcome, before.why)
        assert len(table.result.reasons) == len(before.why)
        assert table.carried == before.carried
        assert {side: hand.cards for side, hand in table.result.hands.items()} == before.hands  # type: ignore[attr-defined]


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("seed", range(10))
def test_a_sealed_round_opened_in_any_order_ends_as_the_open_one(procedure: str, seed: int) -> None:
    random, terms = Random(seed), Baccarat(procedure=procedure)  # type: ignore[arg-type]  # one of the two
    for _ in range(100):
        faces: list[Card] = []
        shown: list[Card | None] = []
        while not (table := now(terms, shown)).result:
            if isinstance(table.due, CardDue):
                faces.append(random.choice(FACES))
                shown.append(None)
                continue
            assert isinstance(table.due, OpeningDue)
            assert set(table.due.step) <= set(table.due.may)
            n = random.choice([n for n, each in enumerate(table.placed) if (each.plays or each.slot) in table.due.may])
            assert shown[n] is None
            shown[n] = faces[n]
        before = book(tuple(faces), procedure)
        assert before.outcome
        assert (table.result.outcome, table.result.why) == (before.outcome, before.why)
        assert len(table.result.reasons) == len(before.why)
        assert [each.plays for each in table.placed] == list(before.plays)


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_before_the_pairs_are_open_nothing_depends_on_a_face(procedure: str) -> None:
    terms = Baccarat(procedure=procedure)  # type: ignore[arg-type]  # one of the two
    count = 4 if procedure == "on-demand" else 6
    table = now(terms, [None] * count)
    assert table.due == OpeningDue(("P1", "P2"), ("P1", "B1", "P2", "B2"), "open the first two cards of both hands")
    assert {each.plays for each in table.placed[4:]} <= {None}


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_every_prefix_with_one_card_more_or_face_down_is_total(procedure: str) -> None:
    random, terms = Random(1), Baccarat(procedure=procedure)  # type: ignore[arg-type]  # one of the two
    for _ in range(500):
        cards = [random.choice((*FACES, None)) for _ in range(random.randrange(9))]
        table = now(terms, cards)
        assert (table.due is not None) + (table.result is not None) + bool(table.stuck) == 1
