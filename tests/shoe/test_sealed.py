"""No sealed card leaves before its time, and each is named, provably, when its time has come."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import msgspec
import pytest

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.line import unseal, without_sealed
from firmware_bridge.journal.messages import messages
from firmware_bridge.shoe import decide, fault
from tests.kit.table import LOST, Table

NATURAL = "9s Kd Th Kc"
ONCE = "Qd"

PLAIN = {"burn": "none"}
NEXT = {"burn": "none", "close": "next"}
SIX = {"burn": "none", "procedure": "six-card"}
BETS = {"burn": "none", "betting": "required"}

# what the card is; settings; what happens before it may be named; what names it
CASES: list[tuple[str, dict[str, Any], list[str], str]] = [
    ("burned", {}, ["shoe 2c Qd 3c", NATURAL, "cut 2s 6d 4h"], "Ac"),
    ("burned, fixed number", {"burn": 1}, ["shoe Qd", NATURAL], "!close_shoe"),
    ("carried reserve", SIX, [f"shoe {NATURAL} Qd 2c", "cut"], "8h"),
    ("carried, bets", SIX | BETS, [f"shoe bets-closed {NATURAL} Qd 2c next"], "bets-closed"),
    ("unused reserve", SIX, ["shoe 9s Kd cut Th Kc 2c"], "Qd"),
    ("overdrawn", NEXT, [f"shoe {NATURAL} Qd next"], "8h"),
    ("overdrawn, burned", NEXT, [f"shoe {NATURAL} Qd !resolve overdrawn burn next"], "!close_shoe"),
    ("overdrawn, void", NEXT, [f"shoe {NATURAL} Qd !void misdeal"], "!close_shoe"),
    ("held", PLAIN, ["shoe ?? Qd Th Kc"], "!enter 9s"),
    ("held, entered before", PLAIN, ["shoe ?? ?? Qd", "!enter 9s"], "!enter Kd"),
    ("held, void", PLAIN, ["shoe ?? Qd !void misdeal"], "!close_shoe"),
    ("held in the burn", {}, ["shoe ?? Qd"], "!enter 4c 5c 6c 7c !close_shoe"),
    ("drawn before bets are closed", BETS, ["shoe Qd"], "bets-closed"),
    ("and burned", BETS, ["shoe Qd !resolve drawn_before_bets_closed burn"], "!close_shoe"),
    ("held as a reserve", SIX, ["shoe ?? Kd Th Kc Qd 2c !enter 9s"], "8h"),
    ("one deck", SIX | NEXT | {"decks": 1}, [f"shoe {NATURAL} Qd 2c", "next"], "8h"),
    ("discarded with the shoe", SIX, [f"shoe {NATURAL} Qd 2c"], "!close_shoe"),
]


@pytest.mark.parametrize(("settings", "before", "then"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_a_sealed_card_is_named_when_its_time_has_come_and_not_before(
    settings: dict[str, Any], before: list[str], then: str
) -> None:
    table = Table(**settings).play(*before)
    assert not [text for text in table.shown if ONCE in text]
    table.play(then)
    assert any(ONCE in text for text in table.shown)
    assert_commitments_hold(table)


def assert_commitments_hold(table: Table) -> None:
    """Every commitment to a card that is named by now can be checked from the messages alone."""
    sent = [json.loads(message.payload) for message in table.messages if message.topic == "event"]
    opened: dict[str, set[str]] = {}
    for each in sent:
        if each["event"].get("nonce") and each["event"].get("card"):
            opened.setdefault(each["event"]["card"], set()).add(each["event"]["nonce"])
    commits = {(m["journal"], m["seq"], m["n"]): m["event"]["commit"] for m in sent if "commit" in m["event"]}
    proved = {
        place
        for place, commit in commits.items()
        for card, nonces in opened.items()
        for nonce in nonces
        if commit == sha256(f"{':'.join(map(str, place))}:{card}:{nonce}".encode()).hexdigest()
    }
    named = {(m["journal"], m["event"]["seq"], m["event"]["n"]) for m in sent if m["event"]["type"] == "CardRevealed"}
    assert named <= proved
    secret = {
        (line.public.journal, line.public.seq, n)
        for line in table.lines
        if line.entry
        for n, event in enumerate(line.entry.events, 1)
        if isinstance(event, e.CardEvent) and event.secret and event.secret.card.value == ONCE
    }
    assert secret
    assert secret <= proved


def test_a_commitment_is_worth_something() -> None:
    """The same card with another nonce, place or face gives another commitment."""
    table = Table(burn=1).play("shoe Qd")
    burned = next(event for event in table.events if isinstance(event, e.CardBurned))
    assert burned.secret
    journal, seq = table.lines[-1].public.journal, table.lines[-1].public.seq
    text = f"{journal}:{seq}:1:Qd:{burned.secret.nonce}"
    assert burned.commit == sha256(text.encode()).hexdigest()
    assert len(burned.secret.nonce) == 32


def test_the_journal_without_its_sealed_part_names_no_sealed_card() -> None:
    table = Table().play("shoe 2c Qd 3c", NATURAL)
    assert any(b"Qd" in line.data for line in table.lines)
    assert not any(b"Qd" in without_sealed(line) for line in table.lines)


def test_a_removed_card_is_never_named() -> None:
    """A card that is not of this shoe says nothing about the shoe; it stays in the sealed part."""
    table = Table(burn="none").play("shoe 9s 3p !resolve foreign remove !close_shoe")
    assert not any("3p" in text for text in table.shown)
    assert any(b"3p" in line.data for line in table.lines)


def test_a_sealed_duplicate_is_not_named_by_its_alarm() -> None:
    table = Table(burn=2, decks=1).play("shoe Qd Qd")
    assert table.open == ("duplicate",)
    assert not any(ONCE in text for text in table.shown)


def test_a_void_names_what_lay_open_only() -> None:
    table = Table(burn="none", procedure="six-card").play(f"shoe {NATURAL} 2c Qd 8h !void misdeal")
    assert [each["card"] for each in table.rounds[-1]["cards"]] == ["2c", "Qd", "8h"]
    table = Table(burn="none", procedure="six-card", close="next").play(f"shoe {NATURAL} 2c Qd !void misdeal")
    assert [each["card"] for each in table.rounds[-1]["cards"]] == ["9s", "Kd", "Th", "Kc"]


def test_no_card_shows_in_errors() -> None:
    """Whatever is printed of what the core handles: `??`."""
    table = Table(burn=1)
    read = table.card(ONCE)
    order = table.order(orders.Enter(read.card, "second"))
    table.play("shoe", LOST)
    events = decide(table.shoe, read)
    for each in (read, order, events, table.shoe, table.lines, fault(table.shoe, read, ValueError(read)), read.card):
        assert ONCE not in repr(each)
        assert ONCE not in f"{each}"


def test_a_line_of_replay_leaks_nothing_either() -> None:
    warned: list[str] = []
    replay = Replay(house_of(procedure="six-card"), "T07", warned.append)
    lines = list(replay.play(parse(f"shoe 2c Js 3c {NATURAL} Qd 2c next +1.5s !void nothing")))
    shown = [message.payload.decode() for line in lines for message in messages(line)] + warned
    assert not [text for text in shown if ONCE in text or "Js" in text]


def test_every_message_is_the_same_from_the_bytes_of_its_line() -> None:
    table = Table(procedure="six-card").play("shoe 2c Qd 3c", NATURAL, "8h 2c ?? 4d", "!enter 9h")
    for line in table.lines:
        assert messages(unseal(line.data)) == messages(line)
        assert messages(unseal(without_sealed(line))) == messages(line)


def test_a_card_with_no_shoe_open_is_sealed_for_good() -> None:
    table = Table(burn="none").play(ONCE, "shoe !close_shoe")
    assert not any(ONCE in text for text in table.shown)


def test_the_luggage_of_a_shoe_is_not_published() -> None:
    table = Table(burn=1).play("shoe", LOST, "!enter Qd !close_shoe shoe")
    opened = next(line for line in reversed(table.lines) if b"ShoeOpened" in line.data)
    assert b'"device"' not in without_sealed(opened)
    assert b"Qd" in opened.data
    assert b"Qd" not in without_sealed(opened)
    assert unseal(opened.data).entry == opened.entry


def test_a_reader_flag_or_reason_tells_no_face() -> None:
    table = Table(burn=3).play("shoe")
    table.take(table.card(ONCE, flags=("face_up",)))
    table.take(inputs.CardUnread(at=0, reason="unreadable", nonce="a" * 32))
    assert not any(ONCE in text for text in table.shown)
    assert msgspec.json.encode(table.shoe.device.irregular).decode().count('"values":{"number":1}') == 1
