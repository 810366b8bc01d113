"""Heads that a backend computes from messages are those of the journal."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from firmware_bridge.client import MessageError, entry, head_of
from firmware_bridge.client.heads import Part, part, round_of, signed_part
from firmware_bridge.journal.line import FIRST_CHAIN, Line
from firmware_bridge.journal.messages import OutMessage, messages
from firmware_bridge.record.verify import Checkpoint, Refused, parse_note, verified_checkpoint
from scripts.tools.messages import played
from scripts.tools.messages.played import KEY
from scripts.tools.messages.scenes import GAMES, MORE, Scene

Entry = tuple[Line, list[OutMessage]]


def entries(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> list[Entry]:
    made: list[Entry] = []

    def kept(line: Line) -> list[OutMessage]:
        made.append((line, messages(line)))
        return made[-1][1]

    monkeypatch.setattr(played, "messages", kept)
    assert list(played.played(scene))
    return made


@pytest.mark.parametrize("scene", [*GAMES, *MORE], ids=lambda scene: f"{scene.game}")
def test_the_heads_of_a_scene_are_those_of_its_journal(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    before = FIRST_CHAIN
    for line, sent in entries(scene, monkeypatch):
        said = [each.payload for each in sent if each.topic == "event"]
        assert head_of(before, reversed(said)) == line.chain
        before = line.chain
        parts = {each.n: part(each.payload) for each in sent if each.topic == "event"}
        for each in sent:
            if each.topic == "round":
                announced = parts[each.n]
                assert announced
                assert round_of(announced) == signed_part(each.payload)[0]


def test_no_byte_of_an_entry_can_be_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is covered by the head, but for those of the checkpoint: the key's own signature covers them."""
    made = entries(GAMES[0], monkeypatch)
    at = next(
        n
        for n, (_, sent) in enumerate(made)
        if n and len(sent) > 2 and any(b'"checkpoint":' in each.payload for each in sent)
    )
    chain, (line, sent) = made[at - 1][0].chain, made[at]
    said = [each.payload for each in sent if each.topic == "event"]
    assert head_of(chain, said) == line.chain
    signed = 0
    for n, payload in enumerate(said):
        note = re.search(rb'"checkpoint":("[^"]*")', payload)
        begin, end = note.span(1) if note else (0, 0)
        for place in range(len(payload)):
            changed = payload[:place] + bytes([payload[place] ^ 1]) + payload[place + 1 :]
            try:
                head_of(chain, [*said[:n], changed, *said[n + 1 :]])
            except MessageError:
                continue
            assert begin <= place < end, f"{payload[max(0, place - 20) : place + 20]!r} changed"
            with pytest.raises(Refused):
                note_of(changed)
            signed += 1
    assert signed > 200
    with pytest.raises(MessageError, match="do not give its head"):
        head_of(chain, said[1:])


@pytest.mark.parametrize("proof", [b'"sealed":"%b",' % (b"ab" * 32), b'"checkpoint":"note\\n",'])
def test_what_proves_an_entry_stands_in_its_last_message_alone(monkeypatch: pytest.MonkeyPatch, proof: bytes) -> None:
    made = entries(GAMES[0], monkeypatch)
    at = next(n for n, (_, sent) in enumerate(made) if n and sum(each.topic == "event" for each in sent) > 1)
    chain, said = made[at - 1][0].chain, [each.payload for each in made[at][1] if each.topic == "event"]
    assert head_of(chain, said) == made[at][0].chain
    said[0] = said[0].replace(b'"event":', proof + b'"event":', 1)
    assert part(said[0])
    with pytest.raises(MessageError, match="do not give its head"):
        head_of(chain, said)


def note_of(payload: bytes) -> Checkpoint:
    """The checkpoint in a message, verified."""
    found = part(payload)
    assert found
    return verified_checkpoint(parse_note(found.note), [KEY.key])


def test_a_signature_stands_at_the_end_of_a_round() -> None:
    sig = b"A" * 86 + b"=="
    assert signed_part(b'{"table":"T07","sig":"%b"}' % sig) == (b'{"table":"T07"}', bytes(64))
    for unsigned in (b"", b"{}", b'{"sig":"%b"}' % sig, b'{"table":"T07","sig":"%b","more":1}' % sig):
        assert signed_part(unsigned) == (unsigned, b"")


class Said(NamedTuple):
    """The only message of an entry."""

    topic: str
    journal: str = "j"
    seq: int = 1
    n: int = 1
    of: int = 1
    body: bytes = b"{}"


@pytest.mark.parametrize("topic", ["event", "round"])
def test_an_entry_whose_last_message_is_dropped_is_empty(topic: str) -> None:
    message = Said(topic)
    known = Part(b"", "", 1, 1, "", "", b"", "") if topic == "event" else None
    held = entry.Entry[Said]("", 1)
    other = message._replace(body=b"other")
    assert (held.add(message, known, 2), held.add(other, known, 2)) == (True, True)
    assert [held.drop(other), held.drop(message)] == [False, True]
    assert [*held.messages] == []
