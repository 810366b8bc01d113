"""Odd messages in words, for the tables of test_odd_*.py.

Words are changes of a sound message, one behind the other: `link=-1` another value, as it is written in JSON; `-link`
no such key; `reader.reads=-1` further in; `open.0.id="x"` in a list. Some have names (`NAMED`), and so have whole
payloads that are no message (`BYTES`). `as it is` changes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

from firmware_bridge.floor.source import Delivery
from tests.floor.tables import NOW, alive, baccarat, latest, messages, rfc3339

BYTES: Final = {
    "no bytes": b"",
    "half an object": b'{"v":1',
    "a list": b"[]",
    "null": b"null",
    "no object": b"7",
    "no UTF-8": b"\xff{}",
    "UTF-16": '{"v":1}'.encode("utf-16"),
    "too deep": b"[" * 100_000,
}

NAMED: Final = {
    "lost": 'state="lost"',
    "stopped": 'state="stopped"',
    "late": "at=BEFORE; as_of=16",
    "of an older connection": "link=0",
    "of a newer connection": "link=2",
    "of an older run": 'boot="77aa"; at=BEFORE; as_of=16',
    "of a newer run": 'boot="77aa"',
    "of an older journal": 'shoe=2; journal="2-4bc0"; as_of=30; at=BEFORE',
    "of the next shoe": 'shoe=4; journal="4-6be2"; as_of=1',
    "of another device": 'shoe=1; journal="1-0000"; as_of=1; boot="77aa"',
}

ALARM: Final = '{"id":"a%d","since":1,"severity":"note","text":"","blocks":false,"choices":[],"of":[],"values":{}}'
WRITTEN: Final = {
    "DEEP": "[" * 100_000 + "]" * 100_000,
    "HUGE": f'"{"x" * 300_000}"',
    "DIGITS": "9" * 400,
    "TEXT_101": f'"{"x" * 101}"',
    "TEXT_201": f'"{"x" * 201}"',
    "BEFORE": f'"{rfc3339(NOW - 60_000)}"',
    "NO_UTF8": '"\udcff"',
    "ALARMS_51": f"[{','.join(ALARM % n for n in range(51))}]",
    "ALARMS_1001": f"[{','.join([ALARM % 1] * 1001)}]",
    "LABELS_101": json.dumps(["x"] * 101),
}
"""Values, or parts of one, that are too long to be written in a table."""


def changed(body: dict[str, Any], words: str) -> bytes:
    """A message that was changed as words say."""
    if words in BYTES:
        return BYTES[words]
    body, values = json.loads(json.dumps(body)), list[str]()
    changes = "; ".join(NAMED.get(each, each) for each in words.split("; "))
    for change in changes.split("; ") if words != "as it is" else ():
        path, _, value = change.removeprefix("-").partition("=")
        *outer, last = [int(each) if each.isdigit() else each for each in path.split(".")]
        place: Any = body
        for key in outer:
            place = place[key]
        if change.startswith("-"):
            del place[last]
        else:
            place[last] = f"<{len(values)}>"
            values.append(re.sub("|".join(WRITTEN), lambda found: WRITTEN[found[0]], value))
    text = json.dumps(body, separators=(",", ":"))
    for n, value in enumerate(values):
        text = text.replace(f'"<{n}>"', value)
    return text.encode(errors="surrogateescape")


# ---------------------------------------------------------------- sound messages of table T07

HEAD: Final = {"table": "T07", "shoe": 3, "journal": "3-5ad1", "boot": "5c1e"}


@cache
def states() -> dict[str, dict[str, Any]]:
    """The states of a table, by topic."""
    said = (*latest(messages("T07", baccarat(5, 7, "9s ??"))), *alive("T07"))
    bodies = {each.topic.rpartition("/")[2]: json.loads(each.payload) for each in said}
    return {topic: body | HEAD | {"as_of": 17, "at": rfc3339(NOW)} for topic, body in bodies.items()}


@cache
def newer() -> dict[str, dict[str, Any]]:
    """The same a second later, after one more entry."""
    later = {"as_of": 18, "at": rfc3339(NOW + 1000)}
    return {topic: body | later | ({"next_seq": 19} if topic == "status" else {}) for topic, body in states().items()}


@cache
def rounds() -> list[dict[str, Any]]:
    """Rounds that are over, the oldest first: of entries 2, 4, 6, the only events of theirs."""
    said = [json.loads(each.payload) for each in messages("T07", baccarat(5)) if not each.retained]
    place = {"n": 1, "of": 1, "head": "ab" * 32}
    numbered = enumerate(said[:3], 1)
    made = [body | HEAD | place | {"seq": 2 * n, "at": rfc3339(NOW + n), "prev": None} for n, body in numbered]
    for before, each in pairwise(made):
        each["prev"] = {"journal": before["journal"], "seq": before["seq"]}
    return made


@cache
def events() -> list[dict[str, Any]]:
    """Events of entries 1, 2, 3."""
    head = {"v": 1, **HEAD, "at": rfc3339(NOW), "n": 1, "of": 1, "head": "ab" * 32, "event": {"type": "Confirmed"}}
    return [head | {"seq": seq} for seq in (1, 2, 3)]


class Odd(NamedTuple):
    """A message that came after sound ones."""

    before: Sequence[Delivery]
    topic: str
    body: bytes

    @property
    def delivery(self) -> Delivery:
        """As it comes from a broker."""
        return Delivery(f"shoe/T07/{self.topic}", self.body)


def of_a_state(topic: str, words: str) -> Odd:
    """A state that was changed as words say, after all states of its table."""
    before = [Delivery(f"shoe/T07/{each}", json.dumps(body).encode()) for each, body in states().items()]
    return Odd(before, topic, changed(newer()[topic], words))


def of_a_stream(topic: str, words: str) -> Odd:
    """The third message of a stream, changed as words say, after two sound ones; or the second once more."""
    *before, last = rounds() if topic == "round" else events()
    said = [Delivery(f"shoe/T07/{topic}", json.dumps(each).encode()) for each in before]
    return Odd(said, topic, said[-1].body if words == "said again" else changed(last, words))


def answer_of(id: str, words: str, *, ok: bool = False) -> bytes:
    """A refusal of the order `id`, changed as words say; or that it is obeyed."""
    return changed({"ok": ok, "id": id, "do": "resend", "error": "no", "hint": "-"}, words)


# ---------------------------------------------------------------- tables


class Row(NamedTuple):
    """What each reader makes of an odd message."""

    topic: str
    words: str
    outcomes: dict[str, str]

    def __str__(self) -> str:
        return f"{self.topic} {self.words}"


def subject(name: str) -> str:
    """What a row is about, by its name: its first key, whatever the topic, or `no message`."""
    words = name.partition(" ")[2]
    return "no message" if words in BYTES else re.split(r"[^\w]", words.removeprefix("-"))[0]


def rows(topic: str, table: str) -> Iterator[Row]:
    """The rows of a table; the first one names the readers. Outcomes stand two blanks behind the words."""
    head, *lines = [re.split("  +", line) for line in table.strip().splitlines()]
    for words, *outcomes in lines:
        yield Row(topic, words, dict(zip(head[1:], outcomes, strict=True)))
