"""The daemon's status as people read it: one screen, or one line."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from firmware_bridge.cli.do import at_the_table
from firmware_bridge.cli.watch.words import Status, decisions, far, mode_words, next_step
from firmware_bridge.facts.printable import escaped
from firmware_bridge.screen.words import asked

__all__ = ["Status", "line", "machine", "screen"]

IN_PLAY: Final = ("betting", "ready", "dealing", "complete")
"""Phases that belong to a round."""


RHYTHMS: Final = {
    "confirm": "slow blink (confirm)",
    "candidate": "quick blink (the lot may fall here)",
    "blocked": "fast blink (blocked)",
    "double": "double flash",
}
"""Rhythms of lamps in words; `steady` needs none."""


def screen(status: Status) -> list[str]:
    """The lines of one screen; the first says how the table stands, alarms come with what to do."""
    rows = (
        ("phase", _phase(status)),
        ("slots", _slots(status) or "none filled"),
        *((("asked", words),) if (words := asked(status["table"])) else ()),
        ("lamps", _lamps(status)),
        ("cards", _cards(status)),
        ("rounds", _rounds(status)),
        *machine(status),
    )
    step = next_step(status)
    head = [mode_words(status), _title(status), *([f"  {'next':<9}{step}"] if step else [])]
    return list(map(escaped, [*head, *[f"  {name:<9}{text}" for name, text in rows], *_alarms(status)]))


def machine(status: Status) -> tuple[tuple[str, str], ...]:
    """What there is to say of broker, reader, journal and software: name and words."""
    software = f"version {status['version']}, build {status.get('build', 'unknown')}"
    return (
        ("broker", _broker(status)),
        *((("store", far(told)),) if (told := status["broker"].get("store")) else ()),
        ("reader", _reader(status)),
        ("journal", _journal(status)),
        ("software", software),
    )


def line(status: Status) -> str:
    """The part of the status that changes while cards come, in one line."""
    parts = [
        f"shoe {status['shoe']}",
        _phase(status),
        _slots(status),
        f"open: {', '.join(each['id'] for each in status['alarm']['open'])}" if status["alarm"]["open"] else "",
        "" if status["broker"]["up"] else "broker down",
    ]
    return escaped("  ".join(part for part in parts if part))


def _title(status: Status) -> str:
    table = status["table"]
    settings = table["settings"]
    shoe = f"shoe {status['shoe']}" if status["shoe"] else "no shoe yet"
    rules = ", ".join((settings["game"], *_way(settings["terms"]), f"{settings['decks']} decks"))
    return f"table {status['table_id']}  {shoe}  {rules}  {status['mode']}"


def _way(terms: dict[str, Any]) -> Iterator[str]:
    """How the game is dealt, where its settings name a procedure."""
    if "procedure" in terms:
        yield terms["procedure"]


def _phase(status: Status) -> str:
    table = status["table"]
    parts = [f"round {table['round']} {table['phase']}" if table["phase"] in IN_PLAY else table["phase"]]
    if any(alarm["blocks"] for alarm in status["alarm"]["open"]):
        parts.append("BLOCKED")
    elif table["due"]:
        parts.append(f"{table['due']} is due")
    if table["last"]:
        parts.append("the last round")
    if table["shoe_change"]:
        parts.append("change the shoe")
    if table["held"]:
        parts.append(f"{table['held']} held")
    return ", ".join(parts)


def _slots(status: Status) -> str:
    hands = status["table"].get("hands")
    if hands:
        return "  ".join(f"{slot} {' '.join(card or '??' for card in cards)}" for slot, cards in hands.items())
    return "  ".join(f"{slot['slot']} {slot.get('card', '??')}" for slot in status["table"]["slots"])


def _lamps(status: Status) -> str:
    lit = ", ".join(f"{lamp} {RHYTHMS.get(rhythm, rhythm)}" for lamp, rhythm in status["lamps"]["lit"].items())
    lit = lit or "all dark"
    why = "; ".join(status["lamps"]["why"])
    return f"{lit}  ({why})" if why else lit


def _cards(status: Status) -> str:
    table = status["table"]
    if table["cards_left"] is None:
        return "no shoe is open"
    burn = f", {table['burn_left']} still to burn" if table["burn_left"] else ""
    return f"{table['cards_left']} left{burn}"


def _rounds(status: Status) -> str:
    return "  ".join(map(_round, status["rounds"])) or "none in this shoe"


def _round(told: dict[str, Any]) -> str:
    if told["outcome"] is None:
        return f"{told['round']} void"
    points = ":".join(each.split()[-1] for each in told["points"].values())
    return f"{told['round']} {told['outcome']} {points}{' corrected' if told['revision'] else ''}"


def _broker(status: Status) -> str:
    broker = status["broker"]
    if broker["up"] and broker.get("shared"):
        return f"connected, but {broker['shared']}; {_waiting(status)}"
    if broker["up"]:
        return f"connected (MQTT {broker['protocol']}), {_waiting(status)}"
    return f"NOT CONNECTED: {broker['why_down']}; {_waiting(status)}"


def _waiting(status: Status) -> str:
    """How much the broker has not acknowledged yet."""
    acked, seq = status["broker"]["acked"], status["seq"]
    if not status["broker"]["waiting"]:
        return "nothing waits"
    if acked and acked[0] == status["journal"]:
        return f"{seq - acked[1]} entries wait"
    return f"all since {acked[0]} entry {acked[1]} waits" if acked else "everything waits"


def _reader(status: Status) -> str:
    reader = status["reader"]
    state = "not open" if not reader["open"] else "open, but SILENT" if reader["lost"] else "open"
    lent = f", the {status['lent']['device']} lent to {status['lent']['to']}" if status.get("lent") else ""
    return f"{reader['protocol']} at {reader['port']}, {state}{lent}"


def _journal(status: Status) -> str:
    place = f"{status['journal']} entry {status['seq']}" if status["journal"] else "none"
    return f"{place}; STOPPED: {status['disk']}" if status["disk"] else place


def _alarms(status: Status) -> Iterator[str]:
    for alarm in status["alarm"]["open"]:
        since = time.strftime("%H:%M:%S", time.localtime(alarm["since"] / 1000))
        yield f"! {alarm['id']} ({alarm['severity']}, since {since}): {alarm['detail']}"
        yield f"    {at_the_table(alarm['todo'])}"
        yield from (f"      {order}" for order in decisions(alarm))
