"""What a power cut may leave of the last record, and what else refuses a start."""

from collections.abc import Callable

import pytest

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.audit import Audit
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_id
from firmware_bridge.journal.preallocate import SECTOR, content_size
from firmware_bridge.journal.reader import Place, read_lines
from tests.journal import played
from tests.journal.played import LONG, crash, folded, newest
from tests.kit.journal_record import Record

dealt = played.dealt  # fixture

Sectors = Callable[[bytes, bytes], bytes]


def mixed(*kept: str) -> Sectors:
    """A record of which each sector was kept, lost (as it was before), never written, or spoiled."""

    def left(record: bytes, before: bytes) -> bytes:
        of = {"kept": record, "lost": before, "zero": bytes(len(record)), "spoiled": b"\xa5\n\t" * len(record)}
        return b"".join(
            of[how][n * SECTOR : (n + 1) * SECTOR]
            for n, how in enumerate((*kept, *["lost"] * 9)[: len(record) // SECTOR])
        )

    return left


TORN: list[tuple[str, ...]] = [("lost", "kept"), ("zero", "kept"), ("spoiled", "kept"), ("kept", "lost")]
TORN += [("kept", "zero"), ("kept", "spoiled"), ("spoiled", "spoiled"), ("lost", "spoiled"), ("spoiled", "lost")]


@pytest.mark.parametrize("how", TORN, ids=", ".join)
def test_a_last_record_that_is_not_whole_is_cut_off_and_reported(dealt: Record, how: tuple[str, ...]) -> None:
    folder, before, seq = dealt.journal.directory, newest(dealt).read_bytes(), dealt.shoe.seq
    begin = dealt.journal.end.offset
    dealt.order(LONG)
    record = dealt.lines[-1].data
    assert len(record) >= 2 * SECTOR
    path = crash(dealt)
    there = mixed(*how)(record, before[begin : begin + len(record)])
    path.write_bytes(before[:begin] + there + before[begin + len(record) :])
    journal_there = path.read_bytes()
    with pytest.raises(JournalError, match=f"ends after line {seq}, but the broker received line {seq + 1}"):
        folded(folder, Cursor(journal_id(path), seq + 1))
    assert path.read_bytes() == journal_there, "evidence was changed"
    journal = folded(folder, Cursor(journal_id(path), seq))
    assert (journal.shoe.seq, journal.torn) == (seq, len(there.rstrip(b"\n\0")))
    assert path.read_bytes() == before[:begin]


@pytest.mark.parametrize("how", TORN, ids=", ".join)
def test_a_record_that_is_not_whole_with_another_behind_it_refuses(dealt: Record, how: tuple[str, ...]) -> None:
    begin = dealt.journal.end.offset
    before = newest(dealt).read_bytes()
    dealt.order(LONG)
    dealt.deal("3s")
    record = dealt.lines[-2].data
    path = crash(dealt)
    whole = path.read_bytes()
    there = mixed(*how)(record, before[begin : begin + len(record)])
    path.write_bytes(whole[:begin] + there + whole[begin + len(record) :])
    number = dealt.lines[-2].public.seq
    with pytest.raises(JournalError, match=f"^{path.name}, line {number}: "):
        folded(dealt.journal.directory)


@pytest.mark.parametrize("older", [False, True])
def test_nothing_but_fill_is_accepted_behind_the_records_of_a_file_that_is_over(dealt: Record, older: bool) -> None:
    first = newest(dealt)
    dealt.open_shoe()
    dealt.close()
    first.write_bytes(first.read_bytes() + b"\n" * 700 + bytes(4096) + (b"" if older else b"x"))
    if older:
        assert folded(dealt.journal.directory).shoe == dealt.shoe
        assert first.stat().st_size == content_size(first)
        return
    with pytest.raises(JournalError, match=f"^{first.name}, line "):
        folded(dealt.journal.directory)
    with pytest.raises(JournalError, match=f"^{first.name}, line "):
        Audit(dealt.journal.directory, whole=False).verify(first)


@pytest.mark.parametrize("change", [b"\t", b"x", b"\n", b"\0"])
def test_padding_is_blanks(dealt: Record, change: bytes) -> None:
    dealt.close()
    path = newest(dealt)
    whole = path.read_bytes()
    ends = [place.offset for _, place in read_lines(Place(path, 0))]
    for number, end in enumerate(ends[:-1], 1):
        path.write_bytes(whole[: end - 2] + change + whole[end - 1 :])
        with pytest.raises(JournalError, match=f"^{path.name}, line {number}: "):
            folded(dealt.journal.directory)
