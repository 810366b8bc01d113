"""Keeps the last acts of a table from its events, as published on the topic `event`: no sealed card is in them."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from firmware_bridge.facts import orders
from firmware_bridge.facts.book import orders as book
from firmware_bridge.topics.texts import known, text
from firmware_bridge.topics.texts.acts import Sayer

KEPT: Final = 12
"""Acts kept of a table."""

ACTS: Final = (
    frozenset(["CardDealt", "CardBurned", "CardHeld", "CardOverdrawn", "CardSetAside", "CardEntered", "CardLookedAt"])
    | frozenset(["BetsOpened", "BetsClosed", "MarkGiven", "MarkTakenBack"])
    | frozenset(["RoundClosed", "RoundVoided", "RoundCorrected"])
    | frozenset(
        ["ShoeOpened", "ShoeEnded", "TableClosed", "CutCardMet", "LidTurned", "Irregular", "IrregularityClosed"]
    )
    | frozenset(["BridgeStarted", "DealerSignedIn"])
)
"""Events that are an act, or answer one."""

GOES_ON: Final = ACTS - {"Irregular", "BridgeStarted", "LidTurned", "CutCardMet", "IrregularityClosed"}
"""Events after which a refusal is of the past."""

OF_A_REFUSAL: Final = ("key", "code", "values", "why", "answer", "by")

PARTS: Final = ("type", "slot", "seat", "word", "value", "round", "number", "id", *OF_A_REFUSAL)
"""What is kept of an event: neither cards nor commitments."""

ORDERS: Final = tuple(do for do, row in book.ORDERS.items() if row.is_key)
"""The orders that stand for a key at the table: their refusals are shown."""


class Refused(Struct, frozen=True):
    """A refused key or mark. what: `key`, `mark` or `order`. by: where it came from.

    code, values: of the refusal. error: its English, of a table before codes.

    seat: the one that a mark named, or nothing.
    """

    what: str
    key: str
    by: str
    code: str
    seat: str = ""
    values: Mapping[str, Any] = {}
    error: str = ""

    @property
    def do(self) -> str:
        """The order that was refused, or that the key stands for."""
        return self.key.lower()

    def who(self, sayer: Sayer) -> str:
        """Return the seat of a mark's keypad or key, or the one that it names; people are not named at the table."""
        kind, _, name = self.by.partition(" ")
        own = name.partition(".")[0].removeprefix("S") if kind in ("keypad", "key") else ""
        if (seat := own if own.isdigit() else self.seat).isdigit():
            return sayer.place(f"S{seat}")
        if self.what != "mark":
            return self.key
        return text(sayer.lang, "done.by_pad" if self.by == orders.KEYPAD else "done.by_order")


class Done(Struct, frozen=True):
    """The last acts of a table, the oldest first, and the refusal since the last act; None if there is none."""

    acts: tuple[Mapping[str, Any], ...] = ()
    refused: Refused | None = None

    def in_words(self, sayer: Sayer) -> tuple[str, ...]:
        """Return the acts in words, the newest first."""
        return tuple([words for event in reversed(self.acts) if (words := _words(event, sayer))])


def followed(done: Done, event: Mapping[str, Any]) -> Done:
    """Return the last acts after another event, in the form of the topic `event`."""
    kind, refused = event.get("type"), _refusal(event)
    if kind not in ACTS and refused is None:
        return done
    acts = (*done.acts, {name: event[name] for name in PARTS if name in event})[-KEPT:]
    return Done(acts, None if kind in GOES_ON else refused or done.refused)


def _refusal(event: Mapping[str, Any]) -> Refused | None:
    match event:
        case {"type": "KeyRefused", "key": str(key)}:
            return Refused("key", key.upper(), "", **_why(event, "why"))
        case {"type": "CommandAnswered", "answer": {"ok": False, "do": str(do)} as answer, "by": str(by)}:
            if do in ORDERS:
                seat, what = str(event.get("seat") or ""), "mark" if do == "mark" else "order"
                return Refused(what, do.upper(), by, seat=seat, **_why(answer, "error"))
    return None


def _why(refused: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return code and values of a refusal; name: of the field with its English."""
    english = str(refused.get(name) or "")
    return {"code": str(refused.get("code") or english), "values": refused.get("values") or {}, "error": english}


def _words(event: Mapping[str, Any], sayer: Sayer) -> str:
    lang, kind = sayer.lang, str(event.get("type"))
    if (refused := _refusal(event)) is not None:
        return text(lang, "done.refused", who=refused.who(sayer))
    slot, seat = event.get("slot"), str(event.get("seat") or "")
    id = str(event.get("id"))
    values = {
        "hand": sayer.place(str(slot)) if slot else sayer.place(f"S{seat}" if seat.isdigit() else "lot"),
        "mark": sayer.mark(str(event.get("word")), event.get("value")),
        "round": event.get("round"),
        "number": event.get("number"),
        "alarm": known(lang, f"alarm.{id}") or id,
    }
    return text(lang, f"done.{kind}", **values)
