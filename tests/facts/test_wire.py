"""Messages are described once: what is sent decodes into the Structs that a backend is given, key by key."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from firmware_bridge.client import event_message, round_message, state
from firmware_bridge.demo.memory_table import Retained
from firmware_bridge.facts import inputs, wire_states
from firmware_bridge.facts.book.measures import Health
from firmware_bridge.facts.events import EntryName
from firmware_bridge.facts.orders import Answer, Correct
from firmware_bridge.facts.wire import ClosedRound, CorrectedRound, StateHead, VoidedRound, excerpt, joined
from firmware_bridge.games import GAMES
from tests.kit.table import Table

TABLE = Table(burn="none").play("shoe 9s Kd Th Kc 2s !void misdeal 2s 6d 4h Ac !close_shoe shoe 9s Kd")
BODIES = [wire_states.Status, wire_states.Table, wire_states.Lamps, wire_states.Alarms, Health,
          wire_states.Odds, Answer]  # fmt: skip


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), names
    return dict(pairs)


def test_every_message_of_a_stream_decodes_into_its_struct_and_has_no_key_twice() -> None:
    kinds = set()
    for message in TABLE.messages:
        plain = json.loads(message.payload, object_pairs_hook=once)
        decoded = event_message(message.payload) if message.topic == "event" else round_message(message.payload)
        assert decoded.identity == (message.journal, message.seq, message.n)
        fields = set(decoded.__struct_fields__) | ({"status"} if message.topic == "round" else set())
        fields -= {"moved"}  # of a game that settles before a round is over
        fields -= {"second"}  # one person gave these orders
        fields -= {"checkpoint", "sig"}  # nothing is signed here
        if message.topic == "event" and plain["n"] < plain["of"]:
            fields -= {"sealed"}
        own = {"natural", "pairs"} if plain.get("status") in ("closed", "corrected") else set()
        assert set(plain) == fields | own
        kinds.add(type(decoded))
    assert kinds >= {ClosedRound, VoidedRound}


def test_a_correction_decodes_as_one() -> None:
    table = Table(burn="none").play("shoe 9s Kd Th Kc")
    first = table.rounds[-1]
    table.take(table.order(Correct(1, ("9s", "Kd", "Th", "9c"), "misread")))
    message = round_message(table.messages[-2].payload)
    assert isinstance(message, CorrectedRound)
    assert (message.status, message.corrects, message.revision) == ("corrected", first["seq"], 1)
    assert message.prev == EntryName(first["journal"], first["seq"])
    assert message.bets["banker_no_commission"] == Decimal(0)


@pytest.mark.parametrize("body", [*BODIES, *(topic.body for game in GAMES.values() for topic in game.topics)])
def test_no_key_of_a_head_is_one_of_a_body(body: type[msgspec.Struct]) -> None:
    assert not set(StateHead.__struct_fields__) & set(body.__struct_encode_fields__)


def test_the_states_decode_into_their_structs() -> None:
    topics: dict[str, Any] = {"table": wire_states.Table, "lamps": wire_states.Lamps, "alarm": wire_states.Alarms}
    topics |= {topic.name: topic.body for game in GAMES.values() for topic in game.topics}
    retained, seen = Retained(), set()
    for topic, payload in retained.changed(TABLE.lines[-1], TABLE.shoe):
        head, body = state(payload, topics[topic])
        assert (head.shoe, head.as_of) == (2, TABLE.shoe.seq)
        plain = json.loads(payload, object_pairs_hook=once)
        names = zip(body.__struct_fields__, body.__struct_encode_fields__, strict=True)
        said = {encoded for name, encoded in names if getattr(body, name) is not msgspec.UNSET}
        assert set(plain) == {*StateHead.__struct_fields__, *said}
        assert joined(head, body) == payload
        seen.add(topic)
    assert seen == set(topics)


def test_an_excerpt_has_the_fields_that_a_reader_needs_within_their_bounds() -> None:
    health = excerpt(Health, "queue", uptime_s=None, faults=())
    assert health.__struct_fields__ == ("queue", "uptime_s", "faults")
    decoded = msgspec.json.decode(b'{"queue":3,"reader":7,"strange":[]}', type=health)
    assert (decoded.queue, decoded.uptime_s, decoded.faults) == (3, None, ())
    assert msgspec.json.decode(b'{"queue":3,"uptime_s":null}', type=health) == decoded
    assert msgspec.json.decode(b'{"queue":3,"uptime_s":5,"faults":["x"]}', type=health).uptime_s == 5
    for odd in (b"{}", b'{"queue":-1}', b'{"queue":9007199254740993}', b'{"queue":null}'):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(odd, type=health)


def test_what_an_older_journal_or_status_does_not_say_was_not_so() -> None:
    at: Any = {"at": 1, "mono": 1}
    passed = msgspec.convert({"type": "TestCardsPassed", **at, "count": 1, "by": "bo"}, inputs.AnyInput)
    assert passed == inputs.TestCardsPassed(**at, count=1, by="bo", lent=False)
    assert (wire_states.NO_RECORD.size, wire_states.NO_RECORD.witnessed) == (0, 0)
