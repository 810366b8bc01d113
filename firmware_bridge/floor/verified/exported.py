"""Makes journal lines and proofs for outsiders from what a store has: the bytes of `shoe journal export`."""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from firmware_bridge.client.entry import begun_by
from firmware_bridge.client.heads import Part, public_bytes, signed_part
from firmware_bridge.floor.record.message import EVENT, Row
from firmware_bridge.floor.record.state import Leaf, Log
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.verified.audit import PAGE, parts_of, rows_of
from firmware_bridge.floor.verified.commands import NotDone
from firmware_bridge.floor.verified.feeding import StoredLeaves
from firmware_bridge.floor.verified.proofs import Proofs
from firmware_bridge.journal import line as journal_line
from firmware_bridge.record.verify import (
    Note,
    Proof,
    Refused,
    check_self_contained,
    grow,
    leaf_hash,
    parse_checkpoint,
    parse_note,
    parse_policy,
    text_of_proof,
)

_SEQ: Final = re.compile(r"[1-9]\d{0,15}", re.ASCII)


class Proved(NamedTuple):
    """A `.tlog-proof`. words: what it shows."""

    text: str
    words: str


class Exported:
    """The verified entries of a table, of all its records or of one journal, as lines of an export.

    It begins behind the last entry with bytes that are not in the store: an export has no gap. After `lines`: `count`
    of them, and in `left_out` a sentence about what is missing. Raises NotDone if nothing is left, StoreError.
    """

    def __init__(self, store: Store, table: str, journal: str | None = None) -> None:
        self._store, self._journal = store, journal or ""
        self.count, self.left_out = 0, list[str]()
        logs = sorted((each for each in store.logs() if each.table == table and each.size), key=lambda log: log.birth)
        if not logs:
            raise NotDone(f"no entry of table {table} is verified", "see shoe-floor record show")
        self._logs = list(self._shown(logs))

    def lines(self) -> Iterator[bytes]:
        """Yield the lines in order."""
        for log, first in self._logs:
            edge = list[bytes]()
            for leaves in _pages(self._store, log):
                wanted = [each for each in leaves if each.idx >= first and self._journal in ("", each.journal)]
                rows = rows_of(wanted, partial(_stored, self._store))
                for each in leaves:
                    if (found := rows.get((each.journal, each.seq))) is not None:
                        stands = each.seq == 1 or not each.idx or not self.count
                        yield _line(each, found, edge if stands else None)
                        self.count += 1
                    grow(edge, each.idx, leaf_hash(bytes.fromhex(each.head)))
        if not self.count:
            why = "; ".join(self.left_out) or f"no verified entry is of journal {self._journal}"
            raise NotDone(f"nothing can be exported: {why}", "at the table: shoe journal export JOURNAL")

    def _shown(self, logs: Sequence[Log]) -> Iterator[tuple[Log, int]]:
        """Yield each record that is exported, and the index of its first entry that is."""
        unshown = [self._store.last_unshown(each.origin, self._journal) for each in logs]
        begin = max((n for n, idx in enumerate(unshown) if idx >= 0), default=0)
        for n, log in enumerate(logs):
            last = log.size - 1 if n < begin else unshown[n]
            if last >= 0 and (n == begin or not self._journal):
                what = f"entries 1 to {last + 1} of {log.origin} are not in it"
                self.left_out.append(f"{what}: messages were deleted, or names of people are replaced")
            if n >= begin and last + 1 < log.size:
                yield log, last + 1


def proof(store: Store, table: str, entry: str) -> Proved:
    """Return the proof of a verified entry under the newest checkpoint that a quorum cosigned.

    Under the newest signed one where that does not cover it. entry: JOURNAL:SEQ, or "newest" for the last one that a
    quorum cosigned. Raises NotDone, StoreError.
    """
    logs = {each.origin: each for each in store.logs() if each.table == table}
    cosigned = {each.origin: each for each in store.newest_witnessed() if each.origin in logs}
    if entry == "newest":
        last = max(cosigned.values(), key=lambda each: logs[each.origin].birth, default=None)
        leaves = store.some_leaves(last.origin, last.size - 1, 1) if last else []
    else:
        leaves = [each for each in _named(store, table, entry) if each.origin in logs]
    if not leaves:
        raise NotDone(f"table {table} has no verified entry {entry}", "see shoe-floor record show, and export pending")
    leaf = max(leaves, key=lambda each: logs[each.origin].birth)
    found = cosigned.get(leaf.origin)
    is_witnessed = found is not None and found.size > leaf.idx
    note = found.note if found and is_witnessed else logs[leaf.origin].note
    size = parse_checkpoint(parse_note(note).text).size
    proofs, extra = Proofs(StoredLeaves(store)), _extra(store, leaf)
    made = Proof(extra, leaf.idx, tuple(proofs.inclusion(leaf.origin, leaf.idx, size)), Note("", ()))
    if extra:
        _try(made._replace(note=parse_note(note)), [each.vkey for each in store.record_keys() if each.table == table])
    words = f"entry {leaf.idx + 1} of {size} of {leaf.origin}, {'' if is_witnessed else 'not '}witnessed"
    words = f"{words}{'' if is_witnessed else ' yet'}"
    if not extra:
        words += ", without the entry: its bytes are not in the store"
    return Proved(text_of_proof(made, note), words)


def _named(store: Store, table: str, entry: str) -> list[Leaf]:
    journal, _, seq = entry.rpartition(":")
    if not journal or not _SEQ.fullmatch(seq):
        raise NotDone(f"{entry!r} names no entry", "write JOURNAL:SEQ, as 3-9f8a7c:57, or newest")
    return store.leaves_of(table, journal, int(seq))


def _try(made: Proof, vkeys: Sequence[str]) -> None:
    """Raise NotDone where a proof that was made would be refused."""
    policy = "".join(f"log {each}\n" for each in vkeys)
    try:
        check_self_contained(made, parse_policy(f"{policy}quorum none\n"))
    except Refused as error:
        raise NotDone(f"the store is not as it was verified: {error}", "shoe-floor check --record") from None


def _extra(store: Store, leaf: Leaf) -> bytes:
    """Return the head before an entry, and its line; b"" where the store does not have its bytes as they came."""
    rows = list(_stored(store, leaf.table, leaf.journal, leaf.seq, leaf.seq))
    if not any(each.topic == EVENT for each in rows) or any(each.digest is not None for each in rows):
        return b""
    if leaf.idx:
        (before,) = (each.head for each in store.some_leaves(leaf.origin, leaf.idx - 1, 1))
    else:
        before = _begun_after(_parts(leaf, rows)[-1])
    return before.encode() + _line(leaf, rows)


def _line(leaf: Leaf, rows: Sequence[Row], edge: Sequence[bytes] | None = None) -> bytes:
    """Return an entry's line. edge: of the tree before it, where the line states it: first of a file or a record."""
    parts = _parts(leaf, rows)
    note = parts[-1].note
    rounds = sorted((each for each in rows if each.topic != EVENT), key=lambda row: row.n)
    sigs = {str(row.n): b64encode(signed_part(row.body)[1]).decode() for row in rounds} if note else {}
    made = journal_line.Proof(note, sigs)
    if edge is not None:
        made = journal_line.Proof(note, sigs, leaf.idx, tuple(b64encode(each).decode() for each in edge))
    return journal_line.exported(leaf.head, public_bytes(parts), parts[-1].sealed, made)


def _parts(leaf: Leaf, rows: Sequence[Row]) -> list[Part]:
    """Return all parts of an entry. Raises NotDone where the store no longer has them as they were verified."""
    parts = parts_of(rows)
    if not parts or [each.n for each in parts] != list(range(1, parts[0].of + 1)):
        what = f"entry {leaf.journal}:{leaf.seq} is not in the store as it was verified"
        raise NotDone(what, "shoe-floor check --record")
    return parts


def _begun_after(last: Part) -> str:
    """Return the head that a record goes on from."""
    begun = begun_by(last)
    if begun is None:
        raise NotDone("the first entry of the record begins none", "shoe-floor check --record")
    return begun.follows.head


def _pages(store: Store, log: Log) -> Iterator[list[Leaf]]:
    at = 0
    while at < log.size and (leaves := store.some_leaves(log.origin, at, min(PAGE, log.size - at))):
        yield leaves
        at += len(leaves)


def _stored(store: Store, table: str, journal: str, first: int, last: int) -> Iterator[Row]:
    """Yield the messages of some entries, each round as it was verified."""
    proved = store.proved_bodies(table, journal, first, last)
    for row in store.stored_rows(table, journal, first, last):
        is_other = row.topic != EVENT and (row.seq, row.n) in proved
        yield row._replace(body=proved[row.seq, row.n], digest=None) if is_other else row
