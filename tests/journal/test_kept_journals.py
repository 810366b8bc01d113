"""Kept journals of both formats: this version reads and verifies them, and a table goes on with its own."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import pytest
from msgspec.structs import replace
from pytest_mock import MockerFixture

from firmware_bridge.daemon.table.broker_outage import BrokerOutage
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.errors import JournalError
from firmware_bridge.facts import events, house, inputs, orders
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.facts.cards import cards
from firmware_bridge.facts.wire import UnknownVersion
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import (
    BEFORE,
    FORMAT,
    NO_PROOF,
    V_OF,
    Line,
    exported,
    format_of,
    unseal,
    without_sealed,
    without_sealed_part,
)
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.rejudge import Rejudge
from firmware_bridge.journal.resend import lines_of, ranges
from firmware_bridge.record import verify
from firmware_bridge.record.signer import Signer, signer
from firmware_bridge.topics.before import as_written
from tests.kit import kept_formats as kept
from tests.kit.command import Run, shoe  # noqa: F401  # fixture
from tests.kit.delivered_record import NoLamps

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


class GoingOn:
    """A table of this version on a journal of the one before, until `close`. sent: payloads of its messages."""

    def __init__(self, folder: Path) -> None:
        self.loop, self.sent = asyncio.new_event_loop(), list[dict[str, Any]]()
        self.journal, lamps = Journal(folder).open(None), NoLamps()
        self.journal.tree.signers = (device(folder.name),)
        self.table = Table(
            self.journal, folder.name, lamps, lambda _: None, self._publishing, lambda: None, self.loop, False
        )
        self.table.start(self.table.shoe.device.next_house)

    def order(self, order: orders.Order) -> None:
        self.table.handle(replace(inputs.Ordered(at=0, order=order, by="ANNA", nonce=nonce()), **now()))

    def trouble(self) -> None:
        """Alarms with phrases, a refused key, a refused order, and one that cannot be carried out."""
        flood, gone = phrase("too_many_reports", most=10, seconds=10), phrase("port_gone", port="/dev/x", error="EIO")
        self.table.handle(inputs.ReaderFaulted(**now(), code=flood.code, values=flood.values))
        self.table.handle(inputs.DeviceLost(**now(), device="reader", code=gone.code, values=gone.values))
        self.table.handle(replace(inputs.CardRead(at=0, card=cards("2c")[0], nonce=nonce(), gap=True), **now()))
        self.table.handle(inputs.Pressed(**now(), key="reveal", nonce=nonce()))
        self.order(orders.Correct(99, ("2c",), "no such round"))
        self.order(orders.malformed("void", "field_unknown", name="wy", todo=phrase("did_you_mean", word="why")))

    def close(self) -> None:
        self.table.close()
        self.journal.close()
        self.loop.close()

    def _publishing(self, line: Line) -> Callable[[], None]:
        return lambda: self.sent.extend(json.loads(each.payload) for each in messages(line))


def formats(path: Path) -> set[int | None]:
    return {format_of(line) for line in path.read_bytes().splitlines() if line.strip()}


def new_lines(path: Path, before: dict[Path, bytes]) -> list[bytes]:
    data = path.read_bytes()
    assert data.startswith(before[path].rstrip(b"\n "))
    return [each.rstrip(b" ") for each in data[len(before[path]) :].splitlines() if each.strip()]


@pytest.mark.parametrize("table", TABLES)
def test_inside_an_open_file_all_is_as_the_version_before_reads_it(tmp_path: Path, shoe: Run, table: str) -> None:  # noqa: F811
    folder = kept.journals(tmp_path)[TABLES.index(table)]
    before = {path: path.read_bytes() for path in journal_files(folder)}
    there = GoingOn(folder)
    there.trouble()
    there.close()
    assert journal_files(folder) == list(before)
    lines = new_lines(list(before)[-1], before)
    assert len(lines) >= 5
    assert [fault for each in lines for fault in kept.unread_before(each)] == []
    assert {format_of(each) for each in lines} == {BEFORE}
    assert {each["v"] for each in there.sent} == {1}
    kinds = {each["event"]["type"] for each in there.sent if "event" in each}
    assert kinds >= {"BridgeStarted", "Irregular", "KeyRefused", "CommandAnswered"}
    ran = shoe("journal", "verify", "--replay", "--jobs", "1", "--dir", folder)
    assert (ran.code, "FAIL" in ran.out) == (0, False), ran.out
    old = sum(len([each for each in data.splitlines() if each.strip()]) for data in before.values())
    assert warnings_of(folder, since=old) == []
    again = GoingOn(folder)  # it folds to what it was
    assert (
        again.table.shoe.device.irregular[: len(there.table.shoe.device.irregular)] == there.table.shoe.device.irregular
    )
    again.close()


@pytest.mark.parametrize("number", [3, 4])
def test_an_outage_is_on_record_once_for_one_reason(tmp_path: Path, number: int) -> None:
    """However often the broker takes the connection and ends it again, and over a restart."""
    folder, why = kept.journals(tmp_path, number)[1], phrase("refused", at="broker:1883")
    for entries in (1, 0):
        there = GoingOn(folder)
        begun, ups = there.table.shoe.seq, [False]
        outage = BrokerOutage(there.table, lambda ups=ups: ups[-1], lambda: False, there.loop)  # type: ignore[misc]
        for each in (why, phrase("refused", at="broker:1883")):
            outage.warn(each)
            there.loop.run_until_complete(asyncio.sleep(0))
        for _ in range(4):
            ups.append(True)
            outage.up()
            ups.append(False)
            outage.down(why)
            there.loop.run_until_complete(asyncio.sleep(0))
        assert there.table.shoe.seq - begun == entries
        outage.down(phrase("timeout", at="broker:1883"))
        there.loop.run_until_complete(asyncio.sleep(0))
        assert there.table.shoe.seq - begun == entries + 2
        outage.warn(why)
        there.loop.run_until_complete(asyncio.sleep(0))
        outage.close()
        there.close()


@pytest.mark.parametrize("number", [3, 4])
def test_a_round_is_void_without_a_word(tmp_path: Path, number: int) -> None:
    there = GoingOn(kept.journals(tmp_path, number)[1])
    there.table.handle(replace(inputs.CardRead(at=0, card=cards("2c")[0], nonce=nonce()), **now()))
    there.order(orders.Void(""))
    [void] = [each for each in there.sent if each.get("status") == "voided"]
    assert void["why"] == ([""] if number == BEFORE else [])
    there.close()


def test_the_verifier_of_before_takes_a_shoe_that_goes_on_and_refuses_the_next_file(tmp_path: Path, shoe: Run) -> None:  # noqa: F811
    folder = kept.journals(tmp_path / "before")[1]
    before, vkey, old = journal_files(folder), device("T01").key.vkey, kept.verifier_before(tmp_path)
    open_shoe = kept.journals(tmp_path / "open")[1]
    there = GoingOn(open_shoe)
    there.trouble()
    there.close()
    code, said = verified(tmp_path, journal_files(open_shoe), shoe, vkey, old)
    assert (code, "T01: verified up to entry" in said) == (7, True), said
    there = GoingOn(folder)
    there.order(orders.CloseShoe("worn"))
    code, said = verified(tmp_path, before, shoe, vkey, old)
    assert (code, "all verified" in said) == (0, True), said
    there.order(orders.OpenShoe())
    there.close()
    code, said = verified(tmp_path, journal_files(folder), shoe, vkey, old)
    assert (code, "line 1: line format b'4' is not b'3'" in said) == (1, True), said


@pytest.mark.parametrize("table", TABLES)
def test_a_table_goes_on_in_its_file_of_the_present_format(tmp_path: Path, shoe: Run, table: str) -> None:  # noqa: F811
    folder = kept.journals(tmp_path, FORMAT)[TABLES.index(table)]
    before = {path: path.read_bytes() for path in journal_files(folder)}
    there = GoingOn(folder)
    there.trouble()
    there.close()
    assert journal_files(folder) == list(before)
    assert len(new_lines(list(before)[-1], before)) >= 4
    assert formats(list(before)[-1]) == {FORMAT}
    assert {each["v"] for each in there.sent} == {2}
    ran = shoe("journal", "verify", "--replay", "--jobs", "1", "--dir", folder)
    assert (ran.code, "FAIL" in ran.out) == (0, False), ran.out
    again = GoingOn(folder)  # it folds to what it was
    kept_on = there.table.shoe.device.irregular
    assert again.table.shoe.device.irregular[: len(kept_on)] == kept_on
    again.close()


def test_the_next_file_is_of_the_present_format(tmp_path: Path, shoe: Run) -> None:  # noqa: F811
    folder = kept.journals(tmp_path / "before")[1]
    before = {path: path.read_bytes() for path in journal_files(folder)}
    newest = journal_files(folder)[-1]
    there = GoingOn(folder)
    there.order(orders.CloseShoe("worn"))
    sent = len(there.sent)
    there.order(orders.OpenShoe())
    there.trouble()
    there.close()
    assert ({each["v"] for each in there.sent[:sent]}, {each["v"] for each in there.sent[sent:]}) == ({1}, {2})
    assert all(path.read_bytes() == data for path, data in before.items() if path != newest)
    [later] = set(journal_files(folder)) - set(before)
    assert (formats(newest), formats(later)) == ({BEFORE}, {FORMAT})
    ran = shoe("journal", "verify", "--jobs", "1", "--dir", folder)
    assert (ran.code, "FAIL" in ran.out) == (0, False), ran.out
    code, said = verified(tmp_path, journal_files(folder), shoe, device("T01").key.vkey)
    assert code == 7, said  # a table in play, over files of both
    ran = shoe("journal", "list", "--dir", folder)
    assert (ran.code, len(ran.out.splitlines()) >= len(before) + 1) == (0, True), ran.out
    parts = ranges(folder, orders.Resend(since="2020-01-01T00:00:00Z"), "T01")
    again = {line.public.v for part in parts for line in lines_of(folder, part, lambda _: None)}
    assert again == {1, 2}


def test_a_file_whose_format_changes_is_not_verified(tmp_path: Path, mocker: MockerFixture, shoe: Run) -> None:  # noqa: F811
    """Also where the table signed it: what a shoe says has one form from its first entry to its last."""
    folder = kept.journals(tmp_path)[1]
    [*_, newest] = journal_files(folder)
    lines = len([each for each in newest.read_bytes().splitlines() if each.strip()])
    mocker.patch.object(Journal, "format_for", return_value=FORMAT)
    there = GoingOn(folder)
    there.trouble()
    there.close()
    assert formats(newest) == {BEFORE, FORMAT}
    ran = shoe("journal", "verify", "--jobs", "1", "--dir", folder)
    assert (ran.code, f"{newest.name}, line {lines + 1}: its format is not that of" in ran.out) == (1, True), ran.out


STEPS: Final = ("pwrite", "fdatasync", "rename", "fsync")
"""What a table does to the disk at a change of files."""


def killed_at(folder: Path, step: int) -> bool:
    """Begin the next file in a process that is killed before its `step`-th write; return whether it came that far."""
    if (child := os.fork()) == 0:
        left = count(step, -1)

        def before(real: Callable[..., Any]) -> Callable[..., Any]:
            def then(*words: Any) -> Any:
                if next(left) == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*words)

            return then

        try:
            there = GoingOn(folder)
            there.order(orders.CloseShoe("worn"))
            for name in STEPS:
                vars(os)[name] = before(getattr(os, name))
            there.order(orders.OpenShoe())
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_killed_at_the_change_of_files_it_goes_on_in_the_one_or_the_other(tmp_path: Path, shoe: Run) -> None:  # noqa: F811
    [source, *_] = kept.journals(tmp_path / "before")[1:2]
    found = []
    for step in count():
        folder = tmp_path / str(step) / source.name
        shutil.copytree(source, folder)
        was_killed = killed_at(folder, step)
        there = GoingOn(folder)
        there.trouble()
        there.close()
        assert all(len(formats(path)) == 1 for path in journal_files(folder))
        found.append(formats(journal_files(folder)[-1]))
        ran = shoe("journal", "verify", "--jobs", "1", "--dir", folder)
        assert (ran.code, "FAIL" in ran.out) == (0, False), ran.out
        if not was_killed:
            break
    assert (found[0], found[-1], len(found) > 3) == ({BEFORE}, {FORMAT}, True)
    assert found == sorted(found, key=max)  # type: ignore[arg-type]  # each has a format
