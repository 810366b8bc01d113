"""The daemon's status for people: one screen, one line, or the first words on the telephone."""

import time
from collections.abc import Iterator
from typing import Any, Final

from firmware_bridge.cli.daemon_socket import at_the_table
from firmware_bridge.facts.printable import escaped
from firmware_bridge.screen.words import asked, counted

Status = dict[str, Any]

MODES: Final = {
    "FULL": "IN ORDER: every card is checked and every round published",
    "NO_BROKER": "PLAY GOES ON, rounds are kept here: the broker cannot be reached",
    "VIRTUAL_CUT": "PLAY GOES ON, the cut card is counted: its sensor did not see it",
    "MANUAL_ENTRY": "PLAY GOES ON, with a card that two people entered by hand",
    "OBSERVE": "OBSERVING ONLY, no slot is lit: the same input crashed this version repeatedly",
}

DRAW_THE_LOT: Final = "draw a seat, then enter it: sudo shoe do mark lot SEAT --by NAME"

_KEYS: Final = {"complete": "the round is complete: press NEXT", "dealing": "open the cards: press REVEAL"}
"""Phase -> the key to press when no card is due."""

IN_PLAY: Final = ("betting", "ready", "dealing", "complete")
RHYTHMS: Final = {
    "confirm": "slow blink (confirm)",
    "candidate": "quick blink (may be drawn)",
    "quick": "quick blink (turn it, or it lost)",
    "blocked": "fast blink (blocked)",
    "double": "double flash",
    "triple": "triple flash",
    "quadruple": "four flashes",
}
"""Rhythms of lamps as text; `steady` needs none."""


def screen(status: Status) -> list[str]:
    """Lines of one screen; the first has the table's state, alarms come with what to do."""
    rows = (
        ("phase", _phase(status)),
        ("slots", _slots(status) or "all empty"),
        *((("asked", words),) if (words := asked(status["table"])) else ()),
        ("lamps", _lamps(status)),
        ("cards", _cards(status)),
        ("rounds", "  ".join(map(_round, status["rounds"])) or "none in this shoe"),
        *machine(status),
    )
    step = next_step(status)
    head = [mode_words(status), _title(status), *([f"  {'next':<9}{step}"] if step else [])]
    return list(map(escaped, [*head, *[f"  {name:<9}{text}" for name, text in rows], *_alarms(status)]))


def machine(status: Status) -> tuple[tuple[str, str], ...]:
    """Name and text for broker, store, reader, journal and software."""
    software = f"version {status['version']}, build {status.get('build', 'unknown')}"
    return (
        ("broker", _broker(status)),
        *((("store", far(store)),) if (store := status["broker"].get("store")) else ()),
        ("reader", _reader(status)),
        ("journal", _journal(status)),
        ("software", software),
    )


def line(status: Status) -> str:
    """The part of the status that changes with cards, in one line."""
    parts = [
        f"shoe {status['shoe']}",
        _phase(status),
        _slots(status),
        f"open: {', '.join(each['id'] for each in status['alarm']['open'])}" if status["alarm"]["open"] else "",
        "" if status["broker"]["up"] else "broker down",
    ]
    return escaped("  ".join(part for part in parts if part))


def mode_words(status: Status) -> str:
    """State of the table in words: what stops it comes first, then what is missing."""
    alarms = status["alarm"]["open"]
    if status["disk"]:
        return f"STOPPED: {status['disk']}"
    if status["mode"] == "OBSERVE":
        return MODES["OBSERVE"]
    if status.get("lent"):
        return f"CALIBRATION: {status['lent']['to']} has the {status['lent']['device']}, cards are not read"
    if back := _coming_back(status):
        return f"CALIBRATION is over: the reader is coming back from {back['to']}, a few seconds"
    blocking = [alarm["id"] for alarm in alarms if alarm["blocks"]]
    if blocking:
        return f"STOPPED until settled: {', '.join(blocking)}"
    mode = _mode(status)
    if mode == "FULL" and alarms:
        return f"PLAY GOES ON, with {len(alarms)} alarm{'s' if len(alarms) > 1 else ''} open"
    return MODES.get(mode, mode)


def next_step(status: Status) -> str:
    """The next thing to do, "" if there is none; an alarm that stops the table goes first."""
    if words := lease_words(status):
        return ": ".join(words)
    alarms = sorted(status["alarm"]["open"], key=lambda alarm: not alarm["blocks"])
    if alarms and alarms[0]["blocks"]:
        return _settles(alarms[0])
    return _dealers_step(status["table"]) or (_settles(alarms[0]) if alarms else "")


def _mode(status: Status) -> str:
    """The daemon's mode with the broker's present state: its alarm comes and goes seconds later."""
    mode = str(status["mode"])
    if mode in ("FULL", "NO_BROKER"):
        return "FULL" if status["broker"]["up"] else "NO_BROKER"
    return mode


def decisions(alarm: dict[str, Any]) -> list[str]:
    """Commands that settle an alarm, one for each choice."""
    return [f"sudo shoe do resolve {alarm['id']} {choice} --by NAME" for choice in alarm["choices"]]


def _settles(alarm: dict[str, Any]) -> str:
    to_decide = "; to decide, use one of the commands below" if alarm["choices"] else ""
    return f"{at_the_table(alarm['todo'])}{to_decide}"


def _dealers_step(table: dict[str, Any]) -> str:
    """The dealer's next step; "" while the table waits for bets or the result."""
    if act := table.get("act"):
        return DRAW_THE_LOT if "lot" in act else f"waiting for {', '.join(act)} to act"
    if table["phase"] == "ended" and not table["shoe_change"]:
        return "the next pack opens by itself when the bets are closed"
    if table["phase"] == "empty":
        return "open a shoe: sudo shoe do open-shoe --by NAME"
    if table["phase"] == "ended":
        return "change the shoe, then open it: sudo shoe do open-shoe --by NAME"
    if table["phase"] == "burning":
        left = table["burn_left"]
        return "burn: expose the first card" if left is None else f"burn: {left} more"
    if table["shoe_change"] and table["phase"] in ("betting", "ready"):
        return "change the shoe"
    if table["due"]:
        return f"the dealer gives {table['due']} its card"
    return _KEYS.get(table["phase"], "")


def _coming_back(status: Status) -> dict[str, Any] | None:
    """The last borrower while the reader is on its way back; None if it is gone for good."""
    back: dict[str, Any] | None = status.get("returning")
    return back if back and (back["pid"] or status["reader"]["open"]) else None


def lease_words(status: Status) -> tuple[str, str] | None:
    """Text and remedy for a leased device or one coming back; None if nothing is leased."""
    if lease := status.get("lent"):
        since = time.strftime("%H:%M:%S", time.localtime(lease["since"] / 1000))
        return f"in use by {lease['to']} for calibration since {since}", "wait, or sudo shoe do take-back --by NAME"
    if back := _coming_back(status):
        remedy = f"sudo kill -9 {back['pid']}" if back["pid"] else "check its power and cable"
        return (
            f"coming back from {back['to']}'s calibration, a few seconds",
            f"wait; if it does not come back: {remedy}",
        )
    return None


def far(store: dict[str, Any]) -> str:
    """Progress of the store, as reported by the link."""
    stored, sent = store["stored"], store["sent"]
    has = f"has entry {stored[1]} of {stored[0]}" if stored else "has nothing"
    if not store["behind"]:
        has = "has everything"
    elif sent:
        has += f", sent up to entry {sent[1]} of {sent[0]}"
    why = f"; {store['refused']} messages were ignored, the last because {store['why_refused']}"
    return f"{store['name']} {has}{why if store['refused'] else ''}"


def _title(status: Status) -> str:
    table = status["table"]
    settings = table["settings"]
    shoe = f"shoe {status['shoe']}" if status["shoe"] else "no shoe yet"
    return f"table {status['table_id']}  {shoe}  {rules(settings)}  {status['mode']}"


def rules(settings: dict[str, Any]) -> str:
    """Game, procedure if it has several, and decks."""
    procedure = (settings["terms"]["procedure"],) if "procedure" in settings["terms"] else ()
    return ", ".join((settings["game"], *procedure, f"{settings['decks']} decks"))


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


def _round(result: dict[str, Any]) -> str:
    if result["outcome"] is None:
        return f"{result['round']} void"
    points = ":".join(each.split()[-1] for each in result["points"].values())
    return f"{result['round']} {result['outcome']} {points}{' corrected' if result['revision'] else ''}"


def _broker(status: Status) -> str:
    broker = status["broker"]
    if broker["up"] and broker.get("shared"):
        return f"connected, but {broker['shared']}; {_waiting(status)}"
    if broker["up"]:
        return f"connected (MQTT {broker['protocol']}), {_waiting(status)}"
    return f"NOT CONNECTED: {broker['why_down']}; {_waiting(status)}"


def _waiting(status: Status) -> str:
    """Entries not yet acknowledged by the broker."""
    acked, seq = status["broker"]["acked"], status["seq"]
    if not status["broker"]["waiting"]:
        return "nothing waiting"
    if acked and acked[0] == status["journal"]:
        return f"{counted(seq - acked[1], 'entry', 'entries')} waiting"
    return f"everything after entry {acked[1]} of {acked[0]} waiting" if acked else "everything waiting"


def _reader(status: Status) -> str:
    reader = status["reader"]
    state = "not open" if not reader["open"] else "open, but SILENT" if reader["lost"] else "open"
    lease = (
        f", {status['lent']['device']} in use by {status['lent']['to']} for calibration" if status.get("lent") else ""
    )
    return f"{reader['protocol']} at {reader['port']}, {state}{lease}"


def _journal(status: Status) -> str:
    place = f"{status['journal']} entry {status['seq']}" if status["journal"] else "none"
    return f"{place}; STOPPED: {status['disk']}" if status["disk"] else place


def _alarms(status: Status) -> Iterator[str]:
    for alarm in status["alarm"]["open"]:
        since = time.strftime("%H:%M:%S", time.localtime(alarm["since"] / 1000))
        yield f"! {alarm['id']} ({alarm['severity']}, since {since}): {alarm['detail']}"
        yield f"    {at_the_table(alarm['todo'])}"
        yield from (f"      {order}" for order in decisions(alarm))
