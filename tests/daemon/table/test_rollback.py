"""What proves that a record was taken back, and what does not: by every signer, record, size, head and source."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Final, cast

import msgspec
import pytest

from firmware_bridge.daemon.table.recorder import NEXT, ROLLED_BACK
from firmware_bridge.daemon.table.rollback import FILE, By, Own, Proof, by_note, by_word, keep, kept
from firmware_bridge.facts import orders
from firmware_bridge.facts.events import RecordBegun
from firmware_bridge.facts.inputs import Follows
from firmware_bridge.facts.wire import Stored
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.record.signer import Signer, checkpoint_text, signed_note, signer
from firmware_bridge.record.verify import Refused
from tests.journal.restarted import SOURCES, Restarted, Source

HERE, BEFORE, STRANGE = "shoe.invalid/pi/2", "shoe.invalid/pi/1", "shoe.invalid/other/2"
ORIGINS = (HERE, BEFORE, STRANGE)
PRESENT, RETIRED, STRANGER = (bytes([n]) * 32 for n in (1, 2, 3))
SIZE: Final = 9
ROOTS: Final = {size: bytes([size]) * 32 for size in range(4, SIZE + 1)}
"""Of the sizes that are still known."""

SIZES: Final = (1, 3, 4, 8, SIZE, SIZE + 1, 200)

SIGNERS: Final[dict[str, tuple[bytes, ...]]] = {
    "the present key": (PRESENT,),
    "the present key and the one before": (PRESENT, RETIRED),
    "the key before alone": (RETIRED,),
    "a stranger": (STRANGER,),
    "a stranger and the key before": (STRANGER, RETIRED),
}


def begun(follows: str | None) -> RecordBegun:
    return RecordBegun(origin=HERE, key=signer(HERE, PRESENT).key.vkey, follows=Follows(follows, 5, "0" * 64, 0))


def own(follows: str | None = BEFORE, size: int = SIZE, end: int = 5) -> Own:
    return Own(begun(follows=follows), size, ROOTS.get, Cursor("3-aa", end))


def forged(by: Signer) -> Signer:
    """Signs in the name of a key, with another one."""
    return by._replace(sign=signer(by.key.name, STRANGER).sign)


def proof(by: By, note: str) -> Proof | None:
    try:
        return by_note(by, note, own())
    except Refused:
        return None


def test_a_note_proves_it_by_the_present_key_alone_and_of_this_record_alone() -> None:
    """By all who say it: signers, records, sizes known, no longer known and beyond the end, heads equal and other."""
    found = 0
    sources: tuple[By, ...] = ("witnesses", "broker", "store")
    for source, (who, seeds), origin, size, is_same in product(sources, SIGNERS.items(), ORIGINS, SIZES, (True, False)):
        root = ROOTS.get(size, bytes(32)) if is_same else b"\xff" * 32
        note = signed_note(checkpoint_text(origin, size, root), [signer(origin, seed) for seed in seeds])
        is_other = size > SIZE or (size in ROOTS and not is_same)
        expected = origin == HERE and PRESENT in seeds and is_other
        made = proof(source, note)
        assert (made is not None) == expected, (source, who, origin, size, is_same)
        if made:
            found += 1
            assert made.values == {"proof": source, "entries": size, "here": SIZE}
            assert made.text == note
    assert found == 3 * 2 * (2 * 2 + 3)


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_forged_note_proves_nothing(origin: str) -> None:
    text = checkpoint_text(origin, SIZE + 1, bytes(32))
    by = signer(origin, PRESENT)
    good = signed_note(text, [by])
    assert (proof("broker", good) is not None) is (origin == HERE)
    for bad in (
        signed_note(text, [forged(by)]),
        signed_note(text, [forged(by), signer(origin, RETIRED)]),
        good.replace(f"\n{SIZE + 1}\n", f"\n{SIZE + 2}\n"),
        good.replace(BEFORE, HERE) if origin == BEFORE else text,
        good[:-9],
        "",
    ):
        assert proof("broker", bad) is None


def test_a_note_that_would_prove_nothing_costs_no_verification() -> None:
    """Anybody may send one: a bad signature under an old size is not even looked at."""
    text = checkpoint_text(HERE, SIZE, ROOTS[SIZE])
    assert by_note("broker", signed_note(text, [forged(signer(HERE, PRESENT))]), own()) is None


def test_the_word_of_a_store_proves_it_beyond_the_end_of_the_newest_journal() -> None:
    """Not of another journal, nor of the one in which the record took over from another one."""
    journals, seqs, heads = ("3-aa", "2-bb", "4-cc", ""), (1, 4, 5, 6, 198), (None, "0" * 64)
    for journal, seq, head, follows, size in product(journals, seqs, heads, (None, BEFORE), (4, 5, 9)):
        made = by_word(Stored(journal, seq, "floor", head), own(follows, size, end=5))
        took_over = follows is not None and size < 5
        assert (made is not None) == (journal == "3-aa" and seq > 5 and not took_over), (journal, seq, follows, size)
        if made:
            assert made.values == {"proof": "stored", "entries": seq, "here": 5, "journal": "3-aa"}


@pytest.fixture
def card(tmp_path: Path) -> Iterator[Card]:
    loop = asyncio.new_event_loop()
    yield Card(tmp_path, loop)
    loop.close()


class Card:
    """A table's card, its key and the next one: to start on, and to copy."""

    def __init__(self, folder: Path, loop: asyncio.AbstractEventLoop) -> None:
        self.journal, self._saved, self._key, self._loop = folder / "journal", folder / "saved", folder / "key", loop
        self._key.write_bytes(PRESENT)
        self._key.with_name(f"key{NEXT}").write_bytes(STRANGER)

    def start(self) -> closing[Restarted]:
        return closing(Restarted(self.journal, self._key, self._loop))

    def save(self) -> None:
        shutil.copytree(self.journal, self._saved)

    def take_back(self) -> None:
        shutil.rmtree(self.journal)
        self._saved.rename(self.journal)


def stated(table: Restarted) -> str:
    """What a store says, in its own name, of a table's newest entry."""
    line = table.sent[-1].public
    return msgspec.json.encode(Stored(line.journal, line.seq, "floor")).decode()


@pytest.mark.parametrize("source", [*SOURCES, "word"])
def test_a_table_that_was_taken_back_signs_nothing_until_another_record_begins(card: Card, source: str) -> None:
    with card.start() as table:
        table.deal("9sTdTsTc")
    card.save()
    with card.start() as table:
        table.deal("2s3h4d5c")
        newest, word = table.notes[-1], stated(table)
    card.take_back()

    def hear(table: Restarted) -> None:
        if source == "word":
            table.recorder.stored(word.encode(), "floor")
        else:
            table.hear(newest, cast(Source, source))

    with card.start() as table:
        assert table.alarms() == set()
        if source == "word":
            for trusted in (None, "other"):
                table.recorder.stored(word.encode(), trusted)
        else:
            table.recorder.receive(signed_note(checkpoint_text(HERE, 99, bytes(32)), [signer(HERE, PRESENT)]).encode(),
                                is_retained=True)  # fmt: skip
        assert table.alarms() == set()
        hear(table)
        assert table.alarms() == {ROLLED_BACK}
        before = len(table.notes)
        table.deal("2s3h4d5c")
        assert len(table.notes) == before
    with card.start() as table:  # whatever it hears now
        table.deal("Kd9c8h8s")
        assert (table.alarms(), table.notes) == ({ROLLED_BACK}, [])
        assert table.begin_record().ok
        assert table.alarms() == set()
        before = len(table.notes)
        hear(table)
        assert table.alarms() == set()
        table.order(orders.OpenShoe())
        assert len(table.notes) > before


def test_what_was_signed_of_the_record_before_counts_no_more_in_the_same_run(card: Card) -> None:
    with card.start() as table:
        table.deal("9sTdTsTc")
    with card.start() as table:
        table.deal("2s3h4d5c")
        newest = table.notes[-1]
        assert table.begin_record().ok
        for source in SOURCES:
            table.hear(newest, source)
        state = table.recorder.state()
        assert (table.alarms(), state.signed, state.witnessed) == (set(), True, 0)
        assert state.origin
        more = signed_note(checkpoint_text(state.origin, 99, bytes(32)), [signer(state.origin, STRANGER)])
        table.hear(more, "broker")  # of the present one it does
        assert table.alarms() == {ROLLED_BACK}


def test_a_proof_is_kept_for_its_record_alone(tmp_path: Path) -> None:
    assert kept(tmp_path, HERE) is None
    made = Proof(HERE, "stored", 198, 150, "text", "3-aa")
    keep(tmp_path, made)
    assert kept(tmp_path, HERE) == made
    assert kept(tmp_path, BEFORE) is None
    for junk in (b"", b"\xff", b"{}", b"[", (tmp_path / FILE).read_bytes()[:-5]):
        (tmp_path / FILE).write_bytes(junk)
        assert kept(tmp_path, HERE) is None
