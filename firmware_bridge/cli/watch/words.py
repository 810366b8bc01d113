"""How a table stands, in the words one says first to a technician at the telephone."""

from __future__ import annotations

import time
from typing import Any, Final

from firmware_bridge.cli.do import at_the_table

Status = dict[str, Any]

MODES: Final = {
    "FULL": "IN ORDER: every card is checked and every round published",
    "NO_BROKER": "PLAY GOES ON, rounds are kept here: the broker cannot be reached",
    "VIRTUAL_CUT": "PLAY GOES ON, the cut card is counted: its sensor did not see it",
    "MANUAL_ENTRY": "PLAY GOES ON, with a card that two people entered by hand",
    "OBSERVE": "OBSERVING ONLY, lamps are dark: one input crashed this version again and again",
}


def mode_words(status: Status) -> str:
    """How the table stands, in words: whatever stops it comes first, then whatever it lacks."""
    alarms = status["alarm"]["open"]
    if status["disk"]:
        return f"STOPPED: {status['disk']}"
    if status["mode"] == "OBSERVE":
        return MODES["OBSERVE"]
    if status.get("lent"):
        return f"CALIBRATION: {status['lent']['to']} has the {status['lent']['device']}, no card is taken"
    if back := _coming_back(status):
        return f"CALIBRATION is over: the reader is coming back from {back['to']}, a few seconds"
    blocking = [alarm["id"] for alarm in alarms if alarm["blocks"]]
    if blocking:
        return f"STOPPED until settled: {', '.join(blocking)}"
    mode = _mode(status)
    if mode == "FULL" and alarms:
        return f"PLAY GOES ON, with {len(alarms)} alarm{'s' if len(alarms) > 1 else ''} open"
    return MODES.get(mode, mode)


def _mode(status: Status) -> str:
    """The daemon's mode, with the broker as it is this moment: its alarm comes and goes seconds later."""
    mode = str(status["mode"])
    if mode in ("FULL", "NO_BROKER"):
        return "FULL" if status["broker"]["up"] else "NO_BROKER"
    return mode


def next_step(status: Status) -> str:
    """The one thing to do now, nothing where the table waits for nobody; an alarm that stops it goes first."""
    if words := lending_words(status):
        return ": ".join(words)
    alarms = sorted(status["alarm"]["open"], key=lambda alarm: not alarm["blocks"])
    if alarms and alarms[0]["blocks"]:
        return _settles(alarms[0])
    return _dealers_step(status["table"]) or (_settles(alarms[0]) if alarms else "")


def decisions(alarm: dict[str, Any]) -> list[str]:
    """The orders that settle an alarm, one for each choice, as they are typed."""
    return [f"sudo shoe do resolve {alarm['id']} {choice} --by NAME" for choice in alarm["choices"]]


def _settles(alarm: dict[str, Any]) -> str:
    to_decide = "; to decide it, give one of the orders below" if alarm["choices"] else ""
    return f"{at_the_table(alarm['todo'])}{to_decide}"


def _dealers_step(table: dict[str, Any]) -> str:
    """What the dealer does next with this table, nothing where it waits for bets or for the result."""
    if act := table.get("act"):
        return TELL_THE_LOT if "lot" in act else f"the seats are asked: {', '.join(act)}"
    if table["phase"] == "ended" and not table["shoe_change"]:
        return "the next pack opens by itself, when the bets are closed"
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


TELL_THE_LOT: Final = "draw the lot, and tell whom it fell on: sudo shoe do mark lot SEAT --by NAME"

_KEYS: Final = {"complete": "the round is complete: press NEXT", "dealing": "open the cards: press REVEAL"}
"""The key to press where no card is due."""


def _coming_back(status: Status) -> dict[str, Any] | None:
    """Who has the reader no more and has not given it back yet; None for one that is gone altogether."""
    back: dict[str, Any] | None = status.get("returning")
    return back if back and (back["pid"] or status["reader"]["open"]) else None


def lending_words(status: Status) -> tuple[str, str] | None:
    """The borrower of a device, or the one it is coming back from, and what to do; None where nothing is lent."""
    if lent := status.get("lent"):
        since = time.strftime("%H:%M:%S", time.localtime(lent["since"] / 1000))
        return f"lent to {lent['to']} for calibration since {since}", "wait, or sudo shoe do take-back --by NAME"
    if back := _coming_back(status):
        remedy = f"sudo kill -9 {back['pid']}" if back["pid"] else "check its power and cable"
        return f"coming back from {back['to']}'s calibration, a few seconds", f"wait; if it stays away: {remedy}"
    return None


def far(store: dict[str, Any]) -> str:
    """How far the store is, of what the link tells of it."""
    stored, sent = store["stored"], store["sent"]
    has = f"has entry {stored[1]} of {stored[0]}" if stored else "has nothing"
    if not store["behind"]:
        has = "has everything"
    elif sent:
        has += f", sent is entry {sent[1]} of {sent[0]}"
    why = f"; {store['refused']} messages did not count, the last one: {store['why_refused']}"
    return f"{store['name']} {has}{why if store['refused'] else ''}"
