"""Vendor and house together tell two people two histories: what one lying witness makes of it, by real requests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from firmware_bridge.facts import orders
from firmware_bridge.floor.verified.feeder import Post
from firmware_bridge.floor.verified.witnesses import Client, Fed
from firmware_bridge.record import verify as v
from tests.kit.witnesses import Liar, Served
from tests.record.exports import ORIGIN, SignedRecord, device

VERIFY: Final = [sys.executable, "-I", "-S", str(Path(v.__file__).resolve())]


class History:
    """A history that somebody is told: its exports, and its newest note with the cosignatures that were had."""

    def __init__(self, folder: Path, rounds: int) -> None:
        self.folder = folder
        record = SignedRecord(folder / "journal")
        record.begin()
        record.play(rounds).order(orders.CloseShoe())
        self.note, self.size = record.journal.tree.note, record.journal.tree.size
        record.close()
        self.exports = [folder / f"{n}.export" for n, _ in enumerate(record.exports())]
        for path, lines in zip(self.exports, record.exports(), strict=True):
            path.write_bytes(b"".join(lines))

    def cosign(self, witnesses: Sequence[Served]) -> list[int]:
        """Ask witnesses to cosign it; the statuses of their answers."""
        client = Client([Fed(each.key, each.url) for each in witnesses], 5.0)
        body = f"old 0\n\n{self.note}".encode()
        try:
            asked = [client.post(Post(ORIGIN, each.key.vkey, 0, "", self.size, body)) for each in witnesses]
            replies = [each.result() for each in asked]
        finally:
            client.close()
        self.note += "".join(each.body.decode() for each in replies if each.status == 200)
        return [each.status for each in replies]

    def verified(self, policy: str, *notes: Path) -> subprocess.CompletedProcess[str]:
        """What one file of Python says to who is told it. notes: of witnesses, beside the house's own."""
        (self.folder / "keys.txt").write_text(policy)
        (self.folder / "house.note").write_text(self.note)
        given = [self.folder / "house.note", *notes]
        command = [*VERIFY, "--policy", str(self.folder / "keys.txt"), "--notes", *map(str, given), "--"]
        return subprocess.run([*command, *map(str, self.exports)], capture_output=True, text=True, check=False)


class Conspiracy:
    """Two histories signed with the key of one device, and witnesses of which the last one lies."""

    def __init__(self, folder: Path, honest: int) -> None:
        self.folder = folder
        for name in ("a", "b"):
            (folder / name).mkdir()
        self.one, self.other = History(folder / "a", 2), History(folder / "b", 2)
        kinds = [Served] * honest + [Liar]
        self.witnesses = [kind(folder, f"w{n}.example/1", [device().key], n) for n, kind in enumerate(kinds, 1)]

    def policy(self, quorum: int) -> str:
        names = [f"w{n}" for n, _ in enumerate(self.witnesses, 1)]
        lines = [f"witness {name} {each.key.vkey}" for name, each in zip(names, self.witnesses, strict=True)]
        group = f"group enough {quorum} {' '.join(names)}"
        return "\n".join([f"log {device().key.vkey}", *lines, group, "quorum enough", ""])

    def notes(self, history: History) -> list[Path]:
        """The newest note of every witness, asked by who is told a history; the liar shows what is expected of him."""
        *_, liar = self.witnesses
        assert isinstance(liar, Liar)
        liar.shows = history.note
        found = []
        for each in self.witnesses:
            found.append(self.folder / f"{each.key.name.partition('.')[0]}.note")
            found[-1].write_bytes(each.get(ORIGIN).body)
        return found


@pytest.fixture
def three(tmp_path: Path) -> Iterator[Conspiracy]:
    yield from opened(tmp_path, 2)


@pytest.fixture
def four(tmp_path: Path) -> Iterator[Conspiracy]:
    yield from opened(tmp_path, 3)


def opened(folder: Path, honest: int) -> Iterator[Conspiracy]:
    made = Conspiracy(folder, honest)
    yield made
    for each in made.witnesses:
        each.stop()
        each.close()


def test_at_two_of_three_one_liar_suffices_where_nobody_compares(three: Conspiracy) -> None:
    w1, w2, liar = three.witnesses
    assert three.one.cosign([w1, liar]) == three.other.cosign([w2, liar]) == [200, 200]
    for history in (three.one, three.other):
        done = history.verified(three.policy(2))
        assert done.returncode == 0, done.stdout
        assert "One lying witness could hide a second history from you" in done.stdout


def test_at_two_of_three_one_liar_is_found_by_who_compares_the_notes_of_all(three: Conspiracy) -> None:
    w1, w2, liar = three.witnesses
    three.one.cosign([w1, liar])
    three.other.cosign([w2, liar])
    for history, honest in ((three.one, "w2"), (three.other, "w1")):
        done = history.verified(three.policy(2), *three.notes(history))
        assert done.returncode == 1
        assert f"two histories: {honest} saw the other one" in done.stdout


def test_at_three_of_four_one_liar_does_not_suffice_whoever_is_asked_for_what(four: Conspiracy) -> None:
    """Each honest witness cosigns the history that it is asked for first, and no other one."""
    *honest, liar = four.witnesses
    four.one.cosign([*honest[:2], liar])
    assert four.other.cosign([*honest, liar]) == [409, 409, 200, 200]
    assert four.one.verified(four.policy(3)).returncode == 0
    done = four.other.verified(four.policy(3))
    assert (done.returncode, "no quorum of witnesses" in done.stdout) == (6, True)


def test_two_quorums_need_as_many_liars_as_the_policy_says() -> None:
    """2q - n of n: any two quorums have that many witnesses in common, and only a liar is in both."""
    for count, quorum in ((3, 2), (4, 3), (3, 3)):
        least = min(
            sum(a and b for a, b in zip(one, other, strict=True))
            for one, other in product(product((False, True), repeat=count), repeat=2)
            if sum(one) >= quorum <= sum(other)
        )
        keys = [v.key_of(f"w{n}.example/1", v.COSIGNATURE, bytes([n]) * 32) for n in range(1, count + 1)]
        names = [f"w{n}" for n in range(1, count + 1)]
        lines = [f"witness {name} {key.vkey}" for name, key in zip(names, keys, strict=True)]
        text = "\n".join([*lines, f"group g {quorum} {' '.join(names)}", "quorum g", ""])
        assert v.parse_policy(text).liars() == least == 2 * quorum - count
