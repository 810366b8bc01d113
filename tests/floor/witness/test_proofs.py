"""Proofs from leaves: those of the vectors, and all that a verifier accepts."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.floor.verified import proofs
from firmware_bridge.floor.verified.proofs import Proofs
from firmware_bridge.record.verify import Refused, check_consistency
from tests.kit.logs import Log, Memory

pytest.importorskip("nacl")

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[2] / "vectors/record.json").read_text("utf-8"))


@pytest.mark.parametrize("kept", [2, 256])
def test_roots_and_proofs_are_those_of_the_vectors(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "KEPT_LEAVES", kept)
    log = Log("shoe.example/a/1", 0)
    log.hashes = [bytes.fromhex(each) for each in VECTORS["leaves"]]
    for size, root in enumerate(VECTORS["roots"]):
        assert log.root(size) == b64decode(root)
    for each in VECTORS["consistency"]:
        assert log.proof(each["old"], each["size"]) == [b64decode(one) for one in each["proof"]]


def test_a_proof_of_any_two_sizes_verifies_and_no_other_does() -> None:
    log = Log("shoe.example/a/1", 1_100)
    for size in (1, 2, 255, 256, 257, 511, 512, 513, 1_024, 1_100):
        for old in {1, 2, 3, 128, 255, 256, 257, 300, 512, 513, size - 1, size} & set(range(1, size + 1)):
            proof = log.proof(old, size)
            check_consistency(old, size, log.root(old), log.root(size), proof)
            for n in range(len(proof)):
                with pytest.raises(Refused):
                    check_consistency(old, size, log.root(old), log.root(size), proof[:n])


def test_hashes_of_whole_subtrees_are_read_once_and_forgotten_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log, read = Log("shoe.example/a/1", 3_000), []

    class Counted(Memory):
        def leaves(self, origin: str, first: int, end: int) -> Any:
            read.append(end - first)
            return super().leaves(origin, first, end)

    made = Proofs(Counted(log))
    root = made.root(log.origin, 3_000)
    assert sum(read) == 3_000
    read.clear()
    assert made.root(log.origin, 3_000) == root
    assert sum(read) < 256
    made.consistency(log.origin, 2_900, 3_000)
    assert sum(read) < 1_024
    monkeypatch.setattr(proofs, "MOST_KEPT", 3)
    assert Proofs(Counted(log)).root(log.origin, 3_000) == root
