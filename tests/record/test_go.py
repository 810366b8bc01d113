"""Another implementation says the same: a checker and a witness over Go's tlog and note (scripts/test-go)."""

from __future__ import annotations

import base64
import os
import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from zlib import crc32

import pytest

from firmware_bridge.record import verify as v
from firmware_bridge.record.tiles import Tiles
from tests.record import test_verdicts as verdicts
from tests.record.doctored_exports import ROWS
from tests.record.doctoring import with_tail
from tests.record.exports import ORIGIN, device, five_rounds, policy_text, proof_of, rewritten, sealed_line
from tests.record.test_doctored import Given
from tests.record.test_vectors import VECTORS

ended, in_play = verdicts.ended, verdicts.in_play  # fixtures

GO: Final = Path(os.environ.get("SHOE_TEST_GO", "/nowhere"))
EXPORTS: Final = int(os.environ.get("SHOE_TEST_EXPORTS", "10000"))
BATCH: Final = 500
PARTS: Final = max(4, EXPORTS // 25_000)
"""A run of a million that was stopped goes on at the part where it was."""
pytestmark = pytest.mark.skipif(
    "SHOE_TEST_GO" not in os.environ, reason="needs Go's tlog and its compiler: run scripts/test-go"
)


class Said(NamedTuple):
    """What an implementation says of an export: the verdict, and lines, checkpoints and rounds that were right.

    behind: the class of what no signature covers, 0 for nothing.
    """

    verdict: str
    lines: int
    checkpoints: int
    rounds: int
    behind: int = 0


BOTH: Final = re.compile(
    "does not follow the line before|of another tree|the signature of the log is wrong|is no size of a tree|"
    "not signed by a key that is known$|a note (?!with more)|is no signature line|"
    "a checkpoint has three lines|the root has|its round is not signed|its format is not"
)
"""What the checker in Go finds too; the rest is of an entry's form and meaning, which it leaves to verify.py."""


def by_python(policy: v.Policy, lines: list[bytes]) -> tuple[Said, str]:
    """What verify.py says, and why."""
    reader = v.Reader(policy, is_alone=True)
    reader.read("x", lines)
    report = reader.finish()
    wrong = [*report.wrong, *(text for code, text in report.classes.items() if code == v.NO_KEY)]
    behind = v.UNSIGNED if v.UNSIGNED in report.classes else v.OPEN_ROUND if report.open_round else v.FINE
    return Said("wrong" if wrong else "ok", report.lines, report.checkpoints, report.rounds, behind), "".join(wrong)


def by_go(exports: list[list[bytes]]) -> list[Said]:
    data = b"".join(b"%d\n%b" % (sum(map(len, lines)), b"".join(lines)) for lines in exports)
    done = subprocess.run([GO / "checker", device().key.vkey], input=data, capture_output=True, check=True)
    rows = (line.split() for line in done.stdout.decode().splitlines())
    return [Said(verdict, *map(int, counts)) for verdict, *counts in rows]


def is_agreed(python: Said, why: str, go: Said) -> bool:
    """Whether both say the same of all lines up to the first one that is wrong, and of that where Go looks at it."""
    if python.verdict == "ok":
        return python == go
    if BOTH.search(why):
        return python[:3] == go[:3]
    return python.lines <= go.lines and python.checkpoints <= go.checkpoints


TAILS: Final = [
    *("tail behind a shoe that ended", "tail that ends a round", "tail that opens a shoe", "tail of an earlier round"),
    *("tail of a later round", "tail of no round", "tail of another shoe", "tail of another table"),
    *("tail of another start", "tail of another journal", "nothing", "in play", "a card more in play"),
]


@pytest.mark.parametrize("name", TAILS)
def test_both_say_the_same_of_a_tail(name: str, request: pytest.FixtureRequest) -> None:
    of, doctor, code, _ = ROWS[name]
    lines = [line for file in doctor(request.getfixturevalue(of)).files for line in file]
    python, _ = by_python(v.parse_policy(policy_text(quorum="none")), lines)
    assert by_go([lines]) == [python]
    assert python.behind == code


Mutation = Callable[[random.Random, list[bytes]], list[bytes]]


def a_byte(chance: random.Random, lines: list[bytes]) -> list[bytes]:
    at = chance.randrange(len(lines))
    return [*lines[:at], changed(chance, lines[at]), *lines[at + 1 :]]


def a_column_with_its_checksum(chance: random.Random, lines: list[bytes]) -> list[bytes]:
    at, which = chance.randrange(len(lines)), chance.choice((2, 3, 4, 5, 5, 5))
    columns = lines[at].rstrip(b"\n").split(b"\t")
    columns[which] = changed(chance, columns[which]).replace(b"\n", b" ").replace(b"\t", b" ")
    return [*lines[:at], sealed_line(*columns[2:]), *lines[at + 1 :]]


def the_other_format_with_its_checksum(chance: random.Random, lines: list[bytes]) -> list[bytes]:
    at = chance.randrange(len(lines))
    version, _, *columns = lines[at].rstrip(b"\n").split(b"\t")
    body, other = b"\t".join(columns), b"3" if version == b"4" else b"4"
    return [*lines[:at], b"%b\t%08x\t%b\n" % (other, crc32(body, crc32(other)), body), *lines[at + 1 :]]


def a_public_part_with_all_behind_it(chance: random.Random, lines: list[bytes]) -> list[bytes]:
    at = chance.randrange(len(lines))
    try:
        (made,) = rewritten([lines], lambda number, public: changed(chance, public) if number == at else public)
    except (ValueError, TypeError, AttributeError):  # a change before this one may have made a proof no JSON object
        return lines
    return made


def a_public_part_that_the_device_signed(chance: random.Random, lines: list[bytes]) -> list[bytes]:
    """All is right where it is an entry at all: both must build the same `round` messages from it."""
    at = chance.randrange(len(lines))
    try:
        (made,) = rewritten(
            [lines],
            lambda number, public: changed(chance, public) if number == at else public,
            {ORIGIN: [device()]},
        )
    except (ValueError, TypeError, AttributeError):
        return lines
    return made


def lines_moved(chance: random.Random, lines: list[bytes]) -> list[bytes]:
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    moved = list(lines)
    line = moved.pop(at) if chance.random() < 0.7 else moved[at]
    if chance.random() < 0.7:
        moved.insert(to, line)
    return moved


def a_note_of_another_line(chance: random.Random, lines: list[bytes]) -> list[bytes]:
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    head, public, sealed = lines[at].split(b"\t")[2:5]
    proof = lines[other].rstrip(b"\n").split(b"\t")[5]
    return [*lines[:at], sealed_line(head, public, sealed, proof), *lines[at + 1 :]]


def no_note(chance: random.Random, lines: list[bytes]) -> list[bytes]:
    """Taken off: what is behind it is still right."""
    at = chance.randrange(1, len(lines))
    head, public, sealed = lines[at].split(b"\t")[2:5]
    return [*lines[:at], sealed_line(head, public, sealed, b""), *lines[at + 1 :]]


def a_card_behind_the_end(chance: random.Random, lines: list[bytes]) -> list[bytes]:
    """Of some shoe and round, behind some line; nobody signed it."""
    end = lines[: chance.randrange(1, len(lines) + 1)]
    try:
        given = Given([end], "", {})
        changes = {key: value for key, value in (("shoe", 1), ("boot", "b008")) if chance.random() < 0.2}
        return with_tail(given, lines, round=chance.randrange(1, 6), **changes).files[0]
    except (v.Refused, ValueError, StopIteration):  # or a change before this one left no card
        return lines


def the_end_is_missing(chance: random.Random, lines: list[bytes]) -> list[bytes]:
    return lines[: chance.randrange(1, len(lines))]


PIECES: Final = (b"", b"\0", b"0", b"A", b" ", b'"', b",", b"}", b"[]", b"=", b"\\u0041")


def changed(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    piece = chance.choice((*PIECES, bytes([chance.randrange(256)])))
    return data[:at] + piece + data[at + chance.choice((0, 1, 1, 1, 2, 30)) :]


MUTATIONS: Final[list[Mutation]] = [
    a_byte, a_column_with_its_checksum, a_column_with_its_checksum, a_public_part_with_all_behind_it,
    a_public_part_that_the_device_signed, lines_moved, a_note_of_another_line, no_note, the_end_is_missing,
    a_card_behind_the_end, the_other_format_with_its_checksum,
]  # fmt: skip


def mutated(chance: random.Random, lines: list[bytes]) -> list[bytes]:
    """An export with one mutation, sometimes with two."""
    once = chance.choice(MUTATIONS)(chance, lines)
    if len(once) == 1 or chance.random() >= 0.1:
        return once
    try:
        return chance.choice(MUTATIONS)(chance, once)
    except (IndexError, ValueError, TypeError):  # the first one left a line without its six columns
        return once


@pytest.mark.parametrize("part", range(PARTS))
def test_both_say_the_same_of_mutated_exports(part: int, tmp_path: Path) -> None:
    lines = [line for file in five_rounds(tmp_path / "journal") for line in file]
    policy = v.parse_policy(policy_text(quorum="none"))
    assert by_go([lines]) == [by_python(policy, lines)[0]] == [Said("ok", len(lines), 10, 5)]
    chance, found, behind = random.Random(part), Counter[tuple[str, str]](), Counter[int]()
    for _ in range(-(-EXPORTS // PARTS // BATCH)):
        exports = [mutated(chance, lines) for _ in range(BATCH)]
        for export, go in zip(exports, by_go(exports), strict=True):
            python, why = by_python(policy, split(export))
            assert is_agreed(python, why, go), (python, why, go, b"".join(export))
            found[python.verdict, go.verdict] += 1
            behind[go.behind] += go.verdict == "ok"
    assert set(found) == {("ok", "ok"), ("wrong", "wrong"), ("wrong", "ok")}
    assert found["wrong", "wrong"] > found.total() // 3
    assert min(behind[code] for code in (v.FINE, v.UNSIGNED, v.OPEN_ROUND)) > found.total() // 100


def split(export: list[bytes]) -> list[bytes]:
    """As a file gives its lines: LF alone ends one."""
    found = [line + b"\n" for line in b"".join(export).split(b"\n")]
    return found[:-1] + ([found[-1][:-1]] if found[-1] != b"\n" else [])


@pytest.fixture
def witness() -> Iterator[str]:
    """The address of a Go witness with the key and the clock of the vectors."""
    key, log, at = VECTORS["keys"]["w1"], VECTORS["keys"]["device"]["vkey"], VECTORS["cosignatures"][0]["time"]
    command = [str(GO / "witness"), "127.0.0.1:0", key["name"], key["seed"], str(at), log]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield f"http://{process.stdout.readline().strip()}"
        process.kill()


def asked(url: str, body: str | None = None) -> tuple[int, str]:
    try:
        with urlopen(Request(url, body.encode() if body is not None else None)) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_the_witness_answers_as_the_specification_says(witness: str) -> None:
    """Where the reference witness differed from the specification, this one follows the specification."""
    own = {"signed by a stranger": 403, "fork of the same size, rightly signed": 422}
    for given in VECTORS["add_checkpoint"]:
        status, body = asked(f"{witness}/add-checkpoint", given["request"])
        assert status == own.get(given["name"], given["status"]), given["name"]
        assert body == given["body"], given["name"]
    name = sha256(VECTORS["origin"].encode()).hexdigest()
    status, newest = asked(f"{witness}/{name}/checkpoint")
    assert status == 200
    policy = v.parse_policy(VECTORS["policy"])
    note = v.parse_note(newest)
    assert v.verified_checkpoint(note, policy.logs).size == 18
    names = [each.witness.name for each in v.cosigned(note, policy.witnesses.values())]
    assert names == [VECTORS["keys"]["w1"]["name"]]
    assert asked(f"{witness}/{sha256(ORIGIN.encode()).hexdigest()}/checkpoint")[0] == 404


@pytest.fixture
def own_witness() -> Iterator[str]:
    """The address of a Go witness that knows the device."""
    command = [str(GO / "witness"), "127.0.0.1:0", "witness.example/go", "07" * 32, "0", device().key.vkey]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield f"http://{process.stdout.readline().strip()}/add-checkpoint"
        process.kill()


def test_what_it_has_seen_cannot_be_rewritten_with_the_device_key(own_witness: str, tmp_path: Path) -> None:
    """Rounds below the witnessed size are told anew, each with the best proof that there is."""
    honest = [line for file in five_rounds(tmp_path / "journal") for line in file]
    signed = [n for n, line in enumerate(honest, 1) if b'{"note"' in line]
    assert asked(own_witness, request(honest, 0, signed[-3]))[0] == 200
    for place in [n for n, line in enumerate(honest[: signed[-3]]) if b"CardRevealed" in line]:

        def change(number: int, public: bytes, place: int = place) -> bytes:
            return public.replace(b'"boot":"b007"', b'"boot":"b008"') if number == place else public

        (forged,) = rewritten([honest], change, {ORIGIN: [device()]})
        assert asked(own_witness, request(forged, signed[-3], signed[-1]))[0] == 422
        assert asked(own_witness, request(forged, signed[-3], signed[-3]))[0] == 422
    assert asked(own_witness, request(honest, signed[-3], signed[-1]))[0] == 200


def request(lines: list[bytes], old: int, size: int) -> str:
    """A request of C2SP tlog-witness for the tree of these lines."""
    leaves = [v.leaf_hash(bytes.fromhex(line.split(b"\t")[2].decode())) for line in lines]
    proof = Tiles(GO / "no tiles", leaves).consistency(old, size)
    hashes = "".join(base64.b64encode(each).decode() + "\n" for each in proof)
    return f"old {old}\n{hashes}\n{proof_of(lines[size - 1])['note']}"
