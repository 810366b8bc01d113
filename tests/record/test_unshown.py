"""What cannot be checked in an export because something before, beside or behind it is missing: it is said.

None of it needs a key: lines are left out, and what no checkpoint binds any more is invented.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from firmware_bridge.record import verify as v
from tests.record import test_doctored as doctored
from tests.record.exports import ORIGIN, SECOND, cosigned, note_of, sealed_line
from tests.record.test_doctored import Given, command, other_history, run

honest = doctored.honest  # fixture

FORGED: Final = rb'"events":[{"type":"RoundClosed","game":"baccarat","round":1,"outcome":"banker"}]}'


def forged(line: bytes, change: Callable[[bytes], bytes], proof: bytes = b"") -> bytes:
    """The line with its head as it was, and another public part."""
    _, _, head, public, sealed, _ = line.rstrip(b"\n").split(b"\t")
    return sealed_line(head, change(public), sealed, proof)


def a_round(public: bytes) -> bytes:
    return public[: public.index(b'"events":')] + FORGED


def the_beginning_is_left_out(given: Given) -> Given:
    return given._replace(files=given.files[2:])


def a_round_before_the_first_tree(given: Given) -> Given:
    return given._replace(files=[[forged(given.files[1][-1], a_round)], *given.files[2:]])


def the_first_line_is_changed(given: Given) -> Given:
    first, *rest = given.files[2]
    proof = first.rstrip(b"\n").split(b"\t")[5]
    changed = forged(first, lambda public: public.replace(b'"decks":8', b'"decks":6'), proof)
    return given._replace(files=[[changed, *rest], given.files[3]])


def a_birth_is_hidden(given: Given) -> Given:
    """The second record without the entry that names the first one."""
    first, second, *rest = given.files[3]
    leaf = v.leaf_hash(bytes.fromhex(v.parse_line(first).head))
    proof = json.dumps({"size": 1, "edge": [base64.b64encode(leaf).decode()]}).encode()
    files = [[forged(second, lambda public: public.replace(b'"n":1', b'"n":999'), proof), *rest]]
    return Given(files, given.policy, {"second.note": given.notes["second.note"]})


def a_record_without_its_first_entry(given: Given) -> Given:
    """A tree of no entries in place of RecordBegun."""
    given = a_birth_is_hidden(given)
    _, _, head, public, sealed, _ = given.files[0][0].rstrip(b"\n").split(b"\t")
    return given._replace(files=[[sealed_line(head, public, sealed, b'{"size":0,"edge":[]}'), *given.files[0][1:]]])


def the_newest_record_is_not_given(given: Given) -> Given:
    return Given(given.files[:3], given.policy, {"first.note": given.notes["first.note"]})


def the_proofs_are_taken_off(given: Given) -> Given:
    bare = [forged(line, bytes) for line in given.files[1]]
    return given._replace(files=[bare, *given.files[2:]])


def an_entry_of_a_kind_that_looks_like_another(given: Given) -> Given:
    """Behind the signed end, by a head that follows."""
    last = v.parse_line(given.files[3][-1])
    public = last.public.replace(b'"seq":%d' % last.seq, b'"seq":%d' % (last.seq + 1))
    public = public[: public.index(b'"events":')] + FORGED.replace(b"RoundClosed", "RoundCl\u043esed".encode())
    head = sha256((last.head + last.sealed).encode() + public).hexdigest().encode()
    files = [*given.files[:3], [*given.files[3], sealed_line(head, public, last.sealed.encode(), b"")]]
    return given._replace(files=files)


UNSHOWN: Final[dict[str, tuple[Callable[[Given], Given], str]]] = {
    "beginning": (the_beginning_is_left_out, rf"NOT CHECKED .*{ORIGIN}: entries 1 to \d+ are not shown"),
    "round": (
        a_round_before_the_first_tree,
        r"NOT CHECKED  before 2\.export, line 1 .*: 1 entries belong to no record",
    ),
    "first line": (the_first_line_is_changed, r"NOT CHECKED .*1\.export, line 1 .*what it says itself is not checked"),
    "birth": (a_birth_is_hidden, rf"NOT CHECKED .*{SECOND}: entries 1 to 1 are not shown, nor whether another record"),
    "first entry": (a_record_without_its_first_entry, r"WRONG .*1\.export, line 1 .*first entry .* is RecordBegun"),
    "newest record": (the_newest_record_is_not_given, rf"NOT CHECKED .*{SECOND}: no export of this record is given"),
    "proofs": (the_proofs_are_taken_off, r"NOT CHECKED  before 2\.export, line 1 .*entries belong to no record"),
    "kind": (an_entry_of_a_kind_that_looks_like_another, r"WRONG .*4\.export, line 5: its public part"),
}


@pytest.mark.parametrize("name", UNSHOWN)
def test_unshown(name: str, honest: Given, tmp_path: Path) -> None:
    doctor, finding = UNSHOWN[name]
    done = run(doctor(honest), tmp_path)
    assert done.returncode in ({v.WRONG} if finding.startswith("WRONG") else v.CLASSES), done.stdout + done.stderr
    assert re.search(finding, done.stdout), done.stdout
    assert done.stdout.endswith("NOT all verified\n")


# ------------------------------------------------------------------------------------------------ proofs beside notes


def proof(given: Given, note: str) -> str:
    """The proof of the newest entry of the second record."""
    lines = [v.parse_line(line) for line in given.files[3]]
    hashes = [v.leaf_hash(bytes.fromhex(line.head)) for line in lines]
    edge: list[bytes] = []
    for size, leaf in enumerate(hashes[:-1]):
        v.grow(edge, size, leaf)
    extra = lines[-2].head.encode() + given.files[3][-1]
    return v.text_of_proof(v.Proof(extra, len(lines) - 1, tuple(edge[::-1]), v.Note("", ())), note)


def test_the_note_of_a_proof_is_compared_with_those_of_witnesses(honest: Given, tmp_path: Path) -> None:
    other = other_history(honest)
    run(honest, tmp_path)
    house = cosigned(note_of(other.files[3]), ("w1", "w2"))
    (tmp_path / "own.tlog-proof").write_text(proof(honest, honest.notes["second.note"]))
    (tmp_path / "x.tlog-proof").write_text(proof(other, house))
    notes = ("--policy", "keys.txt", "--notes", "second.note")
    assert command(tmp_path, *notes, "own.tlog-proof").returncode == 0
    done = command(tmp_path, *notes, "x.tlog-proof")
    assert (done.returncode, "signed two histories" in done.stdout + done.stderr) == (1, True), done.stdout
    exports = [f"{n}.export" for n in range(1, 5)]
    done = command(tmp_path, *notes, "x.tlog-proof", *exports)
    assert (done.returncode, "signed two histories" in done.stdout + done.stderr) == (1, True), done.stdout
    done = command(tmp_path, "--policy", "keys.txt", "--notes", "first.note", "--", "own.tlog-proof")
    assert (done.returncode, "first.note: not compared" in done.stdout + done.stderr) == (v.NOT_SHOWN, True), (
        done.stdout
    )


def test_behind_two_dashes_is_no_option(honest: Given, tmp_path: Path) -> None:
    run(honest, tmp_path)
    done = command(tmp_path, "--policy", "keys.txt", "--", "--policy", "evil.txt", "1.export")
    assert (done.returncode, "--policy" in done.stdout + done.stderr) == (2, True), done.stdout
