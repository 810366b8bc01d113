"""The demo in words: a line per round, irregularity, burn, shoe and cut card, from the messages."""

import time
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any, Final, TextIO

from rich.text import Text

from firmware_bridge.client.commitments import Verifier
from firmware_bridge.config.layout import columns, hanging, show
from firmware_bridge.demo.broker import HOST
from firmware_bridge.demo.harness import Harness
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.screen.words import (
    brief,
    counted,
    face,
    face_or_word,
    headline,
    named,
    remarks,
    short_name,
    shown_hands,
)
from firmware_bridge.topics.texts import alarms
from firmware_bridge.topics.texts.acts import Sayer
from firmware_bridge.topics.texts.effects import sentences
from firmware_bridge.topics.texts.names import outcome, points, shoe_ended, voided
from firmware_bridge.topics.texts.refusals import words

LABEL: Final = 19
"""Characters of the time and the word before a line's text."""

KEPT: Final = 60
"""Lines kept for a picture."""

PAIR: Final = 2
"""Hands with points that can stand side by side without names."""

CUT_BY: Final = {"sensor": "passed its sensor", "reader": "read", "virtual": "not seen where it should be"}


class Narration:
    """Writes lines to `out` as messages come; with None it only keeps the last ones in `lines`."""

    def __init__(self, out: TextIO | None) -> None:
        self.lines: deque[tuple[str, str]] = deque(maxlen=KEPT)
        self._out, self._began = out, time.monotonic()
        self._burn: list[str | None] = []
        self._proofs = Verifier()
        self._journals: set[str] = set()
        self._has_marks = False
        self._mark: dict[str, Any] | None = None

    def begin(self, harness: Harness) -> None:
        play, self._has_marks = harness.play, bool(harness.game.play.words)
        broker = f"broker {harness.broker.kind} (MQTT {'5' if harness.broker.protocol == 5 else '3.1.1'})"
        what = f"{play.procedure or play.game}, reader {play.reader}, {broker}, {harness.size} cards"
        fault = f", fault {play.fault}" if play.fault else ""
        what += "".join(f", {key} {value}" for key, value in play.house.items())
        self.write_line(
            "demo", f"{counted(play.rounds, 'round')}, {what}, speed {play.speed:g}, seed {play.seed}{fault}"
        )
        self.write_line("topics", f"{harness.topics}/# at {HOST}:{harness.broker.port}")

    def handle(self, name: str, payload: dict[str, Any]) -> None:
        if name == "round":
            lines = [*_round(GAMES[payload["game"]], payload)]
        else:
            self._proofs.take(payload)
            self._journals.add(payload["journal"])
            lines = [*self._marked(payload["event"]), *self._event(payload["event"])]
        for word, text in lines:
            self.write_line(word, text)

    def end(self, harness: Harness) -> None:
        self._out = None
        for line in summary(harness, time.monotonic() - self._began):
            show(Text(line))
        judged = [each for journal in self._journals for each in self._proofs.verdicts(journal)]
        if judged:
            proved = sum(each.proof == "opened" for each in judged)
            show(Text(f"{proved} of {len(judged)} sealed cards match what was committed before"))

    def _marked(self, event: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the mark before this event, unless the event repeats it."""
        mark, self._mark = self._mark, event if event["type"] == "MarkGiven" else None
        if mark and not (event["type"] == "Happened" and _repeats(event["did"][0], mark)):
            words = Sayer("en").mark(mark["word"], mark.get("value"))
            yield "mark", f"S{mark['seat']}: {words}" if mark["seat"] else words

    def _event(self, event: dict[str, Any]) -> Iterator[tuple[str, str]]:
        match event["type"]:
            case "ShoeOpened":
                self._burn = []
                confirmed = event.get("confirmed_by")
                by = f", confirmed by {confirmed}" if confirmed else ""
                size = GAMES[event["house"]["game"]].size * event["house"]["decks"]
                yield f"shoe {event['number']}", f"open: {size} cards{by}"
            case "CardBurned":
                self._burn.append(event.get("card"))
                if event["left"] == 0:
                    yield "burn", _burn(self._burn)
            case "CutCardMet":
                yield "cut card", f"{CUT_BY[event['by']]}: round {event['last_round']} is the last"
            case "ShoeEnded":
                how = shoe_ended("en", event["code"], **event.get("values", {}), typed=event.get("why", ""))
                yield "shoe", f"over after {counted(event['rounds'], 'round')}: {how}"
            case "Irregular":
                yield "! open", f"{event['id']}: {alarms.what('en', event['id'], event.get('values', {}))}"
            case "IrregularityClosed":
                by = f" by {event['by']}" if event.get("by") else ""
                yield "! closed", f"{event['id']}: {event['choice'].replace('_', ' ')}{by}"
            case "CardEntered" | "CardLookedAt":
                yield "entered", f"a card that was not read, by {event['by']} and {event['second']}"
            case "KeyRefused":
                why, _ = words("en", event.get("code"), event.get("values", {}), event.get("why"), None)
                yield "refused", f"{event['key'].upper()}: {why}"
            case "CardRevealed" if self._has_marks:
                return  # `Happened` reports it, one hand at a time
            case _:
                yield from _guests(event)

    def write_line(self, word: str, text: str) -> None:
        """Write a line: a word or two, and a sentence."""
        self.lines.append((word, text))
        if self._out:
            line = f"{time.monotonic() - self._began:7.2f}  {word:<9} {text}".rstrip()
            for part in hanging(Text(line), columns(), LABEL):
                print(part.plain, file=self._out, flush=True)


def _repeats(words: list[Any], mark: dict[str, Any]) -> bool:
    """Return whether an effect begins with what the mark says."""
    return words[0] == mark["word"] or (mark["seat"] and words[1:2] == [f"S{mark['seat']}"])


def _guests(event: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines of events that involve guests."""
    match event["type"]:
        case "BetsOpened":
            yield "betting", f"round {event['round']}: open"
        case "BetsClosed":
            yield "betting", f"round {event['round']}: closed, the cards may come"
        case "MarkTakenBack":
            yield "mark", f"{event['word']} is taken back"
        case "Happened":
            yield "did", sentences("en", event["did"], face_or_word)
        case "CardRevealed" if event.get("slot"):
            yield "revealed", f"{event['slot']} {face(event['card'])}, committed to in entry {event['seq']}"


def _burn(cards: list[str | None]) -> str:
    exposed = f"{face(cards[0])} exposed, then " if cards[0] else ""
    unseen = sum(card is None for card in cards)
    return f"{exposed}{unseen} card{'s' * (unseen != 1)} unseen"


def _round(game: Game, message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    word = f"round {message['round']}"
    if message["status"] == "voided":
        yield word, f"VOID by {message['by']}: {'; '.join(voided('en', message['why'], message['reasons']))}"
        return
    notes = ", ".join(remarks(game, message))
    shown = message | {"hands": shown_hands(message)}
    result = outcome("en", message["outcome"])
    if len(message["hands"]) > PAIR and result != message["outcome"]:
        yield word, f"{result.upper()}  {'  '.join(_hands_with_points(shown))}  {notes}".rstrip()
        return
    yield word, f"{headline(shown, 6):<11} {_hands(shown)}  {notes}".rstrip()


def _hands_with_points(message: dict[str, Any]) -> Iterator[str]:
    hands = message["hands"]
    for name, hand in hands.items():
        yield f"{short_name(name, hands)} {' '.join(map(face, hand['cards']))} {points('en', brief(hand['points']))}"
    if dealer := message.get("dealer"):
        yield f"D {' '.join(map(face, dealer['cards']))}"


def _hands(message: dict[str, Any]) -> str:
    hands = [f"{name} {' '.join(map(face, hand['cards']))}" for name, hand in named(message["hands"]).items()]
    return "  ".join(f"{hand:<10}" for hand in hands)


def summary(harness: Harness, seconds: float) -> Iterator[str]:
    """Yield the summary of the demo, two lines."""
    backend = harness.backend
    closed = [each for each in backend.rounds if each["status"] == "closed"]
    counts = Counter(each["outcome"] for each in closed)
    voided = len(backend.rounds) - len(closed)
    outcomes = dict.fromkeys((*harness.game.play.keys, *sorted(counts)))
    split = ", ".join([*(f"{each} {counts[each]}" for each in outcomes), *[f"void {voided}"] * bool(voided)])
    cards, sent = counted(backend.cards, "card"), counted(backend.messages, "MQTT message")
    won = f" ({split})" if split else ""
    yield f"{counted(len(closed), 'round')} delivered{won}, {cards}, {sent}"
    took = backend.latency_ms
    median = f"card to subscriber {took:.1f} ms (median), " if took is not None else ""
    yield f"{median}{seconds:.1f} s in all"
