"""An entry of the journal in words: a line for each event, times as this machine's clock tells them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from firmware_bridge.facts.printable import escaped
from firmware_bridge.games import GAMES
from firmware_bridge.journal.line import Public
from firmware_bridge.screen.words import headline, named, remarks

LENGTHY: Final = ("type", "policy", "house", "digest", "settings")
"""Fields that people are not shown (`--json` has them)."""

MOMENTS: Final = ("since",)
"""Fields that are milliseconds since 1970."""

_DIGITS: Final = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{20,}\b")
"""Commitments and nonces, of which people are shown the beginning."""

_encode = msgspec.json.Encoder().encode


def lines_of(public: Public) -> list[str]:
    """A line for each event, the first with number and time; nothing in them moves the cursor of a terminal."""
    head = f"{public.seq:>5}  {local(datetime.fromisoformat(public.at))}"
    heads = [head] + [" " * len(head)] * (len(public.events) - 1)
    events = [msgspec.json.decode(raw) for raw in public.events]
    return [escaped(f"{head}  {event['type']:<18} {_words(event)}") for head, event in zip(heads, events, strict=True)]


def local(moment: datetime) -> str:
    """A moment by the clock of this machine, with its distance from UTC."""
    here = moment.astimezone()
    return f"{here:%Y-%m-%d %H:%M:%S}.{here.microsecond // 1000:03} {here:%z}"


def _words(event: dict[str, Any]) -> str:
    if event["type"] in ("RoundClosed", "RoundCorrected"):
        return "  ".join(_result(event))
    if event["type"] == "RoundVoided":
        return f"round {event['round']}  VOID by {event['by']}: {'; '.join(event['why'])}"
    told = {name: value for name, value in event.items() if name not in LENGTHY and value not in (None, "", [], {})}
    return _DIGITS.sub(r"\1..", "  ".join(f"{name} {_value(name, value)}" for name, value in told.items()))


def _value(name: str, value: Any) -> str:
    if name in MOMENTS and isinstance(value, int):
        return local(datetime.fromtimestamp(value / 1000, UTC))
    return value if isinstance(value, str) else _encode(value).decode()


def _result(event: dict[str, Any]) -> Iterator[str]:
    """Round, outcome with the points, hands, and what else people say of it; `--json` has every bet."""
    yield f"round {event['round']}"
    yield headline(event)
    for name, hand in named(event["hands"]).items():
        yield f"{name} {' '.join(hand['cards'])}"
    if revision := event["revision"]:
        yield f"corrected by {event['by']} (revision {revision} of entry {event['corrects']})"
    flags = [flag for flag in event["flags"] if flag != "corrected"]
    game = GAMES.get(event["game"])
    if game and (said := remarks(game, event | event["own"] | {"flags": flags})):
        yield ", ".join(said)
