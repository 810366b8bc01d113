"""What a table needs, and the words for how it stands: for its place on the wall and for its own page."""

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from firmware_bridge.facts.wire_states import Alarm, Table
from firmware_bridge.floor.latest import milliseconds
from firmware_bridge.floor.page.markup import DOT, Html, Part, macro, number
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.floor.page.taken import SILENCE, AlarmKey
from firmware_bridge.games import GAMES
from firmware_bridge.topics.texts import Language, known, names, text

SILENT_MS: Final = 90_000
"""Age of the health, sent every 30 s, after which the table counts as silent."""

DIGITS: Final = 18
"""Most digits of a number in a name to sort by its value."""

Word = Literal["blocked", "silent", "critical", "alarm", "playing", "no_shoe", "closed"]

TROUBLE: Final[tuple[Word, ...]] = ("blocked", "silent", "critical", "alarm")
"""What is wrong with a table, the most urgent first."""

SEVERITIES: Final = ("critical", "warning", "note")
"""The worst first; one that is not known is taken for the worst."""


class Trouble(NamedTuple):
    """The most urgent need of a table. silent: why its state may be old, "" if it is not."""

    word: Word
    silent: Literal["", "lost", "stopped", "old", "never"] = ""


def trouble(seen: Seen, now: int, *, incidents: int = 0) -> Trouble:
    """Return the need of a table at a time (ms since 1970). incidents: open ones of its record.

    One that was stopped in order, or closed by an order and heard since, is closed, unless it is blocked or its record
    has incidents.
    """
    silent = _silence(seen, now)
    is_closed = silent == "stopped" or (not silent and seen.table is not None and seen.table.closed)
    alarms = seen.alarms.open if seen.alarms else ()
    if any(each.blocks for each in alarms) or (_is_out_of_order(seen) and silent != "stopped"):
        return Trouble("blocked", silent)
    if is_closed:
        return Trouble("alarm" if incidents else "closed", silent)
    if silent:
        return Trouble("silent", silent)
    if any(_rank(each) == 0 for each in alarms):
        return Trouble("critical")
    if any(each.severity != "note" for each in alarms) or seen.unreadable or incidents:
        return Trouble("alarm")
    if seen.table is None or not is_in_use(seen.table):
        return Trouble("no_shoe")
    return Trouble("playing")


def worst_first(alarms: tuple[Alarm, ...]) -> list[Alarm]:
    """Return the alarms: those that block first, then by severity, then the oldest first."""
    return sorted(alarms, key=lambda each: (not each.blocks, _rank(each), each.since))


def silence_key(seen: Seen) -> AlarmKey:
    """Return what stands for an alarm of a table that is silent: it is another one once its health came again."""
    last = seen.messages.get("health")
    return AlarmKey(SILENCE, (milliseconds(last.head.at) or 0) if last else 0)


def is_in_use(table: Table) -> bool:
    """Return whether a shoe is open; in games with packs of one round always, as the next pack opens by itself."""
    game = GAMES.get(table.game)
    return table.phase not in ("empty", "ended") or bool(game and game.play.one_round_packs)


@lru_cache(10_000)
def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Return the sort key for natural order: T2 before T10."""
    return tuple(
        (int(part), "") if part.isascii() and part.isdigit() and len(part) <= DIGITS else (-1, part)
        for part in re.split(r"([0-9]+)", name)
        if part
    )


def out_of_order(seen: Seen, lang: Language) -> list[str]:
    """Return why a table is out of order, beside its alarms."""
    modes = {"OBSERVE": "page.observing", "NO_JOURNAL": "page.no_journal"}
    wrong = [text(lang, modes[seen.status.mode])] if seen.status and seen.status.mode in modes else []
    if seen.unreadable:
        wrong.append(text(lang, "page.unreadable", topics=", ".join(sorted(seen.unreadable))))
    return wrong


def where(seen: Seen, lang: Language) -> str:
    """Return game, shoe and round; "" of a table that is not known."""
    table = seen.table
    if table is None:
        return ""
    parts = [game(lang, table.game)]
    if table.phase not in ("empty", "ended"):
        parts += [f"{text(lang, 'page.shoe')} {seen.shoe}", f"{text(lang, 'page.round')} {table.round}"]
    return DOT.join(parts)


def due(table: Table, lang: Language) -> Html | None:
    """Return the slot of the card that is drawn next, or the seats that must act; None without either."""
    asked: list[str] = []
    for act in table.expected:
        if act.verb == "draw" and act.slot == "burn":
            return _slots([], text(lang, "place.burn"))
        if act.verb == "draw":
            return _slots([act.hand or act.slot], names.slot(lang, act.hand or act.slot))
        if act.verb == "ask":
            asked += act.slots or (act.hand or act.slot,)
    return _slots([name for name in asked if name], text(lang, "page.acts")) if any(asked) else None


def _slots(slots: list[str], words: str) -> Html:
    return macro("markup.html", "slots")(slots, words)


def game(lang: Language, name: str) -> str:
    """Return the name of a game."""
    return known(lang, f"game.{name}") or name


def phase(lang: Language, table: Table) -> str:
    """Return the phase of a table, in words."""
    if table.phase in ("empty", "ended") and is_in_use(table):
        return text(lang, "phase.between")
    return known(lang, f"phase.{table.phase}") or table.phase


def cut(table: Table, lang: Language) -> tuple[str, Part]:
    """Return cards to the cut, or without a virtual cut those in the shoe, with their label."""
    if table.cards_left is None:
        return text(lang, "page.cards_left"), None
    if table.last:
        return text(lang, "page.cards_to_cut"), text(lang, "page.cut_out")
    limit = table.settings.virtual_cut
    if limit is None:
        return text(lang, "page.cards_left"), number(table.cards_left)
    return text(lang, "page.cards_to_cut"), number(max(table.cards_left - limit, 0))


def chip_class(outcome: str | None) -> str:
    """Return the CSS class for the colour of a result: house red, players blue, tie green."""
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
    """Return whether the daemon cannot guide the dealer because of its mode."""
    return bool(seen.status and seen.status.mode in ("NO_JOURNAL", "OBSERVE"))


def _rank(alarm: Alarm) -> int:
    return SEVERITIES.index(alarm.severity) if alarm.severity in SEVERITIES else 0
