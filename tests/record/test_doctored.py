"""Doctored exports, as an auditor gets them: each is found by the one file of Python, with file, line and entry."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from firmware_bridge.facts import orders
from firmware_bridge.record import verify as v
from firmware_bridge.record.signer import Signer
from tests.record.exports import (
    ORIGIN,
    SECOND,
    SignedRecord,
    Signers,
    cosigned,
    device,
    note_of,
    policy_text,
    raw_line,
    rewritten,
    sealed_line,
    verified,
)

VERIFY: Final = [sys.executable, "-I", "-S", str(Path(v.__file__).resolve())]
FIRST_KEY, SECOND_KEY = device(), device(SECOND)
ROTATED, THIEF = device(ORIGIN, bytes(31) + b"\x08"), device(ORIGIN, bytes(31) + b"\x63")
OWN: Final[Signers] = {ORIGIN: [FIRST_KEY], SECOND: [SECOND_KEY]}
POLICY: Final = policy_text(FIRST_KEY.key, SECOND_KEY.key)
SECOND_JOURNAL: Final = "3-c0ffee"

Files = list[list[bytes]]


class Given(NamedTuple):
    """What an auditor holds: exports in order, the page of keys, and the notes that he took himself."""

    files: Files
    policy: str
    notes: dict[str, str]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Given:
    """A device of two births: three journals of the first one, really played, and one of the second."""
    record = SignedRecord(tmp_path_factory.mktemp("honest") / "journal")
    record.begin()
    record.play(1).open_shoe()
    record.play(4).order(orders.CloseShoe())
    record.close()
    size, first = record.journal.tree.size, record.exports()
    files = rewritten([*first, second_birth(ORIGIN, size)], as_it_is, OWN)
    assert files[:3] == first  # the device's own signatures, byte for byte
    notes = {
        "first.note": cosigned(note_of(files[2]), ("w1", "w2")),
        "second.note": cosigned(note_of(files[3]), ("w1", "w3")),
    }
    return Given(files, POLICY, notes)


def second_birth(origin: str | None, size: int) -> list[bytes]:
    """The journal of another birth, to be signed."""
    follows = {"origin": origin, "size": size, "head": v.FIRST_HEAD, "witnessed": 0}
    begun = {"type": "RecordBegun", "origin": SECOND, "key": SECOND_KEY.key.vkey, "follows": follows}
    events: Sequence[dict[str, Any]] = [begun, {"type": "Test", "n": 1}, {"type": "ShoeOpened", "number": 2}]
    ended = {"type": "ShoeEnded", "why": "done", "rounds": 0}
    return [raw_line(SECOND_JOURNAL, seq, [each], seq != 2) for seq, each in enumerate([*events, ended], 1)]


def as_it_is(_: int, public: bytes) -> bytes:
    return public


def changed(old: bytes, new: bytes, place: int) -> Callable[[int, bytes], bytes]:
    """Changes the public part of one entry; its number counts from 0."""

    def change(number: int, public: bytes) -> bytes:
        assert number != place or re.search(old, public), public
        return re.sub(old, new, public, count=1) if number == place else public

    return change


def closing(files: Files, nth: int) -> int:
    """The number of the entry that closes a round, from 0."""
    lines = [line for file in files for line in file]
    return [n for n, line in enumerate(lines) if b'"type":"RoundClosed"' in line][nth]


def other_history(given: Given) -> Given:
    """The table's key tells another result of the second round; its latest checkpoint is cosigned by w2 and w3."""
    files = rewritten(given.files, changed(rb'"round":1,"cards"', b'"round":9,"cards"', closing(given.files, 1)), OWN)
    return given._replace(files=files)


def a_result_is_rewritten(given: Given) -> Given:
    at = closing(given.files, 1)
    return given._replace(files=rewritten(given.files, changed(rb'"round":1,"cards"', b'"round":9,"cards"', at)))


def a_round_is_removed(given: Given) -> Given:
    files = [list(file) for file in given.files]
    del files[2][next(n for n, line in enumerate(files[2]) if b'"type":"RoundClosed"' in line)]
    return given._replace(files=rewritten(files, as_it_is))


def a_line_is_inserted(given: Given) -> Given:
    files = [list(file) for file in given.files]
    files[1].insert(3, files[1][2])
    return given._replace(files=rewritten(files, as_it_is))


def two_lines_change_places(given: Given) -> Given:
    files = [list(file) for file in given.files]
    files[2][3], files[2][4] = files[2][4], files[2][3]
    return given._replace(files=files)


def the_unsigned_end_is_changed(given: Given) -> Given:
    """Its checkpoint is taken off, so that nothing contradicts it; the auditor holds an older note alone."""
    files = [list(file) for file in given.files]
    _, _, _, public, sealed, _ = files[3][-1].split(b"\t")
    files[3][-1] = sealed_line(b"0" * 64, public.replace(b"done", b"fine"), sealed, b"")
    older = cosigned(note_of(files[3]), ("w1", "w3"))
    return Given(rewritten(files, as_it_is), given.policy, {**given.notes, "second.note": older})


def the_end_is_missing(given: Given) -> Given:
    return given._replace(files=[*given.files[:3], given.files[3][:2]])


def a_birth_is_omitted(given: Given) -> Given:
    return given._replace(files=given.files[3:], notes={"second.note": given.notes["second.note"]})


def the_end_of_a_birth_is_omitted(given: Given) -> Given:
    files = [*given.files[:2], given.files[2][:-1], given.files[3]]
    return given._replace(files=files, notes={"second.note": given.notes["second.note"]})


def a_birth_is_denied(given: Given) -> Given:
    """The table's own key signs that nothing was before; the auditor holds a note of it."""
    files = rewritten([second_birth(None, 0)], as_it_is, OWN)
    second = cosigned(note_of(files[0]), ("w2", "w3"))
    return given._replace(files=files, notes={"first.note": given.notes["first.note"], "second.note": second})


def one_witness_is_no_quorum(given: Given) -> Given:
    return given._replace(notes={name: cosigned(own_note(text), ["w1"]) for name, text in given.notes.items()})


def own_note(text: str) -> str:
    """The note without its cosignatures."""
    note = v.parse_note(text)
    return f"{note.text}\n{note.signatures[0].line}"


def the_page_asks_for_one_witness(given: Given) -> Given:
    return given._replace(policy=policy_text(FIRST_KEY.key, SECOND_KEY.key, group="any w1 w2 w3"))


def the_page_of_keys_is_swapped(given: Given) -> Given:
    """Everything is signed again by a key of the house's own choice, which its page names."""
    files = rewritten(given.files, re_keyed, {ORIGIN: [THIEF], SECOND: [SECOND_KEY]})
    return given._replace(files=files, policy=policy_text(THIEF.key, SECOND_KEY.key))


def re_keyed(_: int, public: bytes) -> bytes:
    return public.replace(FIRST_KEY.key.vkey.encode(), THIEF.key.vkey.encode())


def two_histories_with_one_lying_witness(given: Given) -> Given:
    """w2 lies with the table; w1 and w3 saw the true one, and the auditor asked w1 himself."""
    other = other_history(given)
    lied = {"house.note": cosigned(note_of(other.files[3]), ("w2", "w3")), "w1.note": given.notes["second.note"]}
    return other._replace(notes=lied)


def a_sealed_card_is_exchanged(given: Given) -> Given:
    """With the device's key, before any witness saw it opened."""
    lines = [line for file in given.files for line in file]
    at = next(n for n, line in enumerate(lines) if b'"type":"CardRevealed"' in line)
    files = rewritten(given.files, changed(rb'("type":"CardRevealed".*?"card":)"..', rb'\1"Ah', at), OWN)
    return Given(files, given.policy, {"house.note": cosigned(note_of(files[3]), ("w1", "w2"))})


def a_key_takes_over_without_the_old_one(given: Given) -> Given:
    return rotated(given, [ROTATED])


def rotated(given: Given, by: list[Signer]) -> Given:
    """The first birth's third journal ends with a change of keys; no second birth."""
    old, new = FIRST_KEY.key.vkey, ROTATED.key.vkey
    event = {"type": "KeyChanged", "old": old, "new": new, "by": "A", "second": "B"}
    journal = v.parse_line(given.files[2][-1])
    last = raw_line(journal.journal, journal.seq + 1, [event], True)
    files = rewritten([*given.files[:3], [last]], as_it_is, {ORIGIN: by})
    files[:3] = given.files[:3]
    note = cosigned(note_of(files[3]), ("w1", "w2"))
    return Given(files, policy_text(FIRST_KEY.key, ROTATED.key), {"rotated.note": note})


def the_tree_before_the_file_is_invented(given: Given) -> Given:
    """An export from the middle on, whose first line names another tree before it."""
    files = [list(file) for file in given.files[2:]]
    _, _, head, public, sealed, proof = files[0][0].rstrip(b"\n").split(b"\t")
    proved = json.loads(proof)
    proved["edge"][0] = base64.b64encode(bytes(32)).decode()
    files[0][0] = sealed_line(head, public, sealed, json.dumps(proved, ensure_ascii=False).encode())
    return given._replace(files=files)


DOCTORED: Final[dict[str, tuple[Callable[[Given], Given], str]]] = {
    "a result is rewritten": (a_result_is_rewritten, r"WRONG .*3\.export, line 7 \(entry 7 of .*another tree"),
    "a round is removed": (a_round_is_removed, r"WRONG .*3\.export, line 7 \(entry 8 of .*stands behind entry 6 "),
    "a line is inserted": (a_line_is_inserted, r"WRONG .*2\.export, line 4 \(entry 3 of .*stands behind entry 3 "),
    "two lines change places": (two_lines_change_places, r"WRONG .*3\.export, line 4 \(entry 5 of .*behind entry 3 "),
    "the unsigned end is changed": (
        the_unsigned_end_is_changed,
        r"NOT CHECKED .*4\.export, line 4 \(entry 4 of .*has no checkpoint",
    ),
    "stale export": (the_end_is_missing, r"WRONG .*second\.note: .*2 more entries .*4\.export, line 2 \(entry 2 of "),
    "omitted birth": (
        a_birth_is_omitted,
        rf"NOT CHECKED .*1\.export, line 1 \(entry 1 .*: 35 entries of {ORIGIN} not sh",
    ),
    "omitted end of a birth": (
        the_end_of_a_birth_is_omitted,
        r"WRONG .*4\.export, line 1 \(entry 1 of .*not follow the",
    ),
    "denied birth": (a_birth_is_denied, rf"NOT CHECKED .*first\.note: no export of {ORIGIN}"),
    "quorum 1, by its notes": (
        one_witness_is_no_quorum,
        rf"NOT CHECKED .*{SECOND}: no quorum of witnesses .* of its 4 en",
    ),
    "quorum 1, by its page": (
        the_page_asks_for_one_witness,
        r"NOT CHECKED .*the policy's quorum: .*without one lying witness",
    ),
    "swapped page of keys": (the_page_of_keys_is_swapped, r"WRONG .*first\.note: .*not signed by a key that is known"),
    "two histories": (
        two_histories_with_one_lying_witness,
        r"WRONG .*w1\.note: up to .*4\.export, line 4 \(entry 4 of .*another history .*cosigned by w1, w3",
    ),
    "a sealed card is exchanged": (
        a_sealed_card_is_exchanged,
        r"WRONG .*2\.export, line 6 \(entry 6 of .*committed to",
    ),
    "rotation by one key": (a_key_takes_over_without_the_old_one, r"WRONG .*4\.export, line 1 .*did not sign its chec"),
    "invented tree": (the_tree_before_the_file_is_invented, r"WRONG .*1\.export, line 1 \(entry 1 of .*another tree"),
}


def run(given: Given, folder: Path) -> subprocess.CompletedProcess[str]:
    """The verifier alone, in a folder that holds nothing else."""
    return command(folder, *written(given, folder))


def written(given: Given, folder: Path) -> list[str]:
    """The words of the command line that name what was given, written to files in a folder."""
    (folder / "keys.txt").write_text(given.policy)
    names = [f"{number}.export" for number in range(1, len(given.files) + 1)]
    for name, lines in zip(names, given.files, strict=True):
        (folder / name).write_bytes(b"".join(lines))
    for name, text in given.notes.items():
        (folder / name).write_text(text)
    notes = ["--notes", *given.notes] if given.notes else []
    return ["--policy", "keys.txt", *notes, *names]


def command(folder: Path, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """The verifier alone, in a folder. given: at its stdin."""
    return subprocess.run([*VERIFY, *words], cwd=folder, input=given, capture_output=True, text=True, check=False)


def test_the_honest_one_is_verified(honest: Given, tmp_path: Path) -> None:
    done = run(honest, tmp_path)
    assert done.returncode == 0, done.stdout
    assert f"{SECOND}: witnessed up to entry 4 of 4" in done.stdout
    assert f"{ORIGIN}: ended at entry 35, which the record {SECOND} binds" in done.stdout


@pytest.mark.parametrize("name", DOCTORED)
def test_doctored(name: str, honest: Given, tmp_path: Path) -> None:
    doctor, finding = DOCTORED[name]
    done = run(doctor(honest), tmp_path)
    assert done.returncode in ({v.WRONG} if finding.startswith("WRONG") else v.CLASSES), done.stdout + done.stderr
    assert re.search(finding, done.stdout), done.stdout
    assert done.stdout.endswith("NOT all verified\n")


def test_who_cosigned_both_histories_is_named(honest: Given) -> None:
    given = two_histories_with_one_lying_witness(honest)
    wrong = verified(given.files, given.policy, list(given.notes.items())).wrong
    assert "w3 cosigned both histories: it lies, or was restored from a backup" in wrong
    assert "two histories: w1 saw the other one, w2 that of these exports" in wrong
    assert any("the key of" in each and "signed two histories" in each for each in wrong)


def test_a_rotation_that_both_keys_signed(honest: Given) -> None:
    given = rotated(honest, [FIRST_KEY, ROTATED])
    report = verified(given.files, given.policy, list(given.notes.items()))
    assert report.is_good, (report.wrong, report.unseen)
    assert any("takes over" in each for each in report.remarks)
    old_page = verified(given.files, policy_text(FIRST_KEY.key), list(given.notes.items()))
    assert not old_page.wrong
    assert any("it is not in the policy" in each for each in old_page.unseen)


def test_witnesses_that_were_asked_at_different_times_are_a_quorum_of_the_smaller_size(honest: Given) -> None:
    notes = [("w1", cosigned(note_of(honest.files[3]), ["w1"])), ("w3", cosigned(note_of(honest.files[3], 1), ["w3"]))]
    report = verified(honest.files, honest.policy, notes)
    assert report.is_good, report.unseen
    assert any(f"{SECOND}: witnessed up to entry 3 of 4" in each for each in report.remarks)
