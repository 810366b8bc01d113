"""Entries as a journal of format 3 has them: whatever they say, the version before can read it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from msgspec import Raw, convert, inspect, to_builtins
from msgspec.structs import replace
from pytest_mock import MockerFixture

from firmware_bridge.demo.memory_table import MemoryTable
from firmware_bridge.facts import events, house, inputs, orders
from firmware_bridge.facts.book import refusals
from firmware_bridge.facts.book.alarms import PHRASES, SHOE, values_of
from firmware_bridge.facts.book.endings import ALARMS, REASONS, SHOES
from firmware_bridge.facts.book.notes import HELD_BEFORE, NOTES
from firmware_bridge.facts.book.refusals import Value, phrase
from firmware_bridge.facts.events import AnyEvent, Entry
from firmware_bridge.floor.record.before_codes import alarm_ended, shoe_ended
from firmware_bridge.games import GAMES
from firmware_bridge.journal.audit import Audit
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.line import BEFORE, FIRST_CHAIN, FORMAT, Line, seal
from firmware_bridge.shoe import advance, step
from firmware_bridge.topics.before import as_written
from tests.floor.facts import dealing
from tests.golden.command import OF_A_DAY
from tests.golden.digests import Tape
from tests.golden.golden_table import GoldenTable
from tests.golden.play import scenarios
from tests.kit import kept_formats as kept
from tests.kit.rows import each_row
from tests.kit.table import Table

REFUSALS: Final = [json.loads(each) for each in Path(__file__).with_name("refusals.jsonl").read_text().splitlines()]
PRESSED: Final = inputs.Pressed(at=0, salt="ab" * 16, key="next", nonce="")


def entry(*made: AnyEvent, fact: inputs.AnyInput = PRESSED) -> Entry:
    return Entry("T07", 1, "1-ab", 7, "b007", fact, made)


def line(of: Entry) -> Line:
    """Its line in a file of format 3; sealing checks that the bytes give back the entry."""
    return seal(as_written(of, BEFORE), FIRST_CHAIN, number=BEFORE)


def written(of: Entry) -> list[dict[str, Any]]:
    made = line(of)
    assert kept.unread_before(made.data) == []
    return [json.loads(bytes(raw)) for raw in made.public.events]


def some(kind: str) -> Iterator[Value]:
    """Values of a kind, as an alarm may have them."""
    match kind:
        case "number":
            yield 3
        case "phrase" | "prompt" | "clauses":
            yield "as it was"
            yield from (
                phrase(code, **{name: next(some(of)) for name, of in row.items()}) for code, row in PHRASES.items()
            )
            yield (phrase("no_key"), phrase("order_waits", number=3, by="ANNA", what="void"))
        case "list":
            yield ("cut", "lid")
        case _:
            yield "P1"


@each_row("id", list(SHOE))
def test_an_alarm_has_its_english_and_values_of_one_level(id: str) -> None:
    for name, kind in SHOE[id].values.items():
        for value in some(kind):
            [shown] = written(entry(events.Irregular(id=id, since=1, values={name: value})))
            assert shown["detail"]
            assert {type(each) for each in shown["values"].values()} <= {str, int}
    [shown] = written(entry(events.Irregular(id=id, since=1)))
    assert shown["detail"]


def test_a_phrase_of_an_alarm_stands_there_in_english() -> None:
    why = phrase("reports_lost_before", number=2)
    [shown] = written(entry(events.Irregular(id="reader_gap", since=1, values={"why": why})))
    assert shown["values"] == {"why": "reports before number 2 are lost"}
    assert shown["detail"] == "Cards may be missing (reports before number 2 are lost)"


FAULT: Final = phrase("no_reader", port="/dev/x", found=phrase("readers_found", readers=("/dev/a", "/dev/b")))
"""A failure with one inside it, and what it says."""

FAULT_IN_ENGLISH: Final = "no reader at /dev/x: check its cable and [reader] port; readers found: /dev/a, /dev/b"


@pytest.mark.parametrize(
    "fact",
    [
        inputs.DeviceLost(at=0, salt="ab" * 16, device="reader", code=FAULT.code, values=FAULT.values),
        inputs.DeviceLost(at=0, salt="ab" * 16, device="broker", code=FAULT.code, values=FAULT.values),
        inputs.ReaderFaulted(at=0, salt="ab" * 16, code=FAULT.code, values=FAULT.values),
        inputs.DiskFailed(
            at=0, salt="ab" * 16, irregularity="disk_full", code=FAULT.code, values=FAULT.values, until=9
        ),
    ],
)
def test_a_fault_is_kept_in_english_and_gives_the_same_when_it_is_judged_again(fact: inputs.AnyInput) -> None:
    shoe = Table(burn="none").play("shoe").shoe
    made = step(shoe, fact, "T07", "b007", None)
    assert made
    before = line(made.entry)
    assert kept.unread_before(before.data) == []
    assert before.entry
    assert (before.entry.input.why, before.entry.input.code) == (FAULT_IN_ENGLISH, "")
    again = step(shoe, before.entry.input, "T07", "b007", None)
    assert again
    assert as_written(again.entry, BEFORE).events == before.entry.events
    [shown, *_] = [json.loads(bytes(raw)) for raw in before.public.events]
    assert shown["values"] == {"why": FAULT_IN_ENGLISH}


def test_a_shoe_ends_there_in_english_and_the_office_reads_that_as_the_code() -> None:
    for code, row in SHOES.items():
        values: dict[str, Value] = dict.fromkeys(row, "ANNA")
        for typed in ("", "worn"):
            ended = events.ShoeEnded(code=code, values=values, why=typed, rounds=3)
            [shown] = written(entry(ended))
            assert {*shown} == {"type", "why", "rounds"}
            as_read = shoe_ended(shown["why"])
            assert (as_read.code, as_read.alarm) == (code, values.get("alarm", ""))
            assert as_read.by == ("" if typed else values.get("by", ""))
            assert as_read.why == (typed if code in ("closed", "pit") else "")


def test_an_alarm_ends_there_in_english_and_the_office_reads_that_as_the_code() -> None:
    for code, row in ALARMS.items():
        counts: dict[str, Value] = dict.fromkeys(row, 37)
        for values in ({}, counts):
            if code == "no_repeat" and not values:
                continue
            closed = events.IrregularityClosed(id="jam", choice=code, values=values, by="ANNA")
            [shown] = written(entry(closed))
            assert {*shown} == {"type", "id", "choice", "by"} | ({"why"} if "losses" in values else set())
            assert ("_" in shown["choice"], alarm_ended(shown["choice"])) == (False, code)
            assert shown.get("why", "lost 37 times") == "lost 37 times"
    [shown] = written(entry(events.IrregularityClosed(id="jam", choice="no_repeat", values={"cards": 50})))
    assert shown["choice"] == "50 cards without a repeat"
    decided = events.IrregularityClosed(id="jam", choice="end-shoe", by="ANNA", why="worn")
    assert as_written(entry(decided), BEFORE).events == (decided,)


def test_a_card_is_held_there_in_english() -> None:
    for code, reason, why in (
        ("blocked", "", "blocked"),
        ("blocked", "shared port", "shared port"),
        ("foreign", "", "foreign"),
        *((code, "", english) for code, english in HELD_BEFORE.items()),
    ):
        [shown] = written(entry(events.CardHeld(code=code, reason=reason)))
        assert shown == {"type": "CardHeld", "why": why}


@each_row("code", list(NOTES))
def test_a_note_stands_there_in_english(code: str) -> None:
    values: dict[str, Value] = {name: 37 if kind == "number" else "{ANNA}" for name, kind in NOTES[code].items()}
    [shown] = written(entry(events.Noted(code=code, values=values, held=True)))
    assert {*shown} == {"type", "what", "held"}
    assert all(str(value) in shown["what"] for value in values.values())


def test_a_round_is_void_there_in_english() -> None:
    for reason, why in (
        (events.Reason("floor", {"says": "worn", "by": "ANNA"}), "worn"),
        (events.Reason("decided", {"alarm": "jam", "says": "worn"}), "jam: worn"),
        (events.Reason("decided", {"alarm": "jam", "says": ""}), "jam"),
        (events.Reason("floor", {"says": "", "by": "ANNA"}), ""),
        (events.Reason("floor", {}), ""),
        (events.Reason("shoe_empty", {}), "the shoe is empty"),
    ):
        void = events.RoundVoided(
            game="baccarat",
            round=3,
            cards=(),
            why=(),
            by="ANNA",
            last=False,
            prev=None,
            unit="stake",
            reasons=(reason,),
        )
        [shown] = written(entry(void))
        assert (shown["why"], shown["reasons"]) == ([why], [])


def bare(kind: inspect.Type) -> Any:
    """The least that a type can have: an empty text, the first word, no values."""
    match kind:
        case inspect.UnionType(types=kinds):
            return bare(kinds[0])
        case inspect.Metadata(type=inside):
            return bare(inside)
        case inspect.StructType(fields=fields, cls=cls):
            return cls(**{each.name: bare(each.type) for each in fields if each.required})
        case inspect.LiteralType(values=(first, *_)):
            return first
        case inspect.EnumType(cls=cls):
            return next(iter(cls))
        case inspect.RawType():
            return Raw(b"{}")
        case inspect.BoolType():
            return False
        case inspect.IntType():
            return 1
        case inspect.StrType():
            return ""
        case inspect.DictType():
            return {}
        case inspect.VarTupleType():
            return ()
    raise AssertionError(kind)


def least() -> Iterator[AnyEvent]:
    """Each event with nothing in it that may be missing, and each code and id with no value, or all empty."""
    for kind in get_args(AnyEvent):
        yield bare(inspect.type_info(kind))
    empty: dict[str, Any] = {"by": "", "alarm": "", "says": ""}
    void = bare(inspect.type_info(events.RoundVoided))
    for values in ({}, empty):
        for code in (*SHOES, "later", ""):
            yield events.ShoeEnded(code=code, values=values, rounds=1)
        for id in (*REASONS, "later", ""):
            yield replace(void, reasons=(events.Reason(id, values),))
        for code in (*NOTES, "later", ""):
            yield events.Noted(code=code, values=values)
        for choice in (*ALARMS, "later", ""):
            yield events.IrregularityClosed(id="", choice=choice, values=values)
    device = events.Device(irregular=(events.Irregular(id="jam", since=1), events.Irregular(id="later", since=1)))
    yield replace(bare(inspect.type_info(events.ShoeOpened)), device=device, policy={"jam": house.Row()})
    for id in (*SHOE, "later"):
        for nothing in ("", (), phrase("later"), phrase("no_reader")):
            yield events.Irregular(id=id, since=1, values=dict.fromkeys(values_of(id), nothing))
    for code in (*refusals.REFUSALS, "later", ""):
        for said in (None, ""):
            answer = orders.Answer(ok=False, code=code, error=said, hint=said)
            yield events.CommandAnswered(answer=answer, by="")
        yield events.KeyRefused(key="", code=code)
        some_values: dict[str, Value] = dict.fromkeys(refusals.REFUSALS.get(code, {}), "")
        yield events.KeyRefused(key="", code=code, values=some_values)


def test_whatever_is_empty_or_missing_is_written_for_the_version_before() -> None:
    made = [*least()]
    for each in made:
        written(entry(each))
        of = as_written(entry(each), BEFORE)
        assert as_written(of, BEFORE) == of
    assert {type(each) for each in made} == {*get_args(AnyEvent)}


def test_an_error_in_the_words_costs_the_words_alone(mocker: MockerFixture) -> None:
    """What was judged well goes on record: the process does not end, at this input and again at each start."""
    for each in ("what", "sentence", "worded", "english", "todo", "_ended", "_voided"):
        mocker.patch(f"firmware_bridge.topics.before.{each}", side_effect=KeyError(each))
    for made in least():
        [shown] = written(entry(made))
        assert shown["type"] == type(made).__name__
    order = orders.malformed("void", "late")
    for fact in (
        inputs.DeviceLost(at=0, salt="ab" * 16, device="reader", code="no_reader"),
        inputs.ReaderFaulted(at=0, salt="ab" * 16, code="no_reader"),
        inputs.DiskFailed(at=0, salt="ab" * 16, irregularity="disk_full", code="unconfirmed", until=9),
        inputs.Ordered(at=0, salt="ab" * 16, order=order, by="ANNA", nonce=""),
    ):
        written(entry(events.KeyRefused(key="next", code="late"), fact=fact))


def play(mocker: MockerFixture, names: Iterable[str]) -> int:
    """Play golden scenarios, each entry in the format before; return how many entries there were."""
    lines = 0

    def record(_: GoldenTable, made: Line) -> None:
        nonlocal lines
        assert made.entry
        written(made.entry)
        lines += 1

    mocker.patch.object(GoldenTable, "record", record)
    for name in names:
        if not name.startswith("command-"):  # that prints and records nothing
            scenarios()[name](Tape())
    return lines


def test_what_is_played_is_written_for_the_version_before(mocker: MockerFixture) -> None:
    assert play(mocker, OF_A_DAY) > 500


@pytest.mark.story
def test_all_that_is_played_is_written_for_the_version_before(mocker: MockerFixture) -> None:
    assert play(mocker, scenarios()) > 20_000


def test_a_refused_key_says_why() -> None:
    for each in REFUSALS:
        values = convert(each["values"], dict[str, Value])
        [shown] = written(entry(events.KeyRefused(key="next", code=each["code"], values=values)))
        assert (shown["why"], shown["code"]) == (each["error"], each["code"])
    [shown] = written(entry(events.KeyRefused(key="next")))
    assert shown["why"]


def test_an_order_that_cannot_be_carried_out_is_kept_without_values() -> None:
    for each in REFUSALS:
        order = orders.malformed("void", each["code"], **convert(each["values"], dict[str, Value]))
        fact = inputs.Ordered(at=0, salt="ab" * 16, order=order, by="ANNA", nonce="")
        answer = orders.Answer(ok=False, code=order.code, values=order.values)
        of = entry(events.CommandAnswered(answer=answer, by="ANNA"), fact=fact)
        [shown] = written(of)
        assert shown["answer"] == {
            "ok": False,
            "code": each["code"],
            "error": each["error"],
            "hint": each["hint"] or "-",
        }
        again = replace(
            as_written(of, BEFORE), events=(events.CommandAnswered(answer=replace(answer, values={}), by="ANNA"),)
        )
        assert as_written(again, BEFORE) == as_written(of, BEFORE)


def test_what_is_in_the_format_before_stays_as_it_is() -> None:
    of = as_written(entry(events.Irregular(id="foreign", since=1, values={"why": phrase("not_in_book")})), BEFORE)
    assert as_written(of, BEFORE) == of


def test_a_journal_of_this_format_gets_what_was_decided() -> None:
    of = entry(events.Irregular(id="foreign", since=1, values={"why": phrase("not_in_book")}))
    assert as_written(of, FORMAT) is of


def test_the_version_before_does_not_read_what_this_one_says() -> None:
    of = entry(events.Irregular(id="foreign", since=1), events.KeyRefused(key="next", code="late"))
    faults = kept.unread_before(seal(of, FIRST_CHAIN).data)
    assert faults == ["'detail' is a required property", "'why' is a required property"]


class TableBefore(MemoryTable):
    """A table all of whose journals are of format 3."""

    def handle(self, fact: inputs.AnyInput, judge: Any = None) -> Line | None:
        made = step(self.shoe, fact, self.name, self.boot, judge)
        if made is None:
            return None
        of = self.dialect(made.entry)
        sealed = seal(of, self.chain, self.tree.prove, BEFORE)
        self.tree.added(sealed)
        self.shoe, self.chain = advance(self.shoe, of), sealed.chain
        return sealed

    def dialect(self, entry: Entry) -> Entry:
        return as_written(entry, BEFORE)


class TableOfCodes(TableBefore):
    """One of the sources of 30 November 2026: they had codes, and format 3 still."""

    def dialect(self, entry: Entry) -> Entry:
        return entry


def rounds(folder: Path, mocker: MockerFixture, game: str, table: type[MemoryTable]) -> list[bytes]:
    """The lines of rounds of a game, judged again."""
    mocker.patch.object(dealing, "MemoryTable", table)
    dealing.Dealing("T07", game, folder, 1).play(4)
    audit = Audit(folder / "T07", whole=True, replay=True, as_written=as_written)
    for path in journal_files(folder / "T07"):
        verdict = audit.verify(path)
        assert (verdict.warnings, verdict.proved[-1]) == ((), "judged again")
    assert to_builtins(audit.finish()) is None
    return [each for path in journal_files(folder / "T07") for each in path.read_bytes().splitlines() if each.strip()]


@pytest.mark.parametrize("game", GAMES)
def test_rounds_of_each_game_are_read_by_the_version_before_and_judged_again(
    tmp_path: Path, mocker: MockerFixture, game: str
) -> None:
    lines = rounds(tmp_path, mocker, game, TableBefore)
    assert [fault for each in lines for fault in kept.unread_before(each.rstrip(b" "))] == []


@pytest.mark.parametrize("game", GAMES)
def test_journals_of_format_3_that_have_codes_are_judged_again(
    tmp_path: Path, mocker: MockerFixture, game: str
) -> None:
    assert rounds(tmp_path, mocker, game, TableOfCodes)
