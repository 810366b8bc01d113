"""What a message's `head` proves, and what it does not tell."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import combinations, product

import msgspec
import pytest
from msgspec.structs import replace

from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts import inputs
from firmware_bridge.facts.events import Entry
from firmware_bridge.facts.inputs import ReaderResult
from firmware_bridge.journal.line import Line, chained, seal, unseal, without_sealed
from firmware_bridge.journal.messages import messages
from tests.kit.table import Table

OUTCOMES = ("player", "banker", "tie", "forced")
PAIRS = ("player pair", "banker pair", "either pair", "perfect pair", "small", "big")


def guesses() -> list[ReaderResult]:
    """Everything a reader that judges may say of a round, in some hundred ways."""
    words = [more for n in range(len(PAIRS) + 1) for more in combinations(PAIRS, n)]
    return [ReaderResult((outcome, *more)) for outcome, more in product(OUTCOMES, words)]


def judged(salt: str) -> tuple[Line, str]:
    """A reader's result that waits for a sealed round to be opened, and the chain before it."""
    table = Table(burn="none", disclose="sealed").play("shoe 9s Td Ts Tc")
    before = table.memory.chain
    fact = inputs.ReaderJudged(at=table.at + 1, mono=table.at + 1, salt=salt, result=ReaderResult(("player",)))
    table.take(fact)
    return table.lines[-1], before


def guessed(line: Line, before: str, salt: str) -> list[ReaderResult]:
    """The results that give the head of a line; all else of the entry is known to whoever guesses."""
    assert line.entry
    assert isinstance(line.entry.input, inputs.ReaderJudged)
    found = []
    for result in guesses():
        fact = replace(line.entry.input, salt=salt, result=result)
        events = tuple(
            replace(event, result=result) if getattr(event, "result", None) else event for event in line.entry.events
        )
        if seal(replace(line.entry, input=fact, events=events), before).chain == line.chain:
            found.append(result)
    return found


def test_a_sealed_result_cannot_be_guessed_from_the_head() -> None:
    line, before = judged(nonce())
    message = json.loads(messages(line)[0].payload)
    assert (message["event"], message["head"]) == ({"type": "ResultHeld"}, line.chain)
    assert line.entry
    assert len(guesses()) == 256
    assert guessed(line, before, "") == []
    assert guessed(line, before, nonce()) == []
    assert guessed(line, before, line.entry.input.salt) == [ReaderResult(("player",))], "whoever has the salt can"


def test_without_its_salt_a_head_is_a_riddle_soon_solved() -> None:
    line, before = judged("")
    assert guessed(line, before, "") == [ReaderResult(("player",))]


def test_every_message_of_an_entry_has_the_chain_after_it() -> None:
    table = Table(burn="none").play("shoe 9s Td Ts Tc")
    for line in table.lines:
        assert {json.loads(message.payload)["head"] for message in messages(line)} == {line.chain}


def test_the_chain_covers_what_is_sealed() -> None:
    line = Table(burn=1).play("shoe Qd").lines[-1]
    shown, hidden = line.data.split(b"\t")[3:5]
    assert hidden.startswith(b'{"input":{"type":"CardRead",')
    assert line.sealed_hash == sha256(hidden).hexdigest()
    others = hidden.replace(b'"Qd"', b'"Kd"', 1)
    before = Table(burn=1).play("shoe").memory.chain
    assert chained(before, sha256(hidden).hexdigest(), shown) == line.chain
    assert chained(before, sha256(others).hexdigest(), shown) != line.chain


def test_an_export_has_the_hash_of_the_sealed_part_in_its_place() -> None:
    line = Table(burn=1).play("shoe Qd").lines[-1]
    export = without_sealed(line)
    assert export.rstrip(b"\n").split(b"\t")[4] == line.sealed_hash.encode()
    assert messages(unseal(export)) == messages(line)


def test_every_input_is_stamped_with_bits_of_its_own() -> None:
    salts = [now()["salt"] for _ in range(200)]
    assert len(set(salts)) == 200
    assert {len(bytes.fromhex(salt)) for salt in salts} == {16}


@pytest.mark.parametrize("script", ["9s Td Ts Tc", "shoe 2c Qd 3c 9s Td Ts Tc"])
def test_a_replay_is_the_same_bit_for_bit_and_salted(script: str) -> None:
    def lines() -> list[Line]:
        return list(Replay(Table().house, "T07", pytest.fail).play(parse(script)))

    assert [line.data for line in lines()] == [line.data for line in lines()]
    entries = [line.entry for line in lines() if line.entry]
    assert all(isinstance(entry, Entry) for entry in entries)
    salts = [msgspec.to_builtins(entry.input)["salt"] for entry in entries]
    assert len(set(salts)) == len(salts)
