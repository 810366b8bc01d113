"""Lamps and acts in every state of many rounds of each game, beside a second statement of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest

from firmware_bridge.demo.round_player import PlayedTable
from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import house_of, terms_of, usual
from firmware_bridge.shoe import Phase, Shoe, phase
from firmware_bridge.shoe.expected import expected, pays
from firmware_bridge.topics.lamps import lamps
from tests.games.baccarat.book import book
from tests.kit.nightly import share
from tests.kit.table import LOST, RESTART, Table
from tests.topics.guided import Given, Lit, Shown, baccarat, given

pytestmark = pytest.mark.timeout(1_200)
"""All rounds of a game take a minute of one core, which six workers and more may share."""

ROUNDS = share(1_000, 10)
"""Rounds of baccarat, under each way to close."""

SEATED_ROUNDS = share(1_000, 100)
"""Rounds of each game with seats, under each way to close."""

PLAIN: dict[str, Any] = {"game": "blackjack", **usual("blackjack"), "close": "next"}

SEATED = [name for name in GAMES if name != "baccarat"]
Panel = Callable[[Shoe], Lit]
State = tuple[Shoe, Shown]


class Dealt(PlayedTable):
    """A table that shows its shoe, and where NEXT is pressed."""

    @property
    def shoe(self) -> Shoe:
        return self._memory.shoe

    def press_next(self) -> None:
        self._order(orders.Next())

    def press_reveal(self) -> None:
        self._order(orders.Reveal())


def house(game: str, settings: dict[str, Any], close: str, disclose: str) -> House:
    """The settings of a line, under a way to close rounds and to disclose cards."""
    terms = GAMES[game].terms
    known = {name: value for name, value in settings.items() if name in terms.__struct_fields__}
    made = msgspec.convert(known, terms, strict=False)
    named = {name: getattr(made, name) for name in known}
    own = {name: value for name, value in settings.items() if name == "decks"}
    fixed = {"new_shoe": "command", "virtual_cut": None, "close": close, "disclose": disclose}
    return house_of(game, **{**usual(game), **own, **fixed, **named})


def states(game: str, round: Given, close: str, disclose: str) -> Iterator[State]:
    """Each state of a round with seats, and what is to be shown there."""
    line = round.line
    table = Dealt(house(game, line["settings"], close, disclose), line["type"] == "game")
    names = ("bets", "money")
    texts: dict[str, Any] = {name: {seat: str(each) for seat, each in line.get(name, {}).items()} for name in names}
    stakes = orders.BetsClosed(**texts) if GAMES[game].money.stakes else None
    table.begin(orders.Pack(decks=line["settings"].get("decks"), left=line.get("left")), stakes)
    yield table.shoe, round.shown[0]
    for n, word in enumerate(line["moves"], 1):
        if round.shown[n].lit == {} == round.shown[n - 1].lit:
            return  # the round is over: what follows is refused
        table.move(word)
        for opening in round.opening.get(n, ()):
            yield table.shoe, opening
            table.press_reveal()
        if close == "next" and n in round.complete:
            assert phase(table.shoe) is Phase.COMPLETE
            yield table.shoe, round.complete[n]
            table.press_next()
        if round.shown[n].acts:
            yield table.shoe, round.shown[n]


def differs(panel: Panel, state: State) -> str:
    """Where lamps or acts are not those of the second statement; "" where they are."""
    shoe, shown = state
    if (lit := panel(shoe)) != shown.lit:
        return f"{shown.moment}: lit {lit} instead of {shown.lit}"
    if (acts := msgspec.json.decode(msgspec.json.encode([each.act for each in expected(shoe)]))) != shown.acts:
        return f"{shown.moment}: {acts} instead of {shown.acts}"
    return ""


def lit(shoe: Shoe) -> Lit:
    return lamps(shoe).lit


def rounds(game: str, disclose: str, count: int) -> Iterator[Given]:
    found = (given(game, seed, disclose == "sealed") for seed in range(100_000))
    return islice((round for round in found if round), count)


def of_seats(game: str, close: str, disclose: str, count: int) -> Iterator[State]:
    """Each state of so many rounds of a game with seats."""
    return (state for round in rounds(game, disclose, count) for state in states(game, round, close, disclose))


each_close = pytest.mark.parametrize("close", ["auto", "next"])
each_disclose = pytest.mark.parametrize("disclose", ["dealt", "sealed"])


@each_disclose
@each_close
@pytest.mark.parametrize("game", SEATED)
def test_seats_are_guided_as_the_second_statement_says(game: str, close: str, disclose: str) -> None:
    wrong = [said for state in of_seats(game, close, disclose, SEATED_ROUNDS) if (said := differs(lit, state))]
    assert wrong[:3] == []


def acts(shoe: Shoe) -> list[tuple[str, str, str]]:
    """The chips and cards that the dealer handles now, besides turning and moving cards."""
    due = [each.act for each in expected(shoe)]
    return sorted((act.verb, act.hand or act.what, act.amount) for act in due if act.verb in ("pay", "take", "collect"))


def handled(states: Iterable[State]) -> list[tuple[str, str, str]]:
    """All chips and cards that were handled; a refused word leaves the state as it was."""
    moved = {(shoe.round, shoe.laid, shoe.replies): shoe for shoe, _ in states}
    return sorted(act for shoe in moved.values() for act in acts(shoe))


@pytest.mark.parametrize("game", SEATED)
def test_sealed_cards_change_no_payment_and_none_is_shown_twice(game: str) -> None:
    given_rounds = (rounds(game, disclose, SEATED_ROUNDS // 2) for disclose in ("dealt", "sealed"))
    for dealt, sealed in zip(*given_rounds, strict=True):
        each = [handled(states(game, *how)) for how in ((dealt, "next", "dealt"), (sealed, "next", "sealed"))]
        assert each[0] == each[1], dealt.line["id"]


def test_no_act_that_is_done_is_shown_again_when_a_mark_is_taken_back() -> None:
    table = Table(**PLAIN).play("shoe bets=1:100,2:100,3:100 As 9c 8d 6d Kd 8c 7h Tc")
    assert ("pay", "S1.1", "150") in acts(table.shoe)
    table.play("2:S unmark")
    assert [each.act.verb for each in expected(table.shoe)] == ["ask"]


def test_acts_of_a_card_stay_until_the_round_moves_on() -> None:
    table = Table(**PLAIN).play("shoe bets=1:100,2:100,3:100 As 9c 8d 6d Kd 8c 7h Tc")
    due = acts(table.shoe)
    table.play("3:H", RESTART)  # another seat's mark is refused
    assert acts(table.shoe) == due


def test_what_is_paid_stands_in_the_table_while_an_alarm_stops_it() -> None:
    table = Table(**PLAIN).play("shoe bets=1:100 Ts 6d Kd Tc 1:S 5h")
    assert pays(table.shoe)
    before = pays(table.shoe)
    table.play(LOST)
    assert pays(table.shoe) == before


# ---------------------------------------------------------------- baccarat


SHOE = 50
"""Rounds that every shoe of eight packs has."""


def of_baccarat(procedure: str, close: str, disclose: str, count: int) -> Iterator[State]:
    """Each state of so many rounds of baccarat, in shoes of eight packs."""
    rng = Random(f"{procedure} {close}")
    for begun in range(0, count, SHOE):
        settings = {"decks": 8, "procedure": procedure}
        table = Dealt(house("baccarat", settings, close, disclose), False)
        yield from _of_a_shoe(table, min(SHOE, count - begun), rng.sample(FACES * 8, 416))


def _of_a_shoe(table: Dealt, count: int, cards: list[Card]) -> Iterator[State]:
    table.begin(orders.Pack(), None)
    settings = table.shoe.house
    procedure = terms_of(settings).procedure
    while table.shoe.burn_left != 0:
        table.move(cards.pop().value)
    faces: tuple[Card, ...] = ()
    opened = 0 if settings.disclose == "sealed" else None
    carried = played = 0
    while played < count:
        shown = baccarat(faces, carried, procedure, opened)
        last = shown.acts[-1]
        is_complete = last.get("key") == "next"
        if not is_complete or settings.close == "next":
            yield table.shoe, shown
        if is_complete:
            if settings.close == "next":
                table.press_next()
            carried = len(book(faces, procedure).carried)
            faces, played = faces[len(faces) - carried :], played + 1
            opened = None if opened is None else 0
        elif last.get("key") == "reveal":
            table.press_reveal()
            opened = (opened or 0) + 1
        else:
            card = cards.pop()
            table.is_over = False
            table.move(card.value)
            faces = (*faces, card)


@each_disclose
@each_close
@pytest.mark.parametrize("procedure", ["on-demand", "six-card"])
def test_baccarat_is_guided_as_the_second_statement_says(procedure: str, close: str, disclose: str) -> None:
    wrong = [said for state in of_baccarat(procedure, close, disclose, ROUNDS) if (said := differs(lit, state))]
    assert wrong[:3] == []


# ---------------------------------------------------------------- the check sees what is wrong

EVERY = 5
"""A planted fault shows in one of so many states where it could."""


def _other(slot: str, among: tuple[str, ...]) -> str:
    return among[(among.index(slot) + 1) % len(among)]


def _one_more(right: Lit, slots: tuple[str, ...]) -> Lit:
    dark = [slot for slot in slots if slot not in right]
    return {**right, dark[0]: "confirm"} if dark else right


def _without(right: Lit, slots: tuple[str, ...], rhythm: str) -> Lit:
    found = next((slot for slot in right if slot in slots and right[slot] == rhythm), None)
    return {slot: right[slot] for slot in right if slot != found}


def _elsewhere(right: Lit, slots: tuple[str, ...], rhythm: str) -> Lit:
    return {_other(slot, slots) if slot in slots and now == rhythm else slot: now for slot, now in right.items()}


def _otherwise(right: Lit, slots: tuple[str, ...], rhythm: str, wrong: str) -> Lit:
    return {slot: wrong if slot in slots and now == rhythm else now for slot, now in right.items()}


FAULTS: dict[str, Callable[[Lit, tuple[str, ...]], Lit]] = {
    "a lamp too many": _one_more,
    "NEXT too many": lambda right, _: {**right, "ready": "confirm"},
    "no card due": lambda right, slots: _without(right, slots, "steady"),
    "nobody asked, or nothing moved": lambda right, slots: _without(right, slots, "confirm"),
    "no NEXT": lambda right, _: _without(right, ("ready",), "confirm"),
    "a card due elsewhere": lambda right, slots: _elsewhere(right, slots, "steady"),
    "the rhythm of a seat that is asked": lambda right, slots: _otherwise(right, slots, "steady", "confirm"),
    "the rhythm of a draw": lambda right, slots: _otherwise(right, slots, "confirm", "candidate"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("game", GAMES)
def test_a_lamp_that_is_wrong_now_and_then_is_found(game: str, fault: str) -> None:
    slots = tuple(slot for slot in (*GAMES[game].slots, *GAMES[game].seats) if "." not in slot)
    could = 0

    def panel(shoe: Shoe) -> Lit:
        nonlocal could
        right = lit(shoe)
        wrong = FAULTS[fault](right, slots)
        could += wrong != right
        return wrong if could % EVERY == 1 else right

    is_baccarat = game == "baccarat"
    sample = of_baccarat("six-card", "next", "dealt", 20) if is_baccarat else of_seats(game, "next", "dealt", 20)
    found = sum(1 for state in sample if differs(panel, state))
    assert found >= could // EVERY > 0
