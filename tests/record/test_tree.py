"""The tree is RFC 6962's, written as it stands there; what is changed without the key is found."""

from __future__ import annotations

from copy import copy
from functools import cache
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.record import verify as v
from tests.kit.nightly import share, some
from tests.record.exports import five_rounds, policy_text, sealed_line

MOST: Final = 2_000
LEAVES: Final = [v.leaf_hash(sha256(b"%d" % n).digest()) for n in range(MOST)]


@cache
def split(count: int) -> int:
    """The largest power of two below a count."""
    return 1 << (count - 1).bit_length() - 1


@cache
def tree(begin: int, end: int) -> bytes:
    """MTH(D[begin:end]) of RFC 6962, 2.1."""
    if end == begin:
        return sha256(b"").digest()
    if end - begin == 1:
        return LEAVES[begin]
    middle = begin + split(end - begin)
    return sha256(b"\1" + tree(begin, middle) + tree(middle, end)).digest()


def path(index: int, begin: int, end: int) -> list[bytes]:
    """PATH(m, D[begin:end]), 2.1.1."""
    if end - begin == 1:
        return []
    middle = begin + split(end - begin)
    if index < middle:
        return [*path(index, begin, middle), tree(middle, end)]
    return [*path(index, middle, end), tree(begin, middle)]


def subproof(old: int, begin: int, end: int, whole: bool) -> list[bytes]:
    """SUBPROOF(m, D[begin:end], b), 2.1.2; old counts from `begin`."""
    if old == end - begin:
        return [] if whole else [tree(begin, end)]
    half = split(end - begin)
    if old <= half:
        return [*subproof(old, begin, begin + half, whole), tree(begin + half, end)]
    return [*subproof(old - half, begin + half, end, False), tree(begin, begin + half)]


def test_roots_up_to_2000() -> None:
    edge: list[bytes] = []
    for size, leaf in enumerate(LEAVES):
        assert v.root_of(edge) == tree(0, size)
        v.grow(edge, size, leaf)
    assert v.root_of(edge) == tree(0, MOST)


sizes: Final = st.integers(1, MOST)


@settings(max_examples=150)
@given(size=sizes, data=st.data())
def test_inclusion_and_each_proof_with_one_bit_changed(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    proof = path(index, 0, size)
    assert v.root_by_inclusion(index, size, LEAVES[index], proof) == tree(0, size)
    for n, flipped in one_bit_changed(proof):
        assert v.root_by_inclusion(index, size, LEAVES[index], flipped) != tree(0, size), n
    for wrong in (proof[:-1], [*proof, bytes(32)]):
        if wrong != proof:
            with pytest.raises(v.Refused):
                v.root_by_inclusion(index, size, LEAVES[index], wrong)


@settings(max_examples=150)
@given(size=sizes, data=st.data())
def test_consistency_and_each_proof_with_one_bit_changed(size: int, data: st.DataObject) -> None:
    old = data.draw(st.integers(1, size))
    proof = subproof(old, 0, size, True)
    v.check_consistency(old, size, tree(0, old), tree(0, size), proof)
    for _, wrong in [*one_bit_changed(proof), (0, proof[:-1] if proof else [bytes(32)]), (0, [*proof, bytes(32)])]:
        with pytest.raises(v.Refused):
            v.check_consistency(old, size, tree(0, old), tree(0, size), wrong)


def one_bit_changed(proof: list[bytes]) -> list[tuple[int, list[bytes]]]:
    """A proof for each of its bits, with that one changed: every byte, and a bit of it in turn."""
    found = []
    for n in range(32 * len(proof)):
        which, place = divmod(n, 32)
        changed = bytearray(proof[which])
        changed[place] ^= 1 << n % 8
        found.append((n, [*proof[:which], bytes(changed), *proof[which + 1 :]]))
    return found


def test_each_byte_of_five_rounds_changed_and_all_made_right_again_without_the_key(tmp_path: Path) -> None:
    """Chain, checksums and tree fit the change: only the signatures do not."""
    lines = [line for file in five_rounds(tmp_path / "journal") for line in file]
    places = [(n, place) for n, line in enumerate(lines) for place in range(len(b"".join(line.split(b"\t")[3:5])))]
    tried = some(places, 16)
    assert len(tried) > share(10_000, 16)
    for entry, of_entry in groupby(tried, key=itemgetter(0)):
        reader = v.Reader(v.parse_policy(policy_text(quorum="none")))
        reader.read("x.export", lines[:entry])
        end = next((n for n in range(entry, len(lines)) if b'{"note"' in lines[n]), len(lines) - 1)
        for _, place in of_entry:
            wrong = read_on(reader, with_one_byte_changed(lines[entry : end + 1], place, reader._head or v.FIRST_HEAD))
            assert wrong, (entry, place)
            assert wrong[0].startswith("x.export, line "), wrong


def with_one_byte_changed(lines: list[bytes], place: int, before: str) -> list[bytes]:
    """The lines with a bit of the first one's public or sealed part changed, and heads and checksums made right."""
    out = []
    for n, line in enumerate(lines):
        _, _, _, public, sealed, proof = line.rstrip(b"\n").split(b"\t")
        if n == 0:
            both = bytearray(public + sealed)
            both[place] ^= 1
            public, sealed = bytes(both[: len(public)]), bytes(both[len(public) :])
        before = sha256(before.encode() + sealed + public).hexdigest()
        out.append(sealed_line(before.encode(), public, sealed, proof))
    return out


def read_on(reader: v.Reader, lines: list[bytes]) -> list[str]:
    """What is wrong with further lines, by a copy of a reader that goes on with them."""
    forked = copy(reader)
    forked.report, forked._sealed, forked.logs = v.Report(), dict(reader._sealed), dict(reader.logs)
    if reader._log:
        forked._log = copy(reader._log)
        forked._log.edge = list(reader._log.edge)
    forked.read("x.export", lines)
    return forked.report.wrong
