"""What other implementations made and signed is verified here, byte for byte: Go's tlog and note, and a Go witness."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.record import verify as v
from tests.kit.rows import each_row

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "record.json").read_text("utf-8"))
LEAVES = [bytes.fromhex(each) for each in VECTORS["leaves"]]
ROOTS = [base64.b64decode(each) for each in VECTORS["roots"]]
KEYS = {name: v.parse_vkey(each["vkey"]) for name, each in VECTORS["keys"].items()}
DEVICE, ROTATED = KEYS["device"], KEYS["device_rotated"]
POLICY = v.parse_policy(VECTORS["policy"])


def hashes(proof: list[str]) -> list[bytes]:
    return [base64.b64decode(each) for each in proof]


def test_leaves_are_of_the_heads() -> None:
    assert [v.leaf_hash(bytes.fromhex(each["head"])) for each in VECTORS["entries"]] == LEAVES


def test_roots() -> None:
    edge: list[bytes] = []
    roots = [v.root_of(edge)]
    for size, leaf in enumerate(LEAVES):
        v.grow(edge, size, leaf)
        roots.append(v.root_of(edge))
    assert roots == ROOTS


@each_row("given", VECTORS["inclusion"], ids=lambda given: f"{given['index']} of {given['size']}")
def test_inclusion(given: dict[str, Any]) -> None:
    proof, size, index = hashes(given["proof"]), given["size"], given["index"]
    assert v.root_by_inclusion(index, size, LEAVES[index], proof) == ROOTS[size]
    for changed in mistakes(proof):
        assert_refused(lambda changed=changed: differs(v.root_by_inclusion(index, size, LEAVES[index], changed), size))


@each_row("given", VECTORS["consistency"], ids=lambda given: f"{given['old']} of {given['size']}")
def test_consistency(given: dict[str, Any]) -> None:
    old, size, proof = given["old"], given["size"], hashes(given["proof"])
    v.check_consistency(old, size, ROOTS[old], ROOTS[size], proof)
    for changed in mistakes(proof):
        with pytest.raises(v.Refused):
            v.check_consistency(old, size, ROOTS[old], ROOTS[size], changed)


def mistakes(proof: list[bytes]) -> list[list[bytes]]:
    """The proof with one bit changed in each hash, one hash too few, one too many."""
    flipped = [[*proof[:n], bytes([each[0] ^ 1]) + each[1:], *proof[n + 1 :]] for n, each in enumerate(proof)]
    return [*flipped, *([proof[:-1]] if proof else []), [*proof, bytes(32)]]


def differs(root: bytes, size: int) -> None:
    if root != ROOTS[size]:
        raise v.Refused("another root")


def assert_refused(call: Any) -> None:
    with pytest.raises(v.Refused):
        call()


@pytest.mark.parametrize("name", VECTORS["keys"])
def test_keys(name: str) -> None:
    given, key = VECTORS["keys"][name], KEYS[name]
    assert (key.name, key.id.hex(), key.public.hex()) == (given["name"], given["id"], given["public"])
    assert key.vkey == given["vkey"]


@pytest.mark.parametrize("size", VECTORS["checkpoints"])
def test_checkpoints(size: str) -> None:
    note = v.parse_note(VECTORS["checkpoints"][size])
    said = v.verified_checkpoint(note, POLICY.logs)
    assert said == v.Checkpoint(VECTORS["origin"], int(size), ROOTS[int(size)])


@pytest.mark.parametrize("key", [DEVICE, ROTATED], ids=["old", "new"])
def test_a_rotated_key_verifies_by_either(key: v.Key) -> None:
    assert v.verified_checkpoint(v.parse_note(VECTORS["rotated"]), [key]).size == 20


@pytest.mark.parametrize("why", VECTORS["refuse"])
def test_refused(why: str) -> None:
    text = VECTORS["refuse"][why]
    if why.startswith("fork"):
        assert v.verified_checkpoint(v.parse_note(text), [DEVICE]).root != ROOTS[10]
        return
    with pytest.raises(v.Refused):
        v.verified_checkpoint(v.parse_note(text), [DEVICE])


def test_the_witnesses_cosigned() -> None:
    note = v.parse_note(VECTORS["witnessed"])
    found = {each.witness.name: each.at for each in v.cosigned(note, POLICY.witnesses.values())}
    assert found == {each["witness"]: each["time"] for each in VECTORS["cosignatures"]}
    assert POLICY.is_met([each.witness for each in v.cosigned(note, POLICY.witnesses.values())])
    assert not POLICY.is_met([KEYS["w1"]])
    assert POLICY.liars() == 1


def test_the_proof_of_an_entry() -> None:
    proof = v.parse_proof(VECTORS["tlog_proof"])
    head = bytes.fromhex(VECTORS["entries"][proof.number]["head"])
    assert v.check_proof(proof, head, POLICY).size == 18
    assert v.text_of_proof(proof, VECTORS["witnessed"]) == VECTORS["tlog_proof"]
    with pytest.raises(v.Refused):
        v.check_proof(proof, bytes(32), POLICY)


@pytest.mark.parametrize("number", range(len(VECTORS["rounds"])))
def test_the_signature_of_a_round(number: int) -> None:
    given = VECTORS["rounds"][number]
    signed = given["signed"].encode()
    assert v.is_round_signed(DEVICE.public, VECTORS["origin"], signed)
    assert not v.is_round_signed(DEVICE.public, VECTORS["origin"], signed.replace(b'"round":', b'"round": ', 1))
    assert not v.is_round_signed(ROTATED.public, VECTORS["origin"], signed)
    assert not v.is_round_signed(DEVICE.public, VECTORS["origin"], given["payload"].encode())


@given(st.data())
def test_a_note_with_one_character_changed(data: st.DataObject) -> None:
    text = VECTORS["witnessed"]
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda each: each != text[place]))
    try:
        note = v.parse_note(text[:place] + other + text[place + 1 :])
        said = v.verified_checkpoint(note, POLICY.logs)
        found = v.cosigned(note, POLICY.witnesses.values())
    except v.Refused:
        return
    assert (said.size, said.root) == (18, ROOTS[18])  # the name of a witness was changed: it counts no more
    assert len(found) == len(VECTORS["cosignatures"]) - 1
