"""The daemon's status for people: one screen, one line, or the first words on the telephone."""

import time
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

from firmware_bridge.cli.daemon_socket import at_the_table
from firmware_bridge.cli.watch.machine import Status, coming_back, failure, lease_words, machine, rules, word
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.printable import escaped
from firmware_bridge.screen.words import brief, offers, shows
from firmware_bridge.topics.texts import Language, known, text
from firmware_bridge.topics.texts.phrases import joined

Standing = Literal["in_order", "goes_on", "calibration", "stopped"]

MODES: Final = ("FULL", "NO_BROKER", "VIRTUAL_CUT", "MANUAL_ENTRY", "OBSERVE")
"""The modes with a sentence of their own in the catalogue, `stands.MODE`."""

OPEN_SHOE: Final = "sudo shoe do open-shoe --by NAME"
ENTER_LOT: Final = "sudo shoe do mark lot SEAT --by NAME"
"""Commands of the acts that a technician may do here."""

ROW: Final = 9
"""Columns of the name of a row, with the gap behind it."""


IN_PLAY: Final = ("betting", "ready", "dealing", "complete")


def screen(status: Status, lang: Language = "en") -> list[str]:
    """Return the lines of one screen; the first has the table's state, alarms come with what to do."""
    rows = (
        ("phase", _phase(status, lang)),
        ("slots", _slots(status) or text(lang, "status.all_empty")),
        *((("bets", words),) if (words := shows(status["table"], lang)) else ()),
        *((("asked", words),) if (words := _asked(status, lang)) else ()),
        ("lamps", _lamps(status, lang)),
        ("cards", _cards(status, lang)),
        ("rounds", "  ".join(_round(each, lang) for each in status["rounds"]) or text(lang, "status.no_round")),
        *machine(status, lang),
    )
    step = next_step(status, lang)
    head = [mode_words(status, lang), _title(status, lang), *([_row("next", step, lang)] if step else [])]
    return list(map(escaped, [*head, *[_row(name, words, lang) for name, words in rows], *_alarms(status, lang)]))


def _row(name: str, words: str, lang: Language) -> str:
    """Return a line with its name; a Chinese sign is two columns wide."""
    shown = text(lang, f"row.{name}")
    wide = 0 if lang == "en" else len(shown)
    return f"  {shown}{' ' * (ROW - len(shown) - wide)}{words}"


def _asked(status: Status, lang: Language) -> str:
    if lang == "en":
        return offers(status["table"])
    from firmware_bridge.topics.texts.acts import Sayer

    return joined(lang, *Sayer(lang).offers(status["table"].get("act") or {}))


def line(status: Status, lang: Language = "en") -> str:
    """Return the part of the status that changes with cards, in one line."""
    blocked = any(alarm["blocks"] for alarm in status["alarm"]["open"])
    parts = [
        text(lang, "status.shoe", shoe=status["shoe"]),
        _phase(status, lang),
        "" if blocked else _dealers_step(status, lang),
        _slots(status),
        text(lang, "status.open", alarms=_named(status["alarm"]["open"], lang)) if status["alarm"]["open"] else "",
        "" if status["broker"]["up"] else text(lang, "status.broker_down"),
    ]
    return escaped("  ".join(part for part in parts if part))


def mode_words(status: Status, lang: Language = "en") -> str:
    """Return the state of the table in words: what stops it comes first, then what is missing."""
    alarms = status["alarm"]["open"]
    if status["disk"]:
        return text(lang, "stands.disk", why=failure(lang, status["disk"]))
    if status["mode"] == "OBSERVE":
        return text(lang, "stands.OBSERVE")
    if lease := status.get("lent"):
        device = known(lang, f"device.{lease['device']}") or lease["device"]
        return text(lang, "stands.lent", to=lease["to"], device=device)
    if back := coming_back(status):
        return text(lang, "stands.coming_back", to=back["to"])
    blocking = [alarm for alarm in alarms if alarm["blocks"]]
    if blocking:
        return text(lang, "stands.blocked", alarms=_named(blocking, lang))
    mode = _mode(status)
    if mode == "FULL" and alarms:
        return text(lang, "stands.alarm" if len(alarms) == 1 else "stands.alarms", count=len(alarms))
    return text(lang, f"stands.{mode}") if mode in MODES else mode


def _named(alarms: Iterable[dict[str, Any]], lang: Language) -> str:
    """Return the alarms by their ids; in Chinese with their names."""
    ids = [alarm["id"] for alarm in alarms]
    if lang == "en":
        return ", ".join(ids)
    return "、".join(f"{known(lang, f'alarm.{id}') or ''} {id}".strip() for id in ids)


def standing(status: Status) -> Standing:
    """Return whether the table is in order, goes on with something missing, or cannot be dealt at."""
    if status["disk"] or status["mode"] == "OBSERVE":
        return "stopped"
    if status.get("lent") or coming_back(status):
        return "calibration"
    if any(alarm["blocks"] for alarm in status["alarm"]["open"]):
        return "stopped"
    return "in_order" if _mode(status) == "FULL" and not status["alarm"]["open"] else "goes_on"


def mode_word(status: Status, lang: Language = "en") -> str:
    """Return the mode, in Chinese in words: a table that cannot be dealt at is never FULL."""
    mode = _mode(status)
    if mode in ("FULL", "NO_BROKER"):
        mode = {"stopped": "STOPPED", "calibration": "CALIBRATION"}.get(standing(status), mode)
    return word(lang, "mode", mode)


def next_step(status: Status, lang: Language = "en") -> str:
    """Return the next thing to do, "" for none; an alarm that stops the table goes first, a note never stands here."""
    if words := lease_words(status, lang):
        return text(lang, "between.value").join(words)
    alarms = sorted(status["alarm"]["open"], key=lambda alarm: not alarm["blocks"])
    if alarms and alarms[0]["blocks"]:
        return _settles(status, alarms[0], lang)
    missing = [alarm for alarm in alarms if alarm["severity"] != "note"]
    return _dealers_step(status, lang, waits=not missing) or (_settles(status, missing[0], lang) if missing else "")


def _mode(status: Status) -> str:
    """Return the daemon's mode with the broker's present state: its alarm comes and goes seconds later."""
    mode = str(status["mode"])
    if mode in ("FULL", "NO_BROKER"):
        return "FULL" if status["broker"]["up"] else "NO_BROKER"
    return mode


def decisions(alarm: dict[str, Any]) -> list[str]:
    """Return the commands that settle an alarm, one for each choice."""
    return [f"sudo shoe do resolve {alarm['id']} {choice} --by NAME" for choice in alarm["choices"]]


def _settles(status: Status, alarm: dict[str, Any], lang: Language) -> str:
    todo = at_the_table(_words(status, alarm, lang)[1])
    return f"{todo.rstrip('。.')}{text(lang, 'status.to_decide')}" if alarm["choices"] else todo


def _words(status: Status, alarm: dict[str, Any], lang: Language) -> tuple[str, str]:
    """Return what happened, and what to do."""
    from firmware_bridge.topics.texts import alarms  # imported here: it brings msgspec

    id, values, policy = alarm["id"], alarm["values"], str(status["table"]["settings"]["policy"])
    return alarms.what(lang, id, values), alarms.todo(lang, id, policy, values)


def _dealers_step(status: Status, lang: Language, waits: bool = True) -> str:
    """Return the acts that are due, in the sentences of the dealer's screen; "" if none is, or all are to wait.

    waits: whether waiting is an act, too.
    """
    import msgspec  # these load when a daemon has answered: without one the command is quick to say so

    from firmware_bridge.facts.wire_states import Lamps, Table
    from firmware_bridge.topics.texts.dealer import guidance

    table = from_json(msgspec.json.encode(status["table"]), Table)
    acts = table.expected
    if any(act.verb == "wait" and act.what == "shoe" for act in acts):
        return text(lang, "status.open_shoe" if table.phase == "empty" else "status.change_shoe", command=OPEN_SHOE)
    if not waits and all(act.verb == "wait" for act in acts):
        return ""
    due = guidance(table, msgspec.convert(status["lamps"], Lamps), lang)
    lot = (
        (text(lang, "status.enter_lot", command=ENTER_LOT),)
        if any(act.verb == "ask" and act.slot == "lot" for act in acts)
        else ()
    )
    return joined(lang, *due, *lot)


def _title(status: Status, lang: Language) -> str:
    table = status["table"]
    settings = table["settings"]
    shoe = text(lang, "status.shoe", shoe=status["shoe"]) if status["shoe"] else text(lang, "status.no_shoe_yet")
    named = text(lang, "status.table", table=status["table_id"])
    return f"{named}  {shoe}  {rules(settings, lang)}  {mode_word(status, lang)}"


def _phase(status: Status, lang: Language) -> str:
    table = status["table"]
    phase = table["phase"] if lang == "en" else known(lang, f"phase.{table['phase']}") or table["phase"]
    if table.get("closed"):
        phase = text(lang, "reason.table_closed")
    parts = [text(lang, "status.round", round=table["round"], phase=phase) if table["phase"] in IN_PLAY else phase]
    if any(alarm["blocks"] for alarm in status["alarm"]["open"]):
        parts.append(text(lang, "status.blocked"))
    if table["last"]:
        parts.append(text(lang, "status.last_round"))
    if table["shoe_change"]:
        parts.append(text(lang, "status.shoe_change"))
    if table["held"]:
        parts.append(text(lang, "status.held", count=table["held"]))
    return text(lang, "between.parts").join(parts)


def _slots(status: Status) -> str:
    hands = status["table"].get("hands")
    if hands:
        return "  ".join(f"{slot} {' '.join(card or '??' for card in cards)}" for slot, cards in hands.items())
    return "  ".join(f"{slot['slot']} {slot.get('card', '??')}" for slot in status["table"]["slots"])


def _lamps(status: Status, lang: Language) -> str:
    rhythms = status["lamps"]["lit"].items()
    lit = text(lang, "between.parts").join(
        f"{lamp} {known(lang, f'rhythm.{rhythm}') or rhythm}" for lamp, rhythm in rhythms
    )
    lit = lit or text(lang, "status.all_dark")
    why = joined(lang, *status["lamps"]["why"])
    return f"{lit}  ({why})" if why else lit


def _cards(status: Status, lang: Language) -> str:
    table = status["table"]
    if table["cards_left"] is None:
        return text(lang, "phase.empty")
    burn = text(lang, "status.to_burn", count=table["burn_left"]) if table["burn_left"] else ""
    return f"{text(lang, 'status.cards_left', count=table['cards_left'])}{burn}"


def _round(result: dict[str, Any], lang: Language) -> str:
    from firmware_bridge.topics.texts import names

    if result["outcome"] is None:
        return text(lang, "status.voided", round=result["round"])
    found = map(brief, result["points"].values())
    points = ":".join(found if lang == "en" else (names.points(lang, each) for each in found))
    outcome = result["outcome"] if lang == "en" else names.outcome(lang, result["outcome"])
    return f"{result['round']} {outcome} {points}{text(lang, 'status.corrected') if result['revision'] else ''}"


def _alarms(status: Status, lang: Language) -> Iterator[str]:
    for alarm in status["alarm"]["open"]:
        since = time.strftime("%H:%M:%S", time.localtime(alarm["since"] / 1000))
        severity = known(lang, f"severity.{alarm['severity']}") or alarm["severity"]
        what, todo = _words(status, alarm, lang)
        yield f"! {alarm['id']} ({text(lang, 'status.since', severity=severity, since=since)}): {what}"
        yield f"    {at_the_table(todo)}"
        for choice, order in zip(alarm["choices"], decisions(alarm), strict=True):
            meaning = "" if lang == "en" else f"   {known(lang, f'choice.{choice}') or ''}".rstrip()
            yield f"      {order}{meaning}"
