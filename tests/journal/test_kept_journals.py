"""Kept journals of both formats: this version reads, verifies and judges them again."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import pytest
from msgspec.structs import replace

from firmware_bridge.errors import JournalError
from firmware_bridge.facts import events, house
from firmware_bridge.facts.wire import UnknownVersion
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.line import (
    BEFORE,
    NO_PROOF,
    V_OF,
    exported,
    format_of,
    unseal,
    without_sealed,
    without_sealed_part,
)
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.rejudge import Rejudge
from firmware_bridge.record import verify
from firmware_bridge.record.signer import Signer, signer
from firmware_bridge.topics.before import as_written
from tests.kit import kept_formats as kept
from tests.kit.command import Run, shoe  # noqa: F401  # fixture

TABLES: Final = [f"T{number:02}" for number in range(5)]
"""One of each game."""

Change = Callable[[events.AnyEvent], events.AnyEvent]

each_kept = pytest.mark.parametrize(("number", "table"), [(number, each) for number in (3, 4) for each in TABLES])
"""Each table of each format."""


Tables = dict[int, dict[str, Path]]
"""Format -> table -> folder of its journals."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    made = {number: tmp_path_factory.mktemp(f"journals-{number}") for number in (3, 4)}
    return {number: {each.name: each for each in kept.journals(at, number)} for number, at in made.items()}


@each_kept
def test_it_is_verified_and_judged_again(tables: Tables, number: int, table: str, shoe: Run) -> None:  # noqa: F811
    ran = shoe("journal", "verify", "--replay", "--jobs", "1", "--dir", tables[number][table])
    assert (ran.code, "FAIL" in ran.out) == (0, False), ran.out
    assert set.union(*map(formats, journal_files(tables[number][table]))) == {number}
    different = {each.split(": ")[1] for each in ran.out.splitlines() if each.startswith("WARN")}
    assert len(different) == (number == BEFORE and table in ("T00", "T01", "T03")), ran.out  # other rows in a policy
    for each in different:
        assert re.fullmatch(
            r"version 0.1.0 judges it differently from 0.1.0, in a journal of format 3(; behind it, \d+ more)?", each
        )


def formats(path: Path) -> set[int | None]:
    return {format_of(line) for line in path.read_bytes().splitlines() if line.strip()}


def warnings_of(folder: Path, change: Change = lambda event: event, since: int = 0) -> list[str]:
    """What is said where the lines of a table, from the `since`-th on, are judged again, its events changed."""
    again = Rejudge(as_written)
    again.begin("its file", follows=True)
    for path in journal_files(folder):
        for line, _ in read_lines(Place(path, 0)):
            assert line.entry
            events = tuple(map(change, line.entry.events))
            judge = again.judge if (since := since - 1) < 0 else again.follow
            judge(replace(line, entry=replace(line.entry, events=events)))
    return again.warnings


def in_other_words(event: events.AnyEvent) -> events.AnyEvent:
    match event:
        case events.Irregular():
            return replace(event, detail="something", values=event.values | {"why": "someone knows"})
        case events.KeyRefused():
            return replace(event, why="no")
        case events.CommandAnswered(answer=answer) if not answer.ok:
            return replace(event, answer=replace(answer, code=None, error="no", hint="go away"))
        case events.ShoeOpened(policy=policy):
            rows = {id: replace(row, todo="call someone") for id, row in policy.items()}
            return replace(event, policy=rows, digest="00")
    return event


FALSE: Final[dict[str, Callable[[Any], Any]]] = {
    "Irregular": lambda event: replace(event, id="foreign"),
    "KeyRefused": lambda event: replace(event, key="unmark"),
    "CommandAnswered": lambda event: replace(event, answer=replace(event.answer, ok=not event.answer.ok)),
    "ShoeOpened": lambda event: replace(event, policy=event.policy | {"jam": house.Row(todo="")}),
    "CardDealt": lambda event: replace(event, slot="D9"),
    "RoundClosed": lambda event: replace(event, carried=99),
    "ShoeEnded": lambda event: replace(event, why="closed by someone"),
}
"""Type of an event -> makes a false one of it."""


REACHED: Final = {
    "T02": FALSE.keys() - {"KeyRefused"},
    "T04": FALSE.keys() - {"KeyRefused", "Irregular"},
}
"""Table -> the types that it has."""


@pytest.mark.parametrize("table", REACHED)
def test_of_format_3_words_may_differ_and_facts_may_not(tables: Tables, table: str) -> None:
    folder = tables[BEFORE][table]
    assert warnings_of(folder) == []
    assert warnings_of(folder, in_other_words) == []
    changed = set[str]()
    for kind, made in FALSE.items():

        def change(event: events.AnyEvent, kind: str = kind, made: Change = made) -> events.AnyEvent:
            return made(event) if type(event).__name__ == kind else event

        if said := warnings_of(folder, change):
            assert "judges it differently from 0.1.0, in a journal of format 3" in said[0]
            changed.add(kind)
    assert changed == REACHED[table]


@each_kept
def test_it_gives_its_messages_again(tables: Tables, number: int, table: str, shoe: Run) -> None:  # noqa: F811
    paths = journal_files(tables[number][table])[1:]
    sent = [each for path in paths for each in shoe("replay", path).json]
    rounds = [each["payload"] for each in sent if each["topic"] == "round"]
    assert {(each["table"], each["v"]) for each in rounds} == {(table, V_OF[number])}
    states = [each["payload"] for each in sent if each["retain"]]
    assert {each["v"] for each in states} == {2}  # as this version makes them
    assert len({(each["shoe"], each["round"]) for each in rounds}) >= 4
    published = [each["payload"] for each in sent if each["topic"] in ("event", "round")]
    answers = [each["event"]["answer"] for each in published if each.get("event", {}).get("type") == "CommandAnswered"]
    refused = [each for each in answers if not each["ok"]]
    assert {said for each in refused for said in each} >= (
        {"error", "hint"} if number == BEFORE else {"code", "values"}
    )


def verified(
    folder: Path,
    files: list[Path],
    shoe: Run,  # noqa: F811
    vkey: str,
    verifier: Path = Path(verify.__file__),
) -> tuple[int, str]:
    exports = []
    for number, path in enumerate(files):
        exports.append(folder / f"{number}.export")
        assert shoe("journal", "export", path, "-o", exports[-1]).code == 0
    (folder / "keys.txt").write_text(f"log {vkey}\nquorum none\n")
    command = [sys.executable, "-I", "-S", str(verifier), "--policy", str(folder / "keys.txt"), "--no-witness"]
    done = subprocess.run([*command, *map(str, exports)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def device(table: str) -> Signer:
    return signer(f"shoe.invalid/{table}/b007", bytes(range(32)))


@pytest.mark.parametrize("number", [3, 4])
def test_the_auditor_verifies_it(tables: Tables, number: int, tmp_path: Path, shoe: Run) -> None:  # noqa: F811
    files = journal_files(tables[number]["T01"])
    code, said = verified(tmp_path, files, shoe, device("T01").key.vkey)
    assert code == 7, said  # a table in play
    code, said = verified(tmp_path, files[:-1], shoe, device("T01").key.vkey)
    assert (code, "all verified" in said) == (0, True), said


def test_an_export_has_the_format_of_its_journal(tables: Tables) -> None:
    """Also one that a back office makes of messages: it knows the public part alone."""
    for number, of in tables.items():
        for path in journal_files(of["T01"]):
            for line, _ in read_lines(Place(path, 0)):
                outside = without_sealed(line)
                assert (format_of(outside), without_sealed_part(line.data)) == (number, outside)
                assert exported(line.chain, verify.parse_line(outside).public, line.sealed_hash, line.proof) == outside


@pytest.mark.parametrize("number", [3, 4])
def test_a_line_begins_with_the_v_of_its_format(tables: Tables, number: int) -> None:
    """The same in both readers; a `v` that is not known has no format."""
    first, _ = next(iter(read_lines(Place(journal_files(tables[number]["T01"])[0], 0))))
    mark, _, head, public, sealed, proof = without_sealed(first).split(b"\t")
    begin = b'{"v":%d,' % V_OF[number]

    def line(public: bytes) -> bytes:
        body = b"\t".join((head, public, sealed, proof))
        return b"%b\t%08x\t%b" % (mark, crc32(body[:-1], crc32(mark)), body)

    assert (unseal(line(public)).public.v, verify.parse_line(line(public)).public) == (V_OF[number], public)
    for wrong in (
        b'{"v":%d,' % V_OF[7 - number],
        b'{"v":7,',
        b'{"v": %d,' % V_OF[number],
        b'{"table":"T01",' + begin[1:],
    ):
        changed = public.replace(begin, wrong, 1)
        with pytest.raises(verify.Refused, match="its format is not that of its entry"):
            verify.parse_line(line(changed))
        with pytest.raises(JournalError):
            unseal(line(changed))
        if wrong != b'{"v":%d,' % V_OF[7 - number]:
            with pytest.raises(UnknownVersion, match=r"^an entry with v (7|1|2|none), and this version knows 1 and 2"):
                exported(head.decode(), changed, "0" * 64, NO_PROOF)
