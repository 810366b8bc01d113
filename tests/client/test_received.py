"""Messages once each, in any order, and the gaps between them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.client import Events, Identity, MessageError, Rounds
from firmware_bridge.facts.orders import Resend
from tests.client.wagers import head, round_message
from tests.kit.nightly import share
from tests.kit.table import Table

TABLE = Table(burn="none").play("shoe", *["9s Kd Th Kc"] * 4, "2s 3h", "!void misdeal", *["9s Kd Th Kc"] * 2)
JOURNAL = TABLE.lines[-1].public.journal
SENT = [message for message in TABLE.messages if message.journal == JOURNAL]
EVENTS = [message.payload for message in SENT if message.topic == "event"]
ROUNDS = [message.payload for message in SENT if message.topic == "round"]


def event(seq: int, n: int = 1, of: int = 1) -> dict[str, Any]:
    return head(seq, n, of) | {"event": {"type": "Noted", "what": f"{seq}/{n}"}}


def entry(text: str) -> dict[str, Any]:
    """`5`: entry 5 of journal 3-abc; `4-def/7`: entry 7 of another."""
    journal, slash, seq = text.rpartition("/")
    return {"journal": journal if slash else "3-abc", "seq": int(seq)}


def round_(at: str, prev: str) -> dict[str, Any]:
    before = entry(prev) if prev else None
    return round_message("voided") | entry(at) | {"n": 1, "prev": before, "round": entry(at)["seq"]}


def asked(gaps: tuple[Resend, ...]) -> str:
    """Those of journal 3-abc without its name."""
    return ", ".join(f"{'' if each.journal == '3-abc' else f'{each.journal}/'}{each.start}-{each.to}" for each in gaps)


# what came, as seq or seq/n of an entry of two -> entries to ask for
EVENT_GAPS = [
    ("", ""),
    ("1", ""),
    ("1 2 3", ""),
    ("3 1 2 2 1", ""),
    ("2", "1-1"),
    ("1 5", "2-4"),
    ("3 4 7 9", "1-2, 5-6, 8-8"),
    ("1 2/1 2/2 3", ""),
    ("1 2/2 2/1 3", ""),
    ("1 2/1", "2-2"),
    ("1 2/2 4", "2-3"),
    ("2/1 4 6/2", "1-3, 5-6"),
    ("1 1000000000000", "2-999999999999"),
]


@pytest.mark.parametrize(("came", "gaps"), EVENT_GAPS)
def test_gaps_between_events(came: str, gaps: str) -> None:
    events = Events()
    for each in came.split():
        seq, _, n = each.partition("/")
        events.take(event(int(seq), int(n), 2) if n else event(int(seq)))
    assert asked(events.gaps("3-abc")) == gaps


# rounds that came, as seq<prev -> entries to ask for
ROUND_GAPS = [
    ("", ""),
    ("5<", ""),
    ("5< 9<5 14<9", ""),
    ("14<9 5< 9<5", ""),
    ("9<5", "1-5"),
    ("5< 14<9", "6-9"),
    ("5< 14<9 30<20", "6-9, 15-20"),
    ("5< 9<5 4-def/3<9 4-def/8<4-def/3", ""),
    ("4-def/8<4-def/3 9<5 4-def/3<9 5<", ""),
    ("4-def/3<9", "1-9"),
    ("5< 4-def/3<9", "6-9"),
    ("5< 9<5 4-def/8<4-def/3", "4-def/1-3"),
    ("5< 9<5 5-ghi/3<4-def/8", "4-def/1-8"),
    ("5< 14<9 4-def/8<4-def/3 5-ghi/3<4-def/20", "6-9, 4-def/1-3, 4-def/9-20"),
]


@pytest.mark.parametrize(("came", "gaps"), ROUND_GAPS)
def test_gaps_between_rounds(came: str, gaps: str) -> None:
    rounds = Rounds()
    for each in came.split():
        at, _, prev = each.partition("<")
        rounds.take(round_(at, prev))
    assert asked(rounds.gaps()) == gaps


@pytest.mark.parametrize("came", ["", "9<5"])
def test_nothing_is_asked_of_a_journal_that_is_settled(came: str) -> None:
    rounds = Rounds()
    for each in [*came.split(), "4-def/8<9"]:
        rounds.take(round_(*each.split("<")))
    assert asked(rounds.gaps()) in ("1-5", "1-9")
    rounds.forget("3-abc")
    assert rounds.gaps() == ()
    assert rounds.take(round_("4-def/8", "9")) is None


def test_a_gap_is_an_order_for_the_topic_command() -> None:
    events = Events()
    events.take(event(4))
    assert json.loads(msgspec.json.encode(events.gaps("3-abc")[0])) == {
        "do": "resend", "journal": "3-abc", "from": 1, "to": 3,
    }  # fmt: skip


def test_a_repeat_is_none_also_as_a_dict() -> None:
    for stream, payloads in ((Events(), EVENTS), (Rounds(), ROUNDS)):
        for payload in payloads:
            assert stream.take(payload)
            assert stream.take(payload) is None
            assert stream.take(json.loads(payload)) is None


def test_two_messages_with_one_identity_are_reported() -> None:
    events = Events()
    events.take(EVENTS[5])
    changed = json.loads(EVENTS[5])
    changed["event"]["round"] = 99
    with pytest.raises(MessageError, match="two different messages are number 1 of entry"):
        events.take(changed)


def test_another_journal_is_another_count() -> None:
    events = Events()
    events.take(event(1))
    events.take(event(5) | {"journal": "4-def"})
    assert (asked(events.gaps("3-abc")), asked(events.gaps("4-def"))) == ("", "4-def/1-4")
    events.forget("4-def")
    assert events.gaps("4-def") == ()
    assert Identity("4-def", 5, 1) not in events
    assert Identity("3-abc", 1, 1) in events


@pytest.mark.parametrize("payload", [b"", b"[]", b"\xff", b"{}", ROUNDS[0], {"journal": 3}, event(0), event(1, 3, 2)])
def test_what_is_no_event_message_is_reported(payload: Any) -> None:
    with pytest.raises(MessageError, match="check which topic it came from"):
        Events().take(payload)


@given(st.data())
@settings(max_examples=share(100, 4))
def test_asking_for_the_gaps_brings_everything(data: st.DataObject) -> None:
    """Some messages come, in any order and some twice; what the gaps ask for completes them."""
    events, rounds = Events(), Rounds()
    kinds: list[tuple[Any, Any, Any]] = [(events, lambda: events.gaps(JOURNAL), EVENTS), (rounds, rounds.gaps, ROUNDS)]
    for stream, gaps, payloads in kinds:
        came = data.draw(st.lists(st.sampled_from(payloads), max_size=30))
        got = [taken.identity for taken in map(stream.take, [*came, payloads[-1]]) if taken]
        assert len(got) == len({*came, payloads[-1]})
        for _ in payloads:
            for gap in gaps():
                again = [each for each in payloads if (gap.start or 0) <= json.loads(each)["seq"] <= (gap.to or 0)]
                assert any(stream.take(each) for each in again)
        assert gaps() == ()
        assert all(stream.take(each) is None for each in payloads)
