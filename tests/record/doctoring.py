"""What a cheat may do to the export of a table: to its tail, entries, files, keys, notes and quorum."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from firmware_bridge.facts import orders
from firmware_bridge.record import verify as v
from tests.record import test_doctored as doctored
from tests.record import test_unshown as unshown
from tests.record.exports import (
    KEYS,
    ORIGIN,
    SignedRecord,
    cosigned,
    device,
    note_of,
    policy_text,
    rewritten,
    sealed_line,
)
from tests.record.test_doctored import FIRST_KEY, THIEF, Given

OTHER: Final = device("other.invalid/1/2")
OF_OTHER: Final = device("shoe.invalid/20000000c0ffee02/00000001", bytes(31) + b"\x21")


def played(folder: Path, *, is_open: bool) -> Given:
    """A table with two shoes: a round, then two; in play, or with its second shoe ended."""
    record = SignedRecord(folder / "journal")
    record.begin()
    record.play(1).open_shoe()
    record.play(2)
    if is_open:
        record.deal("9s8s")
    else:
        record.order(orders.CloseShoe())
    record.close()
    files = record.exports()
    return Given(files, policy_text(FIRST_KEY.key), {"w.note": cosigned(note_of(files[2]), ("w1", "w2"))})


# ---------------------------------------------------------------------------------------------------------- the tail


def with_tail(given: Given, cards: Sequence[bytes] = (), **changes: Any) -> Given:
    """A card behind the last line, dealt in the round after the last one; anybody can write it.

    cards: lines to copy one from, other than those given. changes: to it.
    """
    lines = [v.parse_line(line) for line in cards or [line for file in given.files for line in file]]
    last = v.parse_line(given.files[-1][-1])
    card = next(line for line in lines if [event["type"] for _, event in line.events] == ["CardDealt"])
    event = {**card.events[0][1], "round": changes.pop("round", 3), "type": changes.pop("type", "CardDealt")}
    about = {"v": 1, "table": last.table, "shoe": last.shoe, "journal": last.journal, "seq": last.seq + 1}
    public = json.dumps(
        {**about, "at": last.at, "boot": last.boot, **changes, "events": [event]}, separators=(",", ":")
    )
    head = sha256((last.head + card.sealed + public).encode()).hexdigest()
    line = sealed_line(head.encode(), public.encode(), card.sealed.encode(), b"")
    return given._replace(files=[*given.files[:-1], [*given.files[-1], line]])


def tail(**changes: Any) -> Callable[[Given], Given]:
    return lambda given: with_tail(given, **changes)


def the_last_checkpoint_is_taken_off(given: Given) -> Given:
    *files, last = given.files
    bare = unshown.forged(last[-1], bytes)
    older = cosigned(note_of(last, 1), ("w1", "w2"))
    return given._replace(files=[*files, [*last[:-1], bare]], notes={"w.note": older})


# ------------------------------------------------------------------------------------------------- entries and files


def without(file: int, line: int) -> Callable[[Given], Given]:
    """An entry is left out, and all behind it made to fit."""

    def change(given: Given) -> Given:
        files = [list(each) for each in given.files]
        del files[file][line]
        return given._replace(files=rewritten(files, doctored.as_it_is))

    return change


def in_order(*numbers: int) -> Callable[[Given], Given]:
    """These files alone, in this order."""
    return lambda given: given._replace(files=[given.files[number] for number in numbers])


def cut_in_a_line(given: Given) -> Given:
    return given._replace(files=[*given.files[:-1], [*given.files[-1][:-1], given.files[-1][-1][:50]]])


def shorter(by: int, *, notes: bool) -> Callable[[Given], Given]:
    """The newest lines are held back."""

    def change(given: Given) -> Given:
        files = [*given.files[:-1], given.files[-1][:-by]]
        return given._replace(files=files, notes=given.notes if notes else {})

    return change


def re_originated(_: int, public: bytes) -> bytes:
    return public.replace(FIRST_KEY.key.vkey.encode(), OF_OTHER.key.vkey.encode()).replace(
        ORIGIN.encode(), OF_OTHER.key.name.encode()
    )


def another_table(given: Given) -> list[list[bytes]]:
    """What another table of the house signed, by its own key."""
    return rewritten(given.files, re_originated, {OF_OTHER.key.name: [OF_OTHER]})


def another_tables_export(given: Given) -> Given:
    return given._replace(files=another_table(given))


def another_tables_export_and_key(given: Given) -> Given:
    return given._replace(files=another_table(given), policy=policy_text(FIRST_KEY.key, OF_OTHER.key))


def another_tables_shoe_between(given: Given) -> Given:
    return given._replace(files=[*given.files[:2], another_table(given)[2]])


# ---------------------------------------------------------------------------------------------- keys, notes, quorums


def page(policy: str) -> Callable[[Given], Given]:
    return lambda given: given._replace(policy=policy)


def notes(**texts: str) -> Callable[[Given], Given]:
    return lambda given: given._replace(notes=texts)


def notes_by(*names: str) -> Callable[[Given], Given]:
    return lambda given: given._replace(
        notes={name: cosigned(doctored.own_note(text), names) for name, text in given.notes.items()}
    )


def strange_witnesses(given: Given) -> Given:
    """The page has other witnesses than those who cosigned."""
    others = [v.key_of(KEYS[name].name, v.COSIGNATURE, bytes([n]) * 32) for n, name in enumerate(("w1", "w2", "w3"), 5)]
    policy = policy_text(FIRST_KEY.key)
    for name, key in zip(("w1", "w2", "w3"), others, strict=True):
        policy = policy.replace(KEYS[name].vkey, key.vkey)
    return given._replace(policy=policy)


def a_note_of_another_key(given: Given) -> Given:
    files = rewritten(given.files, doctored.re_keyed, {ORIGIN: [THIEF]})
    return given._replace(notes={"w.note": cosigned(note_of(files[2]), ("w1", "w2"))})


def an_early_note_and_another_end(given: Given) -> Given:
    """With the table's key: the second shoe is told anew, and the house hands out a note of the first one alone."""
    at = doctored.closing(given.files, 1)
    change = doctored.changed(rb'"round":1,"cards"', b'"round":9,"cards"', at)
    files = rewritten(given.files, change, {ORIGIN: [FIRST_KEY]})
    return given._replace(files=files, notes={"w.note": given.notes["w.note"], "house.note": note_of(files[2])})
