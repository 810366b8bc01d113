"""The guests of a simulated table: what they say when bets are open, a lot is due or a seat is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from pytest_mock import MockerFixture

from firmware_bridge.config.sections import TableConfig
from firmware_bridge.daemon.devices.code_books import load
from firmware_bridge.demo.faults import INSIDE, LATE, places
from firmware_bridge.demo.fixtures import Play, code_book, faces, lamps, packs
from firmware_bridge.demo.harness import Harness
from firmware_bridge.demo.seats import asks_guests, next_order, waits
from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import FACES, TILES, Card
from firmware_bridge.games import GAMES
from firmware_bridge.games.baccarat import GAME as BACCARAT
from firmware_bridge.games.game import Game
from firmware_bridge.games.house import house_of
from firmware_bridge.games.prompts import Between, Choice, Nothing, Offer, Price, Target
from firmware_bridge.games.strategy import least
from firmware_bridge.mqtt.settings import NotConnected
from hardware.readers import READERS
from hardware.sim.boards import BOARDS
from hardware.sim.dealer import Paper
from tests.kit.patience import comes
from tests.kit.table import Table
from tests.war.rules import GAME


@pytest.fixture(autouse=True)
def war() -> Iterator[None]:
    GAMES[GAME.name] = GAME
    yield
    del GAMES[GAME.name]


def table(text: str) -> Table:
    return Table(game="war", betting="required", burn="none").play(text)


def order(text: str) -> dict[str, Any] | None:
    """What the guests order after some words of a deal script."""
    return next_order(table(text).shoe, Random(3))


def test_every_seat_bets_when_bets_are_open() -> None:
    assert order("shoe") == {"do": "bets_closed", "bets": {"1": "100", "2": "100", "3": "100"}}


def test_the_lot_falls_on_any_of_its_seats() -> None:
    lots = [next_order(table("shoe bets=1:5,3:5").shoe, Random(seed)) for seed in range(20)]
    assert {lot and lot["value"] for lot in lots} == {"1", "3"}
    assert all(lot and lot["word"] == "lot" and "seat" not in lot for lot in lots)


def test_a_seat_says_the_first_word_it_is_offered() -> None:
    asking = table("shoe bets=1:5 lot=1 9s Kd")
    given = next_order(asking.shoe, Random(3)) or {}
    assert given == {"do": "mark", "round": 1, "turn": asking.shoe.turn, "word": "stand", "seat": 1}
    asking.take(asking.order(msgspec.convert({name: given[name] for name in given if name != "do"}, orders.Mark)))
    assert asking.answer.ok


@pytest.mark.parametrize("text", ["", "shoe bets=1:5 lot=1", "shoe bets=1:5 lot=1 9s"])
def test_guests_are_silent_while_a_card_is_due(text: str) -> None:
    assert order(text) is None
    assert not waits(table(text).shoe)


def test_guests_of_a_game_without_marks_close_the_bets_and_open_sealed_cards() -> None:
    sealed = Table(burn="none", betting="required", disclose="sealed").play("shoe")
    assert next_order(sealed.shoe, Random(3)) == {"do": "bets_closed"}
    assert waits(sealed.shoe)
    assert next_order(sealed.play("bets-closed 9s Td").shoe, Random(3)) is None
    assert next_order(sealed.play("Ks 8c").shoe, Random(3)) == {"do": "reveal"}
    assert waits(sealed.shoe)


def test_nobody_is_waited_for_where_nothing_is_asked_of_guests() -> None:
    assert not waits(Table(burn="none").play("shoe 9s Td").shoe)
    assert not waits(None)
    assert not asks_guests(house_of())
    assert asks_guests(house_of(betting="required"))
    assert asks_guests(house_of(disclose="sealed"))


@pytest.mark.parametrize(
    ("offer", "value"),
    [
        (Nothing(), None),
        (Price(Decimal(4)), None),
        (Choice(("0", "1")), "0"),
        (Target(("2", "5"), Decimal(1)), "2"),
        (Target((), Decimal(1)), None),
        (Between(Decimal(2), Decimal(10)), "2"),
        (Between(Decimal(2), Decimal(10), step=Decimal(4), above=True), "6"),
        (Between(Decimal("0.5"), Decimal(1), above=True), "1"),
        (Between(Decimal(0), Decimal(10), above=True, or_none=True), None),
    ],
)
def test_the_least_value_of_an_offer(offer: Offer, value: str | None) -> None:
    assert least(offer) == value


def of_pack(pack: dict[Card, int], **more: Any) -> Game:
    """War with another pack or other lamps."""
    return Game(**{name: getattr(GAME, name) for name in GAME.__struct_fields__} | {"pack": pack} | more)


@pytest.mark.parametrize("reader", [name for name, row in READERS.items() if not row.judges])
@pytest.mark.parametrize("pack", [dict.fromkeys(FACES, 1), dict.fromkeys(TILES, 4), {FACES[0]: 3, TILES[9]: 1}])
def test_a_full_shoe_holds_every_face_as_often_as_its_packs(reader: str, pack: dict[Card, int]) -> None:
    codes = faces(reader, of_pack(pack), 2)
    papers = packs(reader, of_pack(pack), TableConfig(id="T07", decks=2))
    drawn = [codes[paper.code] for paper in papers]
    assert {card: drawn.count(card) for card in pack} == {card: 2 * copies for card, copies in pack.items()}
    if READERS[reader].has_tags:
        assert len({paper.code for paper in papers}) == len(papers)


def test_each_lamp_has_a_pin_of_its_own() -> None:
    for game in (BACCARAT, GAME, of_pack({}, slots=("D", "S1", "S2.2", "S2"), seats=("S1", "S2", "S3"))):
        assert len(set(lamps(game).values())) == len(lamps(game))
    assert [*lamps(of_pack({}, slots=("D", "S1", "S2.2", "S2"), seats=("S1", "S3")))] == [
        "D",
        "S1",
        "S2",
        "S3",
        "ready",
        "fault",
    ]


def test_the_moment_of_a_fault_is_at_a_slot_of_any_game() -> None:
    assert places(INSIDE, BACCARAT) == ("P2",)
    assert places(LATE, BACCARAT) == ("P3", "B3", "R1", "R2")
    assert places(INSIDE, GAME) == places(LATE, GAME) == ("S3",)
    assert places(INSIDE, of_pack({}, slots=("A", "B"))) == ("B",)
    assert places("next", GAME) == ("next",)


@pytest.mark.parametrize(
    ("fault", "game", "word", "wait"),
    [
        ("drawn_before_mark", "blackjack", "mark", "marks"),
        ("drawn_before_bets_closed", "baccarat", "bets_closed", "bets"),
        ("burn_over", "baccarat", "bets_closed", "bets"),
    ],
)
def test_guests_are_held_back_until_the_dealer_has_erred(
    fault: str, game: str, word: str, wait: str, tmp_path: Path, mocker: MockerFixture
) -> None:
    async def given() -> list[bool]:
        """Whether an order is sent: at another wait, before the mistake, and behind it."""
        stage = Harness(Play(game=game, fault=fault), tmp_path, mocker.Mock(), mocker.Mock())
        sent = mocker.patch.object(stage.backend, "order")
        made = [_given(stage, word, other, sent) for other in ("", wait)]
        stage._has_erred = True
        made.append(_given(stage, word, wait, sent))
        await stage.close()
        return made

    def _given(stage: Harness, word: str, wait: str, sent: Any) -> bool:
        sent.reset_mock()
        mocker.patch.object(stage, "waits", return_value=wait)
        with suppress(NotConnected):
            stage._give_order({"do": word})
        return bool(sent.called)

    assert asyncio.run(given()) == [True, False, True]


@pytest.mark.parametrize(
    ("fault", "game"), [("drawn_before_mark", "blackjack"), ("drawn_before_bets_closed", "baccarat")]
)
def test_guests_go_on_once_the_table_has_counted_the_card_that_came_early(
    fault: str, game: str, tmp_path: Path, mocker: MockerFixture
) -> None:
    async def erred() -> list[bool]:
        """Whether the mistake counts as made: once the card is drawn, and once the table has counted it."""
        stage = Harness(Play(game=game, fault=fault), tmp_path, mocker.Mock(), mocker.Mock())
        drawn, left = mocker.patch.object(stage, "draw"), mocker.patch.object(stage, "left", return_value=52)
        dealer = stage.dealer()
        dealer._shoe = [Paper(1)]
        assert dealer._mistake
        erring = asyncio.ensure_future(dealer._mistake.act(dealer))
        await comes(lambda: drawn.called)
        made = [stage._has_erred]
        left.return_value = 51
        await erring
        await stage.close()
        return [*made, stage._has_erred]

    assert asyncio.run(erred()) == [False, True]


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_of_labels_or_tags_gets_a_book_of_its_codes(reader: str, tmp_path: Path) -> None:
    keys = code_book(reader, BACCARAT, 2, tmp_path)
    assert bool(keys) == (BOARDS[reader].papers in ("labels", "tags"))
    if keys:
        book = load(keys["code_book"], 2)
        assert {code: book[code].card for code in book} == faces(reader, BACCARAT, 2)
