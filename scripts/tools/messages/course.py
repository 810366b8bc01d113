"""A round of each game, step by step: what comes to the table, its phase, and what it sends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from firmware_bridge.facts import inputs
from firmware_bridge.facts.orders import BetsClosed, Mark, Order, tag_of
from scripts.tools.messages.examples import moments
from scripts.tools.messages.played import Moment, Sent


def course() -> Iterator[str]:
    """Yield a table in Markdown for each game: the rounds that its scene plays."""
    for game, all_moments in moments().items():
        yield f"\n### A round of {game}\n"
        yield "| what comes | phase then | sent to `event` | to `round` | states that change | to `reply` |"
        yield "|---|---|---|---|---|---|"
        for (phase, *sent), alike in groupby(all_moments, lambda each: (each.phase, *_sent(each))):
            yield f"| {_came(alike)} | {phase} | {' | '.join(sent)} |"


def _sent(moment: Moment) -> tuple[str, str, str, str]:
    """Return what a moment sends, a cell for each column."""
    events = (each.payload["event"]["type"] for each in _of(moment, "event"))
    rounds = (each.payload["status"] for each in _of(moment, "round"))
    states = (each.topic for each in moment.sent if each.topic not in ("event", "round", "command", "reply"))
    replies = ("ok" if each.payload["ok"] else "refused" for each in _of(moment, "reply"))
    return _counted(events), _counted(rounds), _counted(states), _counted(replies)


def _of(moment: Moment, topic: str) -> Iterator[Sent]:
    return (each for each in moment.sent if each.topic == topic)


def _counted(words: Iterable[str]) -> str:
    """Return words with commas between; a run of the same one is counted."""
    runs = ((word, len(list(run))) for word, run in groupby(words))
    return ", ".join(word if count == 1 else f"{word} ({count} times)" for word, count in runs)


def _came(alike: Iterable[Moment]) -> str:
    """Return what came in moments with the same outcome, one behind the other."""
    return ", ".join(
        f"{what}{', '.join(word for _, word in run)}" for what, run in groupby(map(_word, alike), lambda it: it[0])
    )


def _word(moment: Moment) -> tuple[str, str]:
    """Return what came: its sort, and which one it was."""
    match moment.came:
        case inputs.CardRead(card=card):
            return "cards ", card.value
        case inputs.Ordered(order=order):
            return "order ", _order(order)
        case inputs.Started():
            return "the first start", ""
    return type(moment.came).__name__, ""


def _order(order: Order) -> str:
    match order:
        case Mark(word=word, seat=seat, value=value):
            return f"mark {f'{seat}:' if seat else ''}{word}{f'={value}' if value else ''}"
        case BetsClosed(bets=bets, money=money):
            amounts = " ".join(f"{seat}:{amount}" for seat, amount in (bets | money).items())
            return f"bets_closed {amounts}".strip()
    return tag_of(order)
