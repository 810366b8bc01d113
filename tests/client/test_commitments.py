"""Sealed cards verify, and a changed card does not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from firmware_bridge.client import Identity, MessageError, Verdict, Verifier, commitment
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.events import CardDealt
from firmware_bridge.journal.audit import Commitments
from firmware_bridge.journal.line import FIRST_CHAIN, Line, seal
from tests.kit.table import Table

NATURAL = "9s Kd Th Kc"
SIX = {"burn": "none", "procedure": "six-card"}
BETS = {"burn": "none", "betting": "required"}

# settings; what happens -> messages that name a card that was sealed, commitments still closed
TABLES: dict[str, tuple[dict[str, Any], str, int, int]] = {
    "nothing sealed": ({"burn": "none"}, f"shoe {NATURAL} !close_shoe", 0, 0),
    "burned, shoe open": ({}, f"shoe 2c Qd 3c {NATURAL}", 0, 2),
    "burned, shoe over": ({}, f"shoe 2c Qd 3c {NATURAL} !close_shoe", 2, 0),
    "reserves carried": (SIX, f"shoe {NATURAL} Qd 2c", 0, 2),
    "reserves revealed": (SIX, f"shoe {NATURAL} Qd 2c 8h", 2, 0),
    "held, then dealt": ({"burn": "none"}, "shoe ?? Qd Th Kc !enter 9s", 4, 0),
    "held, then burned": ({}, "shoe ?? Qd !enter 2c 5c", 1, 3),
    "held as reserves": (SIX, "shoe ?? Kd Th Kc Qd 2c !enter 9s 8h", 6, 0),
    "drawn too early": (BETS, "shoe Qd bets-closed", 1, 0),
    "void": ({"burn": "none"}, "shoe ?? Qd !void misdeal !close_shoe", 1, 0),
    "two shoes": ({"burn": 1}, f"shoe Qd {NATURAL} !close_shoe shoe Kd {NATURAL}", 1, 1),
    "with no shoe open": ({"burn": "none"}, "Qd", 0, 1),
}


def played(name: str) -> tuple[dict[str, Any], ...]:
    """The messages of the topic `event` of one of the tables above."""
    settings, script, *_ = TABLES[name]
    table = Table(**settings).play(script)
    return tuple(json.loads(message.payload) for message in table.messages if message.topic == "event")


PLAYED = {name: played(name) for name in TABLES}


def judged(messages: Any) -> tuple[Verifier, dict[Identity, Verdict]]:
    """The last verdict on each message that names a card."""
    verifier = Verifier()
    return verifier, {verdict.at: verdict for message in messages for verdict in verifier.take(message)}


def closed(verifier: Verifier, messages: Any) -> int:
    return sum(len(verifier.closed(journal)) for journal in {each["journal"] for each in messages})


def where(messages: Any, **fields: Any) -> int:
    """The first message whose event has these fields."""
    return next(i for i, each in enumerate(messages) if fields.items() <= each["event"].items())


def changed(messages: Any, i: int, **fields: Any) -> list[dict[str, Any]]:
    """The messages with fields of one event replaced; None takes a field out."""
    event = {name: field for name, field in (messages[i]["event"] | fields).items() if field is not None}
    return [*messages[:i], messages[i] | {"event": event}, *messages[i + 1 :]]


def without(messages: Any, i: int) -> list[dict[str, Any]]:
    """The messages but for one."""
    return [*messages[:i], *messages[i + 1 :]]


@pytest.mark.parametrize("name", TABLES)
def test_every_card_that_was_sealed_opens_its_commitment(name: str) -> None:
    *_, named, still_closed = TABLES[name]
    verifier, verdicts = judged(PLAYED[name])
    assert [each.proof for each in verdicts.values()] == ["opened"] * named
    assert closed(verifier, PLAYED[name]) == still_closed


@given(st.sampled_from(sorted(TABLES)), st.data())
def test_in_any_order_and_repeated_the_verdicts_are_the_same(name: str, data: st.DataObject) -> None:
    sent = PLAYED[name]
    order = data.draw(st.permutations([*sent, *data.draw(st.lists(st.sampled_from(sent), max_size=5))]))
    verifier, verdicts = judged(json.dumps(each).encode() for each in order)
    expected, in_order = judged(sent)
    assert verdicts == in_order
    assert closed(verifier, sent) == closed(expected, sent)
    for journal in {each["journal"] for each in sent}:
        assert verifier.gaps(journal) == ()
        assert verifier.verdicts(journal) == expected.verdicts(journal)


NAMINGS = [
    (name, Identity(each["journal"], each["seq"], each["n"]), i)
    for name, sent in PLAYED.items()
    for i, each in enumerate(sent)
    if each["event"].get("nonce")
]


@given(st.sampled_from(NAMINGS), st.sampled_from(FACES), st.text("0123456789abcdef", min_size=32, max_size=32))
def test_a_changed_card_or_nonce_does_not_verify(naming: tuple[str, Identity, int], face: Any, nonce: str) -> None:
    name, at, i = naming
    for fields in ({"card": face.value}, {"nonce": nonce}):
        is_same = fields.items() <= PLAYED[name][i]["event"].items()
        _, verdicts = judged(changed(PLAYED[name], i, **fields))
        proof = verdicts[at].proof
        assert proof == "opened" if is_same else proof in ("changed", "uncommitted")


@given(st.sampled_from(NAMINGS))
def test_a_changed_commitment_does_not_verify(naming: tuple[str, Identity, int]) -> None:
    name, at, _ = naming
    _, verdicts = judged(PLAYED[name])
    forged: Any = PLAYED[name]
    for opened in verdicts[at].opened:
        made = next(k for k, each in enumerate(forged) if Identity(each["journal"], each["seq"], each["n"]) == opened)
        forged = changed(forged, made, commit="0" * 64)
    _, verdicts = judged(forged)
    assert verdicts[at].proof in ("changed", "uncommitted")


BURN, HELD = PLAYED["burned, shoe over"], PLAYED["held, then dealt"]
COMMITS, REVEALS = where(BURN, type="CardBurned", left=1), where(BURN, type="CardRevealed")
DEALT = where(HELD, type="CardDealt", held=True, card="Qd")

ENTERED = where(HELD, type="CardDealt", origin="manual")

# what was done; the messages now; the one that names the card, as it was sent
FORGED = [
    ("another card", changed(BURN, REVEALS, card="As"), BURN[REVEALS], "changed"),
    ("no nonce", changed(BURN, REVEALS, nonce=None), BURN[REVEALS], "changed"),
    ("another place", changed(BURN, REVEALS, seq=BURN[REVEALS]["event"]["seq"] + 1), BURN[REVEALS], "changed"),
    ("no commitment there", changed(BURN, REVEALS, seq=1), BURN[REVEALS], "uncommitted"),
    ("itself", changed(BURN, REVEALS, seq=BURN[REVEALS]["seq"], n=BURN[REVEALS]["n"]), BURN[REVEALS], "uncommitted"),
    ("a later one", changed(BURN, REVEALS, seq=999), BURN[REVEALS], "uncommitted"),
    ("commitment taken out", changed(BURN, COMMITS, commit=None), BURN[REVEALS], "uncommitted"),
    ("commitment not come", without(BURN, COMMITS), BURN[REVEALS], "unseen"),
    ("held, another card", changed(HELD, DEALT, card="As"), HELD[DEALT], "uncommitted"),
    ("held, no nonce", changed(HELD, DEALT, nonce=None), HELD[DEALT], "uncommitted"),
    ("held, says it was not", changed(HELD, DEALT, held=None, card="As"), HELD[DEALT], "uncommitted"),
    ("entered, no nonce", changed(HELD, ENTERED, nonce=None, held=None), HELD[ENTERED], "uncommitted"),
    ("held, one not come", without(changed(HELD, DEALT, card="As"), DEALT - 1), HELD[DEALT], "unseen"),
    ("held, start not come", without(changed(HELD, DEALT, card="As"), 3), HELD[DEALT], "unseen"),
]


@pytest.mark.parametrize(("sent", "names", "proof"), [row[1:] for row in FORGED], ids=[row[0] for row in FORGED])
def test_what_does_not_verify_is_reported(sent: Any, names: dict[str, Any], proof: str) -> None:
    _, verdicts = judged(sent)
    assert verdicts[Identity(names["journal"], names["seq"], names["n"])].proof == proof


def test_the_message_that_was_missing_brings_the_verdict() -> None:
    verifier, verdicts = judged(without(BURN, COMMITS))
    journal, seq = BURN[COMMITS]["journal"], BURN[COMMITS]["seq"]
    (waits,) = (verdict.at for verdict in verifier.verdicts(journal) if verdict.proof == "unseen")
    assert verdicts[waits].proof == "unseen"
    assert [(gap.journal, gap.start, gap.to) for gap in verifier.gaps(journal)] == [(journal, seq, seq)]
    (verdict,) = verifier.take(BURN[COMMITS])
    assert (verdict.at, verdict.proof) == (waits, "opened")
    assert verdict.opened == (Identity(journal, seq, BURN[COMMITS]["n"]),)
    assert {each.proof for each in verifier.verdicts(journal)} == {"opened"}


def test_closed_commitments_are_those_of_the_messages() -> None:
    sent = PLAYED["burned, shoe open"]
    verifier, _ = judged(sent)
    made = {Identity(m["journal"], m["seq"], m["n"]): m["event"]["commit"] for m in sent if "commit" in m["event"]}
    assert verifier.closed(sent[-1]["journal"]) == made


def test_a_journal_can_be_let_go() -> None:
    verifier, _ = judged(BURN[:REVEALS])
    verifier.forget(BURN[COMMITS]["journal"])
    assert closed(verifier, BURN) == 0
    (verdict,) = verifier.take(BURN[REVEALS])
    assert verdict.proof == "unseen"


def test_a_commitment_is_the_hash_of_the_text_in_the_book() -> None:
    text = b"3-abc:57:1:Qd:00112233445566778899aabbccddeeff"
    assert commitment("3-abc", 57, 1, "Qd", "00112233445566778899aabbccddeeff") == sha256(text).hexdigest()


@pytest.mark.parametrize("fields", [{"card": "??:"}, {"card": 3}, {"nonce": "é" * 32}, {"nonce": "ab"}, {"seq": "1"}])
def test_what_is_no_card_event_is_reported(fields: dict[str, Any]) -> None:
    with pytest.raises(MessageError, match="not an event of a shoe"):
        judged(changed(BURN, REVEALS, **fields))


def rewritten(lines: list[Line]) -> Iterator[Line]:
    """The lines with every card that was held and dealt made a king, as one who holds the journal could write them."""
    chain = FIRST_CHAIN
    for line in lines:
        assert line.entry
        events = [_made_a_king(event) for event in line.entry.events]
        copy = seal(replace(line.entry, events=tuple(events)), chain)
        chain = copy.chain
        yield copy


def _made_a_king(event: Any) -> Any:
    return replace(event, card=Card.Kh) if isinstance(event, CardDealt) and event.held else event


def audit(name: str, lines: Iterable[Line]) -> None:
    commitments = Commitments(name)
    for line in lines:
        commitments.check(line)


def test_an_audit_finds_a_held_card_that_became_another() -> None:
    table = Table(burn="none").play(TABLES["held, then dealt"][1])
    lines = [line for line in table.lines if line.public.journal == table.shoe.journal]
    audit("honest", lines)
    with pytest.raises(JournalError, match="forged, line 6: a card that was held or entered is not one that a line"):
        audit("forged", rewritten(lines))
