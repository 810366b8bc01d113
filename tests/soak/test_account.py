"""The soak is worth what its account sees: each kind of fault, made on purpose, must be found."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.cards import Card, cards
from firmware_bridge.facts.house import House
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import messages
from firmware_bridge.record.signer import checkpoint_text, signed_note, signer
from firmware_bridge.record.verify import parse_checkpoint, parse_note
from tests.kit.backend import Received
from tests.record.exports import SEED, SignedRecord
from tests.soak.account import Account

DRAWN = "2sAhAd 9sTdTsTc 2h3h4d5c6h7d 9c"


class Case:
    """A small shoe without a fault."""

    def __init__(self) -> None:
        self.lines: list[Line] = list(Replay(House(decks=1), "T07", print).play(parse(f"shoe {DRAWN}")))
        sent = [each for line in self.lines for each in messages(line)]
        self.received = [arrival(f"shoe/T07/{each.topic}", each.payload) for each in sent]
        self.drawn: list[Card] = list(cards(DRAWN))
        self.rounds = [json.loads(each.payload) for each in sent if each.topic == "round"]

    def note(self, text: str) -> None:
        """It comes on the topic `checkpoint`."""
        if text:
            self.received.append(arrival("shoe/T07/checkpoint", json.dumps({"note": text}).encode()))

    def account(self) -> Account:
        return Account(self.lines, self.received, self.drawn, self.rounds)


def arrival(topic: str, payload: bytes) -> Received:
    return Received(topic, json.loads(payload), False, None, payload)


def changed(each: Received, **fields: Any) -> Received:
    return arrival(each.topic, json.dumps(each.payload | fields).encode())


def lose(case: Case) -> None:
    del case.received[5]


def lose_the_last(case: Case) -> None:
    del case.received[-1]


def swap(case: Case) -> None:
    case.received[4], case.received[5] = case.received[5], case.received[4]


def conflict(case: Case) -> None:
    case.received.append(changed(case.received[5], at="later"))


def other_bytes(case: Case) -> None:
    case.received[5] = changed(case.received[5], at="later")


def invent(case: Case) -> None:
    case.received.append(changed(case.received[5], seq=99))


def draw_one_more(case: Case) -> None:
    case.drawn.append(Card("Ks"))


def draw_one_less(case: Case) -> None:
    case.drawn.pop()


def draw_in_another_order(case: Case) -> None:
    case.drawn.sort(key=lambda card: card.value)


def mistake_a_sealed_card(case: Case) -> None:
    case.drawn[1] = Card("Kd")


def judge_wrongly(case: Case) -> None:
    case.rounds[0]["outcome"] = "tie"


def forget_a_round(case: Case) -> None:
    case.rounds.pop()


FAULTS: list[tuple[Callable[[Case], None], str]] = [
    (lose, "missing: "),
    (lose_the_last, "missing: "),
    (swap, "out of order: "),
    (conflict, "conflicting: "),
    (other_bytes, "other bytes: "),
    (invent, "not in the journal: "),
    (draw_one_more, "cards were drawn"),
    (draw_one_less, "cards were drawn"),
    (draw_in_another_order, "wrong cards: "),
    (mistake_a_sealed_card, "wrong cards: 1"),
    (judge_wrongly, "rounds against the rule book: "),
    (forget_a_round, "rounds were dealt"),
]


def contradict(case: Case) -> None:
    """The table signed another tree of a size that it had sent."""
    note = next(each.payload["note"] for each in case.received if each.topic.endswith("checkpoint"))
    stated = parse_checkpoint(parse_note(note).text)
    case.note(signed_note(checkpoint_text(stated.origin, stated.size, bytes(32)), [signer(stated.origin, SEED)]))


def sign_by_another(case: Case) -> None:
    stated = parse_checkpoint(parse_note(case.lines[0].proof.note).text)
    case.note(signed_note(checkpoint_text(stated.origin, 1_000, bytes(32)), [signer(stated.origin, bytes(32))]))


def sign_what_is_not_kept(case: Case) -> None:
    stated = parse_checkpoint(parse_note(case.lines[0].proof.note).text)
    case.note(signed_note(checkpoint_text(stated.origin, 1_000, bytes(32)), [signer(stated.origin, SEED)]))


NOTES: list[tuple[Callable[[Case], None], str]] = [
    (contradict, "sizes with two roots: "),
    (sign_by_another, "notes of no key: "),
    (sign_what_is_not_kept, "notes that are not in the journal: "),
]


@pytest.mark.parametrize(("make", "text"), NOTES, ids=lambda value: getattr(value, "__name__", ""))
def test_notes_that_contradict_what_is_kept_are_found(make: Callable[[Case], None], text: str, tmp_path: Path) -> None:
    record = SignedRecord(tmp_path)
    record.begin()
    record.play(2).close()
    case = Case()
    case.lines, case.drawn, case.rounds = record.lines, [], []
    case.received = []
    for line in record.lines:
        case.received += [arrival(f"shoe/T07/{each.topic}", each.payload) for each in messages(line)]
        case.note(line.proof.note)
    fine = case.account()
    assert fine.figures["notes that were sent"] > 3
    assert not any("note" in fault or "roots" in fault for fault in fine.faults)
    make(case)
    assert any(text in fault for fault in case.account().faults)


def test_a_faultless_run_has_no_faults() -> None:
    account = Case().account()
    assert account.faults == []
    assert account.figures["cards drawn"] == len(cards(DRAWN))
    assert account.figures["rounds"] == 2


def test_repeats_are_no_fault() -> None:
    case = Case()
    case.received[8:8] = [each._replace() for each in case.received[3:8]]
    account = case.account()
    assert (account.faults, account.figures["repeats (same identity, same bytes)"]) == ([], 5)


@pytest.mark.parametrize(("make", "text"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_each_fault_is_found(make: Callable[[Case], None], text: str) -> None:
    case = Case()
    make(case)
    assert any(text in fault for fault in case.account().faults)
