"""In a store with pseudonyms nobody is named: messages go in, and the rows of the store come out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.facts.book.endings import REASONS
from firmware_bridge.floor.record.message import row
from firmware_bridge.floor.record.names import Names
from scripts.tools.messages.examples import examples
from tests.floor.house import House
from tests.floor.journals import AT

HIDDEN: Final = Names(b"k" * 32)
MARK: Final = "ANNA-7f3"
SPELLED: Final = (MARK, "\\u0041NNA-7f3", "an\u200bna-7F3", "王 ANNA-7f3", 'ANNA-7f3\\" x', "ANNA-7f3: x: y")
"""A name as JSON may spell it; each has the mark in it, or folds to it."""

FIELDS: Final = {
    *("by", "second", "dealer", "confirmed_by", "dealt_by", "on_behalf_of", "to", "login", "terminal_claimed")
}
"""Fields that name a person in some message, by hand: the types say it in the code."""

NO_NAME: Final = {"sensor", "reader", "virtual"}
"""Who met a cut card: a field `by` that holds no person."""

LOGIN: Final = {"uid": 1000, "login": "", "role": "pit", "terminal_claimed": ""}
LEFT_OUT: Final[dict[str, dict[str, Any]]] = {
    "CommandAnswered": {"on_behalf_of": "", "person": LOGIN, "confirmed": LOGIN},
    "KeyChanged": {"person": LOGIN, "confirmed": LOGIN},
    "RecordEnded": {"person": LOGIN, "confirmed": LOGIN},
    "ReaderLent": {"person": LOGIN},
    "IrregularityClosed": {"by": "", "second": ""},
    "RoundCorrected": {"second": ""},
    "RoundVoided": {"second": ""},
}
"""Type of an event -> fields with people that a message may leave out."""

REFUSED: Final = {
    "reader_lent": {"to": MARK},
    "lent_already": {"device": "reader", "to": MARK},
    "many_answers": {"count": 8, "source": "control", "do": "void", "by": MARK, "why": {"code": "no_round_to_void"}},
    "same_login": {"login": MARK},
    "same_name": {"by": MARK},
    "of_a_later_version": {"by": MARK},
}
"""Code of a refusal -> its values."""

OF_A_THOUSAND: Final = "005d255ee78a13e6f13ed521784ce6fa261ba9951ab5fe61c38414f4dbbfd326"
"""SHA-256 of the pseudonyms of a thousand names, as the version 0.1.0 made them."""

NESTED: Final = {"count": 2, "key": "next", "why": {"code": "reader_lent", "values": {"to": MARK}}}


def marked(value: Any, name: str) -> Any:
    """A message with a name in every field that can hold one."""
    match value:
        case {"id": "zhajinhua_won"}:
            return value  # its `by` says how it was won
        case {"type": str(kind)} if set(missing := LEFT_OUT.get(kind, {})) - set(value):
            return marked({**missing, **value}, name)
        case dict():
            return {key: name if _holds(key, each) else marked(each, name) for key, each in value.items()}
        case list():
            return [marked(each, name) for each in value]
    return value


def _holds(key: str, value: object) -> bool:
    return key in FIELDS and isinstance(value, str) and value not in NO_NAME and not value.startswith("key/")


@cache
def scenes() -> tuple[tuple[str, dict[str, Any]], ...]:
    """Topic and message of every kind, as the scenes of the documents play them."""
    kinds = ((kind.partition(".")[0], payload) for kind, of in examples().items() for payload in of.values())
    return tuple((topic, payload) for topic, payload in kinds if topic in ("event", "round"))


def event(kind: str, **fields: Any) -> dict[str, Any]:
    head = {"v": 1, "table": "T07", "shoe": 3, "journal": "3-5ad1", "seq": 4, "at": AT, "boot": "5c1e", "n": 1, "of": 1}
    return head | {"event": {"type": kind, **fields}}


def variants() -> Iterator[dict[str, Any]]:
    """What may name a person today, or did in 0.1.0, or will in a later version."""
    for code, values in REFUSED.items():
        answer = {"ok": False, "do": "void", "code": code, "values": values}
        yield event("CommandAnswered", answer=answer, by="floor")
        yield event("KeyRefused", key="next", code=code, values=values)
    yield event("CommandAnswered", answer={"ok": False, "code": "many_keys", "values": NESTED}, by="backend")
    yield event("CommandAnswered", answer={"ok": True}, by=MARK, person={"login": MARK, "terminal_claimed": MARK})
    yield event("CommandAnswered", answer={"ok": False, "error": f"8 more, the last one: void by {MARK}: no"}, by="x")
    yield event("Irregular", id="reader_lost", detail=f"lent to {MARK} for calibration", since=1)
    yield event("Irregular", id="reader_lost", values={"count": 3, "to": MARK, "by": MARK}, since=1)
    yield event("Noted", what=f"9 test cards passed while no daemon ran, by {MARK}")
    yield event("Noted", code="test_cards", values={"count": 9, "by": MARK})
    yield event("Noted", code="test_cards_lent", values={"count": 9, "to": MARK})
    yield event("Noted", code="lent", values={"to": MARK})
    yield event("ShoeEnded", why=f"closed by {MARK}", rounds=3)
    yield event("ShoeEnded", code="closed", values={"by": MARK}, why="worn", rounds=3)
    yield event("PersonSeen", by=MARK, where={"second": MARK})
    phrase = {"code": "later", "values": {"by": MARK}}
    for id in ({"id": "later"}, {"id": ""}, {}):
        yield event("RoundVoided", reasons=[{**id, "values": {"by": MARK, "why": phrase}}])
        yield event("Irregular", **id, values={"why": phrase, "login": MARK, "to": MARK}, since=1)
    yield event("RoundCorrected", by=MARK, reasons=[{"id": "floor", "values": {"says": "x", "by": MARK}}])


def stored(path: Path, *sent: tuple[str, str]) -> str:
    """All that a store with pseudonyms has after these messages: its file, as text."""
    house = House(path, names=HIDDEN)
    house.send(*((f"shoe/T07/{topic}", payload.encode("utf-8", "surrogatepass")) for topic, payload in sent))
    assert house.store.count("messages") + house.store.count("quarantine") > 0
    house.store._db.execute("pragma wal_checkpoint(truncate)")
    house.store.close()
    return path.read_bytes().decode("utf-8", "replace")


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")], ids=["as sent", "with blanks"])
def test_no_variant_of_a_name_is_in_the_file(tmp_path: Path, separators: tuple[str, str]) -> None:
    sent = [
        json.dumps(each | {"seq": seq, "event": _turned(each["event"], seq)}, separators=separators)
        for seq, each in enumerate(variants(), 1)
    ]
    text = stored(tmp_path / "floor.db", *(("event", each) for each in sent))
    assert MARK not in text
    assert HIDDEN.pseudonym(MARK) in text


def test_a_reason_of_a_game_stays_as_it_is() -> None:
    """None of their values is a person, whatever its name."""
    reasons = {json.dumps(row) for _, each in scenes() for row in each.get("event", each).get("reasons", ())}
    of_games = [row for row in map(json.loads, sorted(reasons)) if row["id"] not in REASONS]
    assert {"id": "zhajinhua_won", "values": {"seat": "S1", "by": "compare"}} in of_games
    for each in of_games:
        sent = json.dumps(event("RoundClosed", reasons=[each])).encode()
        assert HIDDEN.row(row("event", "T07", sent, AT)).body == sent


def _turned(event: dict[str, Any], seq: int) -> dict[str, Any]:
    """The event with its type first or last."""
    return event if seq % 2 else {**{k: v for k, v in event.items() if k != "type"}, "type": event["type"]}


def sent(name: str) -> list[tuple[str, str]]:
    """Each message of every scene, with this name in it."""
    made = [(topic, json.dumps(marked(each | {"table": "T07"}, MARK), ensure_ascii=False)) for topic, each in scenes()]
    assert sum(each.count(MARK) for _, each in made) > 80
    return [(topic, each.replace(MARK, name)) for topic, each in made]


def test_a_store_has_no_name_of_any_scene(tmp_path: Path) -> None:
    assert MARK not in stored(tmp_path / "floor.db", *sent(MARK))


@pytest.mark.parametrize("name", SPELLED)
def test_no_message_of_any_scene_keeps_a_name_however_it_is_spelled(name: str) -> None:
    for topic, each in sent(name):
        body = HIDDEN.row(row(topic, "T07", each.encode(), AT)).body.decode()
        assert not [found for found in {name, json.loads(f'"{name}"'), MARK} if found in body], body


def test_pseudonyms_of_a_thousand_names_are_those_of_ever() -> None:
    text = "".join(HIDDEN.pseudonym(f"Person {number} 王{chr(0x4E00 + number)}") for number in range(1000))
    assert hashlib.sha256(text.encode()).hexdigest() == OF_A_THOUSAND
