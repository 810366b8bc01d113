"""Rounds in lines for a person: the cards as they come, what each move caused, and the result."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from firmware_bridge.demo.narration import Narration
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.games import GAMES
from firmware_bridge.games.prompts import CardDue, MarkDue
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import messages
from firmware_bridge.screen.words import face, remarks
from firmware_bridge.shoe import Phase, Shoe, phase
from firmware_bridge.shoe.round import layout
from firmware_bridge.topics.texts import text
from firmware_bridge.topics.texts.names import outcome, points, voided

QUIET: Final = ("shoe", "betting")
"""Lines of a narration about the table, not about the round."""


class RoundReader:
    """Makes lines of journal lines, each a word and a text; `end` gives what is left."""

    def __init__(self) -> None:
        self._narration = Narration(None)
        self._dealt: list[tuple[str, str | None]] = []
        self._opened: dict[str, list[str]] = {}

    def lines(self, line: Line) -> Iterator[tuple[str, str]]:
        """Yield the lines of a journal line: nothing that is sealed is among them."""
        for message in messages(line):
            body = from_json(message.payload)
            if message.topic == "round":
                yield from self.end()
                yield from _result(body)
            elif body["event"]["type"] == "CardDealt":
                self._dealt.append((body["event"]["slot"], body["event"].get("card")))
            elif body["event"]["type"] == "CardRevealed" and body["event"].get("slot"):
                self._opened.setdefault(body["event"]["slot"], []).append(face(body["event"]["card"]))
            else:
                yield from self._event_lines(body)

    def end(self) -> Iterator[tuple[str, str]]:
        """Yield the cards that were dealt and opened since the last line."""
        dealt, self._dealt = self._dealt, []
        opened, self._opened = self._opened, {}
        if dealt and not any(card for _, card in dealt):
            places = [f"{n} to {slot}" for slot, n in Counter(slot for slot, _ in dealt).items()]
            yield "dealt", f"face down: {', '.join(places)}"
        elif dealt:
            yield "dealt", ", ".join(f"{slot} {face(card) if card else 'face down'}" for slot, card in dealt)
        if opened:
            yield "opened", ", ".join(f"{slot} {' '.join(cards)}" for slot, cards in opened.items())

    def _event_lines(self, body: dict[str, Any]) -> Iterator[tuple[str, str]]:
        event = body["event"]
        if event["type"] == "BetsClosed":
            yield from _stakes(event)
            return
        self._narration.lines.clear()
        self._narration.handle("event", body)
        for word, line in self._narration.lines:
            if not word.startswith(QUIET):
                yield from self.end()
                yield word, line


def waiting(shoe: Shoe) -> str:
    """Return the text for what a round that is not over waits for; "" if none is open."""
    if phase(shoe) not in (Phase.DEALING, Phase.COMPLETE):
        return ""
    match layout(shoe).due:
        case CardDue(slot=slot):
            return f"the round is not over: a card is due at {slot}"
        case MarkDue(act=act):
            return f"the round is not over: {', '.join(act)} must act"
    return "the round is not over"


def _stakes(event: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for word in ("bets", "money"):
        if amounts := event.get(word):
            yield word, ", ".join(f"S{str(seat).removeprefix('S')} {amount}" for seat, amount in amounts.items())


def _result(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines of a round: its outcome, each hand, and what it pays."""
    word = f"round {message['round']}"
    if message["status"] == "voided":
        yield word, f"VOID by {message['by']}: {'; '.join(voided('en', message['why'], message['reasons']))}"
        return
    notes = remarks(GAMES[message["game"]], message) if message["unit"] == "stake" else tuple(message["flags"])
    corrected = ("corrected",) if message["status"] == "corrected" else ()
    yield word, ", ".join([outcome("en", message["outcome"]), *corrected, *notes])
    dealer = message.get("dealer")
    hands = ({"dealer": dealer | {"points": _total(dealer)}} if dealer else {}) | message["hands"]
    width = max(len(" ".join(hand["cards"])) for hand in hands.values())
    for name, hand in hands.items():
        cards = " ".join(map(face, hand["cards"]))
        net = _net(message, name)
        yield "", f"{name:<7} {cards:<{width}}  {points('en', hand['points']):<16} {net}".rstrip()
    if message["unit"] == "stake":
        won = [f"{bet} {net:g}" for bet, net in message["bets"].items() if net > 0]
        yield "", f"of 1 staked, win: {', '.join(won) or 'no bet'}; all others lose or push"
    elif hands and "S1.1" not in hands and any("." in name for name in hands):
        yield from _nets(message)


def _nets(message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "", "net " + ", ".join(f"{seat} {_signed(net)}" for seat, net in message["bets"].items())


def _net(message: Mapping[str, Any], name: str) -> str:
    """Return what a hand, or a seat with one hand, has won."""
    hand = message["hands"].get(name) or {}
    net = hand.get("net", message["bets"].get(name)) if message["unit"] == "money" else None
    return "" if net is None else _signed(net)


def _signed(net: Any) -> str:
    return f"{net}" if str(net).startswith(("-", "0")) else f"+{net}"


def _total(dealer: Mapping[str, Any]) -> str:
    return text("en", "points.blackjack") if dealer["blackjack"] else "bust" if dealer["bust"] else str(dealer["total"])
