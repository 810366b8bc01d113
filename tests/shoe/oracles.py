"""What must be true of any journal, judged from its lines alone by rules written for the tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from itertools import zip_longest
from typing import Any

from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events import Entry
from firmware_bridge.journal.line import Line, unseal
from firmware_bridge.journal.messages import messages
from firmware_bridge.shoe import Shoe, advance, decide
from firmware_bridge.shoe.state import HeldCard, HeldCut, HeldResult
from tests.kit.baccarat import layout

CUT = "cut card"
RESULT = "result"
Waiting = Card | str | None


def entries(lines: list[Line]) -> Iterator[Entry]:
    """The entries of the lines, from their bytes."""
    for line in lines:
        entry = unseal(line.data).entry
        assert entry
        yield entry


def is_fault(events: tuple[e.AnyEvent, ...]) -> bool:
    """Whether `fault` made this entry: its events name the error."""
    return any("ValueError" in f"{getattr(each, 'values', '')} {getattr(each, 'what', '')}" for each in events)


def replayed(lines: list[Line]) -> Shoe:
    """The shoe the lines fold to; deciding their inputs again gives the same events."""
    shoe = Shoe()
    for entry in entries(lines):
        if not is_fault(entry.events):
            assert decide(shoe, entry.input) == entry.events
        shoe = advance(shoe, entry)
    return shoe


def identities_are_unique(lines: list[Line]) -> None:
    """No identity twice, entries without gaps, the same bytes again."""
    sent = [message for line in lines for message in messages(line)]
    assert len({message[:4] for message in sent}) == len(sent)
    assert sent == [message for line in lines for message in messages(unseal(line.data))]
    numbers: dict[str, int] = {}
    for line in lines:
        assert line.public.seq == numbers.get(line.public.journal, 0) + 1
        numbers[line.public.journal] = line.public.seq


def cards_keep_their_order(lines: list[Line]) -> list[Waiting]:
    """Every card is put in one place, in the order drawn; what still waits at the end."""
    queue: list[Waiting] = []
    for entry in entries(lines):
        placed = 0
        for event in entry.events:
            placed += _place(event, entry.input, queue)
        reported = isinstance(entry.input, inputs.CardRead) and not (is_fault(entry.events) and not placed)
        assert not reported or placed == 1, entry
    return queue


def waiting(shoe: Shoe) -> list[Waiting]:
    """What the shoe says it holds."""
    names = {HeldCut: CUT, HeldResult: RESULT}
    return [each.card if isinstance(each, HeldCard) else names[type(each)] for each in shoe.held]


def _place(event: e.AnyEvent, fact: inputs.AnyInput, queue: list[Waiting]) -> int:
    """Follow one event; 1 if it is what became of the card of this input."""
    match event:
        case e.CardHeld():
            queue.append(_face(event))
            assert _face(event) == _card_of(fact)
            return 1
        case e.CutCardHeld():
            queue.append(CUT)
        case e.ResultHeld():
            queue.append(RESULT)
        case e.CutCardMet(held=True):
            assert queue.pop(0) == CUT
        case e.IrregularityClosed(id="cut_card_early", choice="continue"):
            queue.remove(CUT)
        case e.Noted(held=True):
            assert queue.pop(0) in (CUT, RESULT)
        case e.CardEntered(held=True):
            assert queue[0] is None
            queue[0] = _face(event)
        case e.CardDealt() | e.CardBurned() | e.CardOverdrawn() | e.CardSetAside():
            if event.held:
                assert queue.pop(0) == _face(event)
                return 0
            assert not queue
            assert _face(event) == _card_of(fact)
            return 1
        case e.CardConfirmed():
            return 1
        case e.ShoeOpened() | e.ShoeEnded():
            assert not queue
    return 0


def _face(event: e.CardEvent) -> Card | None:
    return event.card or (event.secret.card if event.secret else None)


def _card_of(fact: inputs.AnyInput) -> Card | None:
    if isinstance(fact, inputs.Ordered):
        return fact.order.card if isinstance(fact.order, orders.Enter) else None
    return fact.card if isinstance(fact, inputs.CardRead) else None


def rounds_are_the_rule_books(lines: list[Line]) -> None:
    """Rounds count 1, 2, 3 .. in each shoe, hold exactly the cards the rules draw, and tell what came before."""
    numbers: dict[str, int] = {}
    before: dict[str, Any] | None = None
    for message in (each for line in lines for each in messages(line) if each.topic == "round"):
        body = json.loads(message.payload)
        if body["status"] == "corrected":
            before = {"journal": message.journal, "seq": message.seq}
            continue
        assert body["round"] == numbers.get(message.journal, 0) + 1
        assert body["prev"] == before
        numbers[message.journal], before = body["round"], {"journal": message.journal, "seq": message.seq}
        if body["status"] == "closed":
            table = layout(tuple(Card(each["card"]) for each in body["cards"]), "on-demand")
            assert table.result
            assert table.result.outcome == body["outcome"]
            assert list(table.slots) == [each["slot"] for each in body["cards"]]
            assert table.result.totals == {side: hand["total"] for side, hand in body["hands"].items()}


def last_means_last(lines: list[Line]) -> None:
    """A round is marked as the last exactly when the shoe ends with it."""
    for entry in entries(lines):
        events = [each for each in entry.events if isinstance(each, e.RoundClosed | e.RoundVoided | e.ShoeEnded)]
        for event, after in zip_longest(events, events[1:]):
            if not isinstance(event, e.ShoeEnded):
                assert event.last is isinstance(after, e.ShoeEnded), entry
            else:
                assert after is None


def bets_come_first(lines: list[Line]) -> None:
    """Where betting is required, no card of a round is dealt or named while bets may be placed."""
    betting = False
    for event in (event for entry in entries(lines) for event in entry.events):
        match event:
            case e.BetsOpened():
                betting = True
            case e.BetsClosed() | e.ShoeEnded() | e.RoundVoided():
                betting = False
            case e.CardDealt() | e.CardOverdrawn():
                assert not betting, event
            case e.CardRevealed(round=number):
                assert not (betting and number), event


def corrections_follow_one_another(lines: list[Line]) -> None:
    """A correction is a whole round, one revision further, and names the entry of the one it replaces."""
    newest: dict[tuple[str, int], dict[str, Any]] = {}
    before: dict[str, Any] | None = None
    for message in (json.loads(each.payload) for line in lines for each in messages(line) if each.topic == "round"):
        key = (message["journal"], message["round"])
        if message["status"] == "corrected":
            old = newest[key]
            assert (message["corrects"], message["revision"]) == (old["seq"], old["revision"] + 1)
            assert (message["carried"], message["last"]) == (old["carried"], old["last"])
            assert old["status"] != "voided"
            assert set(message["bets"]) == set(old["bets"])
        assert message["prev"] == before
        newest[key], before = message, {name: message[name] for name in ("journal", "seq")}


def what_is_opened_was_committed_to(lines: list[Line]) -> None:
    """Each card named later is the one its commitment stands for, and is named once."""
    commits: dict[tuple[str, int, int], str] = {}
    for message in (json.loads(each.payload) for line in lines for each in messages(line) if each.topic == "event"):
        event = message["event"]
        if "commit" in event:
            commits[message["journal"], message["seq"], message["n"]] = event["commit"]
        if event["type"] == "CardRevealed":
            place = (message["journal"], event["seq"], event["n"])
            text = f"{':'.join(map(str, place))}:{event['card']}:{event['nonce']}"
            assert commits.pop(place) == sha256(text.encode()).hexdigest()


CEREMONY = ({"P1", "P2", "B1", "B2"}, {"P3"}, {"B3"})


def cards_open_by_the_ceremony(lines: list[Line]) -> None:
    """Both pairs, then P3, then B3; a round closes with all its cards open, and names none before."""
    opened: list[str] = []
    for event in (event for entry in entries(lines) for event in entry.events):
        match event:
            case e.CardDealt():
                assert event.card is None
            case e.CardRevealed(slot=str(slot)):
                step = next(n for n, slots in enumerate(CEREMONY) if slot in slots)
                assert not step or set(opened) >= CEREMONY[0]
                assert step == 2 or "B3" not in opened
                opened.append(slot)
            case e.RoundClosed():
                assert sorted(opened) == sorted(each.slot for each in event.cards)
                opened = []
            case e.RoundVoided():
                opened = []
