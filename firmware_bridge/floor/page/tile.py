"""Draws a table's tile in the grid: what it needs, its state, and its last results."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from firmware_bridge.facts.wire_states import Alarm, Table
from firmware_bridge.floor.page.markup import DOT, Html, Part, age, badge, hidden, joined, number, pairs, tag
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.games import GAMES
from firmware_bridge.topics.texts import Language, known, names, text

SILENT_MS: Final = 90_000
"""Age of the health, sent every 30 s, after which the table counts as silent."""

DIGITS: Final = 18
"""Most digits of a number in a name to sort by its value."""

RESULTS: Final = 9
"""Most results of a tile."""

OUTCOMES: Final = {"B": "banker", "P": "player", "T": "tie"}
Word = Literal["blocked", "alarm", "silent", "no_shoe", "playing"]

RANKS: Final[tuple[Word, ...]] = ("blocked", "alarm", "silent", "no_shoe", "playing")
"""What a table may need, the most urgent first."""


class Trouble(NamedTuple):
    """The most urgent need of a table. silent: why its state may be old, "" if it is not."""

    word: Word
    silent: Literal["", "lost", "stopped", "old", "never"] = ""


def trouble(seen: Seen, now: int, *, incidents: int = 0) -> Trouble:
    """The need of a table at a time (ms since 1970). incidents: open ones of its record."""
    silent = _silence(seen, now)
    alarms = seen.alarms.open if seen.alarms else ()
    if any(each.blocks for each in alarms) or _is_out_of_order(seen):
        return Trouble("blocked", silent)
    if any(each.severity != "note" for each in alarms) or seen.unreadable or incidents:
        return Trouble("alarm", silent)
    if silent:
        return Trouble("silent", silent)
    if seen.table is None or not is_in_use(seen.table):
        return Trouble("no_shoe")
    return Trouble("playing")


def order(tables: list[tuple[Seen, Trouble]]) -> list[str]:
    """Names of tables: by need, then the older alarm first, then by name."""
    return [seen.name for seen, _ in sorted(tables, key=lambda each: _key(*each))]


def worst_first(alarms: tuple[Alarm, ...]) -> list[Alarm]:
    """Alarms: those that block first, then by severity, then the oldest first."""
    severities = ("critical", "warning", "note")
    return sorted(
        alarms,
        key=lambda each: (
            not each.blocks,
            severities.index(each.severity) if each.severity in severities else 0,
            each.since,
        ),
    )


def is_in_use(table: Table) -> bool:
    """Whether a shoe is open; in games with packs of one round always, as the next pack opens by itself."""
    game = GAMES.get(table.game)
    return table.phase not in ("empty", "ended") or bool(game and game.play.one_round_packs)


@lru_cache(10_000)
def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Sort key for natural order: T2 before T10."""
    return tuple(
        (int(part), "") if part.isascii() and part.isdigit() and len(part) <= DIGITS else (-1, part)
        for part in re.split(r"([0-9]+)", name)
        if part
    )


def tile(seen: Seen, needs: Trouble, lang: Language, now: int) -> Html:
    """The live part of a tile, without its road."""
    return tag(
        "div",
        badge(lang, needs.word),
        *silent(seen, needs, lang),
        *_alarms(seen, lang),
        _where(seen, lang),
        _stands(seen, lang, now),
        _results(seen, lang),
        _last(seen, lang),
        class_=f"state is-{needs.word}{' stale' if needs.silent else ''}",
    )


def silent(seen: Seen, needs: Trouble, lang: Language) -> Iterator[Html]:
    """A line that says why the state of a table may be old."""
    if not needs.silent:
        return
    at = seen.health_at
    since = [" ", age(at)] if at is not None else []
    yield tag("p", tag("span", text(lang, f"silent.{needs.silent}")), *since, class_="old")


def out_of_order(seen: Seen, lang: Language) -> Iterator[Html]:
    """Lines that say why a table is out of order, beside its alarms."""
    modes = {"OBSERVE": "page.observing", "NO_JOURNAL": "page.no_journal"}
    if seen.status and seen.status.mode in modes:
        yield tag("p", text(lang, modes[seen.status.mode]), class_="bad")
    if seen.unreadable:
        topics = ", ".join(sorted(seen.unreadable))
        yield tag("p", text(lang, "page.unreadable", topics=topics), class_="bad")


def due(table: Table, lang: Language) -> Part:
    """The slot of the card that is drawn next, or the seats that must act; None without either."""
    asked: list[str] = []
    for act in table.expected:
        if act.verb == "draw" and act.slot == "burn":
            return text(lang, "place.burn")
        if act.verb == "draw":
            return joined(tag("span", act.hand or act.slot, class_="slot"), " ", names.slot(lang, act.hand or act.slot))
        if act.verb == "ask":
            asked += act.slots or (act.hand or act.slot,)
    seats = [part for name in asked if name for part in (tag("span", name, class_="slot"), " ")]
    return joined(*seats, tag("span", text(lang, "page.acts"), class_="acts")) if seats else None


def game(lang: Language, name: str) -> str:
    """The name of a game."""
    return known(lang, f"game.{name}") or name


def phase(lang: Language, table: Table) -> str:
    """The phase of a table, in words."""
    if table.phase in ("empty", "ended") and is_in_use(table):
        return text(lang, "phase.between")
    return known(lang, f"phase.{table.phase}") or table.phase


def cut(table: Table, lang: Language) -> tuple[str, Part]:
    """Cards to the cut, or without a virtual cut those in the shoe, with their label."""
    if table.cards_left is None:
        return text(lang, "page.cards_left"), None
    if table.last:
        return text(lang, "page.cards_to_cut"), text(lang, "page.cut_out")
    limit = table.settings.virtual_cut
    if limit is None:
        return text(lang, "page.cards_left"), number(table.cards_left)
    return text(lang, "page.cards_to_cut"), number(max(table.cards_left - limit, 0))


def chip_class(outcome: str | None) -> str:
    """CSS class for the colour of a result: house red, players blue, tie green."""
    if outcome in ("banker", "player", "tie"):
        return outcome
    return {"players": "player", "even": "tie", "dealer_bust": "player"}.get(outcome or "", "other")


def _silence(seen: Seen, now: int) -> Literal["", "lost", "stopped", "old", "never"]:
    status = seen.status.state if seen.status else "online"
    if status in ("lost", "stopped"):
        return "lost" if status == "lost" else "stopped"
    if seen.health_at is None:
        return "never" if now - seen.since > SILENT_MS else ""
    return "old" if now - seen.health_at > SILENT_MS else ""


def _is_out_of_order(seen: Seen) -> bool:
    """Whether the daemon cannot guide the dealer because of its mode."""
    return bool(seen.status and seen.status.mode in ("NO_JOURNAL", "OBSERVE"))


def _key(seen: Seen, needs: Trouble) -> tuple[int, int, tuple[tuple[int, str], ...]]:
    since = min((each.since for each in seen.alarms.open), default=0) if seen.alarms else 0
    return RANKS.index(needs.word), since if needs.word in ("blocked", "alarm") else 0, natural(seen.name)


def _alarms(seen: Seen, lang: Language) -> Iterator[Html]:
    yield from out_of_order(seen, lang)
    alarms = worst_first(seen.alarms.open) if seen.alarms else []
    if not alarms:
        return
    items = []
    for each in alarms:
        name = names.alarm(lang, each)
        key = f"{seen.name}/{each.id}/{each.since}"
        spoken = text(lang, "page.opened", table=seen.name, alarm=name)
        words = [tag("span", name, class_="alarm-name"), " ", hidden(text(lang, "page.since")), " "]
        class_ = f"alarm {'blocks' if each.blocks else each.severity}"
        items.append(tag("li", *words, age(each.since - seen.ahead), class_=class_, data_alarm=key, data_spoken=spoken))
    yield tag("ul", *items, class_="alarms")


def _where(seen: Seen, lang: Language) -> Part:
    """Game, shoe and round."""
    table = seen.table
    if table is None:
        return None
    parts = [game(lang, table.game)]
    if table.phase not in ("empty", "ended"):
        parts.append(f"{text(lang, 'page.shoe')} {seen.shoe}")
        parts.append(f"{text(lang, 'page.round')} {table.round}")
    last = [" ", tag("strong", text(lang, "page.last_round"), class_="last")] if table.last else []
    return tag("p", DOT.join(parts), *last, class_="where")


def _stands(seen: Seen, lang: Language, now: int) -> Part:
    """Phase, due slot, pace and cards left."""
    table = seen.table
    if table is None:
        return None
    return pairs(
        (text(lang, "page.phase"), phase(lang, table)),
        (text(lang, "page.due"), due(table, lang)),
        (text(lang, "page.per_hour"), number(seen.per_hour(now))),
        cut(table, lang),
    )


def _results(seen: Seen, lang: Language) -> Part:
    """The last results, the newest last."""
    outcomes: list[str | None]
    if seen.roads is not None:
        outcomes = [OUTCOMES.get(each, each) for each in seen.roads.outcomes[-RESULTS:]]
    else:
        rounds = reversed(seen.last_rounds(RESULTS))
        outcomes = [each.outcome for each in rounds]
    if not outcomes:
        return None
    chips = [
        tag(
            "li",
            tag("span", names.short(lang, each), aria_hidden="true"),
            hidden(names.outcome(lang, each)),
            class_=f"chip {chip_class(each)}",
        )
        for each in outcomes
    ]
    return joined(hidden(text(lang, "page.results")), tag("ol", *chips, class_="results"))


def _last(seen: Seen, lang: Language) -> Part:
    """The last outcome, with the points of the hands that guests see."""
    over = next(iter(seen.last_rounds(1)), None)
    if over is None or over.outcome is None:
        return None
    shown = {name: hand for name, hand in over.hands.items() if over.shown is None or name in over.shown}
    points = [
        tag(
            "span",
            hidden(", "),
            known(lang, f"hand.{name}") or name,
            " ",
            names.points(lang, hand.points),
            class_="hand-points",
        )
        for name, hand in shown.items()
    ]
    return tag("p", tag("strong", names.outcome(lang, over.outcome)), *points, class_="ended")
