"""docs/walkthrough.md: a round of each game by a dealer who sees the lamps alone, and by one with the screen alone.

Both dealers know nothing of the game: they do what is lit, or what the topic `table` says is expected. Guests say what
they want when they are asked. In each round a card is drawn at a wrong moment, a wrong mark is given, and the shoe is
switched off and on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import usual
from firmware_bridge.games.moves import mark_of
from firmware_bridge.shoe.expected import expected
from firmware_bridge.topics.lamps import lamps
from tests.kit.table import BACK, RESTART, Table
from tests.topics.dealer_screens import at_a_table

VECTORS: Final = Path(__file__).parents[3] / "tests/vectors"
HOUSE: Final[dict[str, Any]] = {"new_shoe": "command", "virtual_cut": None, "close": "next", "burn": "none"}

BACCARAT: Final = {"id": "", "settings": {}, "moves": ["4c", "Ks", "3c", "5h", "Jd"], "result": {"outcome": "player"}}

ROUNDS: Final = {
    "baccarat": "",
    "blackjack": "blackjack-seed-06",
    "niuniu": "niuniu-seed-01",
    "zhajinhua": "zhajinhua-seed-07",
    "erbagang": "erbagang-016",
}
"""Game -> the line of tests/vectors/games that is played."""


class Do(NamedTuple):
    """What a dealer reads off: `draw` to a slot, `ask` seats, `lot`, `next`, `pit`, `wait`."""

    what: str
    slots: tuple[str, ...] = ()


class Row(NamedTuple):
    """A line of the walk-through: what is seen, and what is done."""

    seen: str
    done: str


def by_lamps(table: Table) -> tuple[str, Do]:
    """Return what the panel shows, and what a dealer makes of it."""
    lit = lamps(table.shoe).lit
    seen = ", ".join(f"{lamp} {rhythm}" for lamp, rhythm in lit.items()) or "all dark"
    slots = {rhythm: tuple(lamp for lamp in lit if lit[lamp] == rhythm and lamp not in ("ready", "fault")) for rhythm in
             ("steady", "confirm", "double", "triple", "quadruple", "candidate")}  # fmt: skip
    if lit.get("fault") == "blocked":
        return seen, Do("pit")
    if slots["steady"]:
        return seen, Do("draw", slots["steady"])
    if slots["candidate"]:
        return seen, Do("lot", slots["candidate"])
    seats = tuple(slot for rhythm in ("confirm", "double", "triple", "quadruple") for slot in slots[rhythm])
    if seats and lit.get("ready") != "confirm":
        return seen, Do("ask", tuple(slot for slot in seats if slot != "D"))
    return seen, Do("next" if "confirm" in (lit.get("ready"), lit.get("fault")) else "wait")


def by_screen(table: Table) -> tuple[str, Do]:
    """Return the sentences of the dealer's screen, and what a dealer makes of what is expected."""
    acts = [each.act for each in expected(table.shoe)]
    shown = at_a_table(table)
    paid = [f"{each.hand} {each.verb} {each.amount}" for each in shown.pays]
    seen = "; ".join([*paid, *shown.news, *(line.text for line in shown.due)])
    first = next((act for act in acts if act.verb in ("draw", "ask", "press", "wait")), acts[0])
    match first.verb:
        case "draw":
            return seen, Do("draw", (first.slot,))
        case "ask" if first.slots:
            return seen, Do("lot", first.slots)
        case "ask":
            return seen, Do("ask", tuple(act.slot for act in acts if act.verb == "ask"))
        case "press" | "compare":
            return seen, Do("next")
    return seen, Do("pit" if first.what == "pit" else "wait")


EYES: Final[dict[str, Callable[[Table], tuple[str, Do]]]] = {"lamps": by_lamps, "screen": by_screen}


def walked(game: str, eyes: str) -> tuple[list[Row], Table]:
    """Return the rows of a round, and the table after it. Raises LookupError where the dealer is lost."""
    walk = _Walk(game, EYES[eyes])
    return list(walk.rows()), walk.table


class _Walk:
    def __init__(self, game: str, look: Callable[[Table], tuple[str, Do]]) -> None:
        self._look, self.line = look, line_of(game)
        words = self.line["moves"]
        self._cards = [Card(word) for word in words if word in Card._value2member_map_]
        self._marks = [mark for word in words if word not in Card._value2member_map_ and (mark := mark_of(word))]
        self._marked = bool(self._marks)
        self.table = Table(**settings(game, self.line["settings"]))
        self.table.take(self.table.order(orders.OpenShoe(orders.Pack(left=self.line.get("left")))))
        bets, money = (
            {seat: str(each) for seat, each in self.line.get(name, {}).items()} for name in ("bets", "money")
        )
        if GAMES[game].money.stakes:
            self.table.take(self.table.order(orders.BetsClosed(bets=bets, money=money)))

    def rows(self) -> Iterator[Row]:
        mistakes = [self._wrong_draw, self._restart, self._wrong_mark]
        for step in range(200):
            seen, do = self._look(self.table)
            if step >= 2 and mistakes and (said := mistakes[-1](do)):
                mistakes.pop()
                yield Row(seen, f"**{said}**")
                continue
            yield Row(seen, self._done(do))
            if self.table.rounds:
                return
        raise LookupError(f"the dealer is lost: {seen}")

    def _wrong_mark(self, do: Do) -> str:
        if not self._marked:
            self.table.play("next")
            return "presses NEXT too early: it is refused"
        self.table.take(self.table.order(orders.Mark("XX", 1)))
        return "enters a wrong mark: it is refused, nothing changes"

    def _restart(self, do: Do) -> str:
        self.table.play(RESTART, BACK)
        return "the shoe is switched off and on"

    def _wrong_draw(self, do: Do) -> str:
        """Draw where no card is due: the next one of the round where seats are asked, else one too many."""
        if do.what == "ask" and self._marked:
            card = self._cards.pop(0) if self._cards else Card("2d")
        elif do.what == "next" and not self._marked and not self._cards:
            card = Card("2d")
        else:
            return ""
        self.table.take(self.table.card(card))
        return f"draws {card.value} though no card is due: it stays face down"

    def _draw(self) -> str:
        card = self._cards.pop(0)
        self.table.take(self.table.card(card))
        return card.value

    def _done(self, do: Do) -> str:
        match do.what:
            case "draw":
                [slot] = do.slots
                return f"draws {self._draw()}, lays it at {slot}"
            case "lot":
                mark = self._marks.pop(0)
                self.table.take(self.table.order(orders.Mark(mark.word, None, mark.value)))
                return f"draws the lot: it falls on seat {mark.value}"
            case "ask":
                mark = self._marks.pop(0)
                seat = mark.seat or do.slots[0][1:]
                assert f"S{seat}" in do.slots, (mark, do)
                self.table.take(self.table.order(orders.Mark(mark.word, int(seat), mark.value)))
                return f"asks; seat {seat} says {mark.word}{f' {mark.value}' if mark.value else ''}"
            case "next":
                self.table.take(self.table.order(orders.Next()))
                return "compares, presses NEXT" if not self.table.rounds else "settles, presses NEXT"
            case "pit":
                [each] = [each for each in self.table.shoe.device.irregular if each.id in self.table.open]
                self.table.take(self.table.order(orders.Resolve(each.id, "remove")))
                return f"calls the pit, who removes the card ({each.id})"
        raise LookupError(f"nothing to do: {do}")


def settings(game: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the house of a line, where rounds end by NEXT."""
    terms = GAMES[game].terms
    known = {name: each for name, each in given.items() if name in terms.__struct_fields__}
    made = msgspec.convert(known, terms, strict=False)
    named = {name: getattr(made, name) for name in known}
    own = {name: given[name] for name in ("decks",) if name in given}
    return {**usual(game), **HOUSE, "game": game, **named, **own}


def line_of(game: str) -> dict[str, Any]:
    """Return the round that is played, with its result."""
    if game == "baccarat":
        return dict(BACCARAT)
    lines = (VECTORS / "games" / f"{game}.jsonl").read_text("utf-8").splitlines()
    return next(line for text in lines if (line := json.loads(text))["id"] == ROUNDS[game])


def page() -> str:
    """Return the page."""
    parts = [
        "# A round of each game, walked through",
        "",
        "What a dealer sees and does: first one who sees the lamps alone, then one who sees alone what the dealer's",
        "screen says is due. In each round a wrong mark is entered, the shoe is switched off and on, and a card is",
        "drawn that is not due. This page is made by playing the rounds.",
    ]
    for game in ROUNDS:
        parts += ["", f"## {game}"]
        for eyes in EYES:
            rows, _ = walked(game, eyes)
            parts += ["", f"### By the {eyes}", "", "| seen | done |", "|---|---|"]
            parts += [f"| {row.seen} | {row.done} |" for row in rows]
    return "\n".join([*parts, ""])
