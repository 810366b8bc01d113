"""`python -m tests.golden.between TREE`: what the fields of another tree's messages are in this one.

Both trees play all golden scenarios. Each line of the journal, message and state is compared with the one of the same
place. Where the objects differ, a row of the table says how:

    2115  messages event[CommandAnswered].answer   error, hint -> code, values   57 codes

`lost -> gained`: fields of the one and of the other, `field: differs` where both have it. codes: how many codes stand
there. `a text has two codes`: what was one sentence is now more than one code, with an example. The exit code is 1
where the trees say a different number of things.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

STATES: Final = ("table", "roads", "lamps", "signals", "alarm", "clock", "status")
"""Parts that are said only when they change, each with the number of its step."""

NAMES: Final = ("code", "id", "choice")
"""Fields that have a code."""

PLAYER: Final = """
import sys
sys.path.insert(0, "")
from tests.golden import digests
from tests.golden.play import scenarios

class Spoken(digests.Tape):
    def say(self, part, value, at=b""):
        data = value if isinstance(value, bytes) else digests._encode(value)
        print(part, (at + data).decode())
        super().say(part, value, at)

for name in sorted(scenarios()):
    print("#", name)
    scenarios()[name](Spoken())
"""
"""Plays all scenarios of the tree that it runs in; it uses what both trees have."""

RETAINED: Final = '"retain":true'
"""A state that `shoe replay` prints: it is compared in its own part."""

NOTHING: Final = "(nothing)"

Parts = dict[str, list[str]]


class Change(NamedTuple):
    """Where objects differ: their place with the type of the message or alarm, and the fields of each side."""

    place: str
    lost: tuple[str, ...]
    gained: tuple[str, ...]


class Found:
    """What differs: the texts of each lost field beside the codes there now."""

    def __init__(self) -> None:
        self.counts: dict[Change, int] = defaultdict(int)
        self.codes: dict[Change, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.numbers: list[str] = []

    def compare(self, was: Any, now: Any, place: str) -> None:
        """Compare two values of the same place, and what is in them."""
        if was == now:
            return
        if isinstance(was, dict) and isinstance(now, dict):
            self._compare_objects(was, now, f"{place}[{was['type']}]" if "type" in was else place)
        elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
            for one, other in zip(was, now, strict=True):
                self.compare(one, other, place)
        else:
            self._note(Change(place, (), ("differs",)), was, {})

    def _compare_objects(self, was: dict[str, Any], now: dict[str, Any], place: str) -> None:
        lost, gained = tuple(was.keys() - now.keys()), tuple(now.keys() - was.keys())
        if lost or gained:
            self._note(
                Change(place, tuple(sorted(lost)), tuple(sorted(gained))), [was[each] for each in sorted(lost)], now
            )
        for key in was.keys() & now.keys():
            named = "*" if key in ("a", "b", "c") or place.endswith("policy") else key
            self.compare(was[key], now[key], f"{place}.{named}")

    def _note(self, change: Change, was: Any, now: dict[str, Any]) -> None:
        self.counts[change] += 1
        codes = [str(now[each]) for each in NAMES if each in now]
        self.codes[change][json.dumps(was, ensure_ascii=False)].add(codes[0] if codes else "")

    def rows(self) -> Iterator[str]:
        """Yield the table, a line each."""
        for change in sorted(self.counts):
            texts = self.codes[change]
            codes = {code for each in texts.values() for code in each if code}
            says = f"{', '.join(change.lost) or '-'} -> {', '.join(change.gained) or '-'}"
            yield f"{self.counts[change]:7}  {change.place}   {says}" + (f"   {len(codes)} codes" if codes else "")
            if two := next((text for text, each in texts.items() if len(each) > 1 and text != "[]"), None):
                yield f"{'':9}a text has two codes: {two} -> {', '.join(sorted(texts[two]))}"
        yield from self.numbers


def plain(part: str, text: str) -> tuple[str, Any]:
    """Return what a line is about, and its values."""
    if part in STATES:
        step, payload = text.split(" ", 1)
        return step, json.loads(payload)
    if part == "messages":
        topic, _, payload = text.split(" ", 2)
        return topic, json.loads(payload)
    if part == "journal" and not text.startswith("nothing "):
        form, shown, sealed = text.split("\t")
        return "line", {"format": form, "shown": json.loads(shown), "sealed": json.loads(sealed)}
    try:
        return "nothing", json.loads(text.removeprefix("nothing "))
    except ValueError:
        return "text", text


def compare(name: str, was: Parts, now: Parts, found: Found) -> None:
    """Compare what two trees say in a scenario."""
    for part in sorted(was.keys() | now.keys()):
        ours, theirs = ([plain(part, text) for text in each.get(part, ())] for each in (was, now))
        if part in STATES:
            _compare_states(part, dict(ours), dict(theirs), found)
        elif len(ours) != len(theirs):
            found.numbers.append(f"{name}: {part} has {len(ours)} lines there and {len(theirs)} here")
        else:
            for (_, one), (about, other) in zip(ours, theirs, strict=True):
                found.compare(one, other, f"{part} {about}" if part == "messages" else part)


def _compare_states(part: str, was: dict[str, Any], now: dict[str, Any], found: Found) -> None:
    one: Any = NOTHING
    other: Any = NOTHING
    for step in sorted(was.keys() | now.keys(), key=int):
        one, other = was.get(step, one), now.get(step, other)
        found.compare(one, other, part)


def scenarios(lines: Iterable[str]) -> Iterator[tuple[str, Parts]]:
    """Yield the scenarios of a player's output: the name, and part -> its lines."""
    name, parts = "", defaultdict[str, list[str]](list)
    for line in lines:
        part, _, text = line.rstrip("\n").partition(" ")
        if RETAINED in text:
            continue
        if part != "#":
            parts[part if part != "lamps" or '"lit"' in text else "signals"].append(text)
            continue
        if name:
            yield name, parts
        name, parts = text, defaultdict(list)
    yield name, parts


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.golden.between", description="Compare the messages of trees."
    )
    parser.add_argument("tree", type=Path, metavar="TREE", help="a checkout of the other version")
    there = parser.parse_args().tree
    command = [sys.executable, "-c", PLAYER]
    found = Found()
    with (
        subprocess.Popen(command, cwd=there, stdout=subprocess.PIPE, text=True) as other,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as this,
    ):
        assert other.stdout
        assert this.stdout
        for (name, was), (same, now) in zip(scenarios(other.stdout), scenarios(this.stdout), strict=True):
            assert name == same, "the trees have different scenarios"
            compare(name, was, now, found)
    assert not other.returncode
    assert not this.returncode
    print(*found.rows(), sep="\n")
    return 1 if found.numbers else 0


if __name__ == "__main__":
    sys.exit(main())
