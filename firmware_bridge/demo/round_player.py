"""Plays given rounds through the real shoe: after each move, its effects and what is due; then the result."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct, to_builtins

from firmware_bridge.demo import script
from firmware_bridge.demo.memory_table import MemoryTable
from firmware_bridge.demo.wrong_line import why, wrong_settings, wrong_type
from firmware_bridge.errors import BridgeError, ScriptError
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.facts.events import AnyEvent, CardDealt, CardEvent, Device
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.games.house import house_of, usual
from firmware_bridge.games.layout import Layout
from firmware_bridge.games.moves import mark_of
from firmware_bridge.games.prompts import CardDue, MarkDue, Offer
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import messages
from firmware_bridge.shoe import Shoe
from firmware_bridge.shoe.round import layout, rules
from firmware_bridge.shoe.state import is_open
from firmware_bridge.topics.offers import of
from firmware_bridge.topics.texts.refusals import worded

Step = dict[str, Any]
Heard = Callable[[Line], None]

SHOWN: Final = ("round", "stake", "pot")
"""Fields of the running round that a step repeats."""


def over(did: list[Any]) -> Step:
    """Return the step that ends a round, and each one after it."""
    return {"did": did, "due": None, "act": [], "marks": {}, "over": True}


def step(table: Layout, did: list[Any], words: tuple[str, ...] = ()) -> Step:
    """Return the step that leads to `table`. did: effects of the move. words: those that need no turn."""
    match table.due:
        case CardDue(slot=slot):
            prompt: Step = {"due": slot, "act": [], "marks": {}}
        case MarkDue(act=act, anytime=anytime):
            offers = {word: offer for each in act.values() for word, offer in each.items()}
            marks = {word: of(word, offer) for word, offer in offers.items()}
            prompt = {"due": None, "act": list(act), "marks": marks}
            if anytime:
                prompt["anytime"] = _by_word(anytime, words)
        case _:
            prompt = {"due": None, "act": [], "marks": {}}
    shown = to_builtins(table.shows) if table.shows else {}
    return {"did": did, **prompt, **{name: shown[name] for name in SHOWN if name in shown}}


def done(events: tuple[AnyEvent, ...]) -> Iterator[list[Any]]:
    """Yield the effects of one journal entry at the table, with faces from its sealed part."""
    for event in events:
        match event:
            case CardDealt(slot=slot):
                yield ["place", slot, _face(event), "down" if event.card is None else "up"]
            case e.Happened(did=did):
                yield from ([list(word) if isinstance(word, tuple) else word for word in words] for words in did)


def _face(event: CardEvent) -> str:
    card = event.card or (event.secret and event.secret.card)
    assert card, "a card that was dealt has a face"
    face: str = card.value
    return face


def _by_word(anytime: dict[str, dict[str, Offer]], words: tuple[str, ...]) -> dict[str, list[str]]:
    """Return word -> the slots that may give it at any time."""
    return {word: [slot for slot, offers in anytime.items() if word in offers] for word in words}


REFUSED_CARDS: Final = {"foreign": "unknown", "drawn_before_mark": "no_card_due", "duplicate": "duplicate"}
"""Irregularity of a card that the rules refuse -> error code."""

NO_ROUND: Final = "no_round"
"""Error code for bets that leave too few seats for a round."""

NOT_ALLOWED: Final = "not_allowed"
"""Error code for a mark that the rules do not allow now."""


class PlayedTable:
    """The real shoe with one round, or a `whole_pack`. rounds: `round` messages. is_over: no move can follow.

    heard: called with each journal line.
    """

    def __init__(self, house: House, whole_pack: bool, heard: Heard | None = None) -> None:
        self._memory = MemoryTable(Shoe(journal="0-play", device=Device(house)), "play", "play", "play")
        self._whole_pack, self._heard = whole_pack, heard
        self.rounds: list[dict[str, Any]] = []
        self.is_over = False

    def begin(self, pack: orders.Pack, bets: orders.BetsClosed | None) -> Step:
        """Open the shoe and close the bets; return the first step. Raises BridgeError for a refused order."""
        happened = self._order(orders.OpenShoe(pack))
        _refuse(_answer(happened))
        if bets is not None:
            happened = self._order(bets)
            answer = _answer(happened)
            self.is_over = answer is not None and not answer.ok
            if answer and answer.code != NO_ROUND and (bets.bets or bets.money):
                _refuse(answer)
        return self._step(happened)

    def move(self, word: str) -> Step:
        """Play one move; return its step. A refused move changes nothing."""
        if self.is_over:
            return over([]) | {"error": "over"}
        if word in Card._value2member_map_:  # exactly: a given round is compared with other programs
            happened = self._handle(inputs.CardRead(at=0, card=Card(word), nonce=self._memory.nonce()))
            code = self._refused_card()
        elif mark := mark_of(word):
            seat = int(mark.seat) if mark.seat else None
            happened = self._order(orders.Mark(mark.word, seat, mark.value))
            answer = _answer(happened)
            code = _error(answer) if answer and not answer.ok else None
        else:
            return self._step(()) | {"error": "unknown"}
        return self._step(happened) if code is None else self._step(()) | {"error": code}

    def _refused_card(self) -> str | None:
        """Return the error code of a card that is held, and remove that card; None if none is held."""
        for irregularity, code in REFUSED_CARDS.items():
            if is_open(self._memory.shoe, irregularity):
                self._order(orders.Resolve(irregularity, "remove"))
                return code
        return None

    def _step(self, happened: tuple[e.AnyEvent, ...]) -> Step:
        did = list(done(happened))
        last = e.ShoeEnded if self._whole_pack else e.RoundClosed | e.RoundVoided  # void: the shoe was empty
        self.is_over = self.is_over or any(isinstance(event, last) for event in happened)
        shoe = self._memory.shoe
        return over(did) if self.is_over else step(layout(shoe), did, rules(shoe).play.anytime)

    def _order(self, order: orders.Order) -> tuple[e.AnyEvent, ...]:
        return self._handle(inputs.Ordered(at=0, order=order, by="play", nonce=self._memory.nonce()))

    def _handle(self, fact: inputs.AnyInput) -> tuple[e.AnyEvent, ...]:
        """Play one input; return its events as journaled."""
        line = self._memory.handle(fact)
        if line is None or line.entry is None:
            return ()
        if self._heard:
            self._heard(line)
        if any(isinstance(event, e.RoundClosed) for event in line.entry.events):
            self.rounds += [from_json(each.payload) for each in messages(line) if each.topic == "round"]
        return line.entry.events


def _refuse(answer: orders.Answer | None) -> None:
    """Raise BridgeError for the answer to an order that the shoe refused."""
    if answer and not answer.ok:
        refused = worded(answer)
        raise BridgeError(refused.error or "", refused.hint or "")


def _error(answer: orders.Answer) -> str:
    """Return the error code of a refused mark."""
    return NOT_ALLOWED if answer.code == "not_possible" else answer.code or ""


def _answer(happened: tuple[e.AnyEvent, ...]) -> orders.Answer | None:
    answers: Iterator[orders.Answer] = (event.answer for event in happened if isinstance(event, e.CommandAnswered))
    return next(answers, None)


class LineError(BridgeError, ValueError):
    """A line that is no round or comparison of the game."""


Amount = str | int | float
"""Money as it may be written; exact as a string."""


class _Played(Struct, frozen=True):
    """Inputs of a round or game to play; other fields of the line are ignored."""

    moves: tuple[str, ...]
    settings: dict[str, Any] = {}
    bets: dict[str, Amount] = {}
    money: dict[str, Amount] = {}
    left: int | None = None


PLAYED: Final = ("round", "game")
"""The types of lines that are played; others compare hands."""

OF_TABLE: Final = ("decks",)
"""Settings of the table, not of the game."""


LINE_HINT: Final = 'a round is {"type": "round", "moves": ["As", ..]}, with its bets and settings beside the moves'


def answer(name: str, text: str | bytes, heard: Heard | None = None) -> dict[str, Any]:
    """Return the answer to a line: steps and result, or the comparison of its hands. Raises LineError.

    heard: called with each journal line of a round.
    """
    try:
        given = from_json(text, dict[str, Any])
        if (other := given.get("game", name)) != name:
            hint = f"play it as {other}" if str(other) in GAMES else f'write "game": "{name}", or leave it out'
            raise LineError(f"a line of {other}, not of {name}", hint)
        is_played = given.get("type") in PLAYED
        answered = _play(GAMES[name], given, heard) if is_played else _compared(GAMES[name], given)
    except Undecodable as error:
        raise LineError(why(error, text), LINE_HINT) from None
    except BridgeError as error:
        raise LineError(error.what, error.hint) from None
    except Exception as error:  # a bad line must not stop the next ones
        raise LineError(why(error, text), LINE_HINT) from None
    return {"id": given.get("id"), **answered}


def line_of(game: str, steps: Sequence[script.Step]) -> dict[str, Any]:
    """Return a round of a deal script as a line. Raises ScriptError for steps that a line has no words for."""
    line: dict[str, Any] = {"game": game, "type": "game" if GAMES[game].play.one_round_packs else "round"}
    moves: list[str] = []
    for each in steps:
        match each:
            case script.Drawn(card=card) if card:
                moves.append(card.value)
            case script.Say(order=orders.Mark(word=word, seat=seat, value=value)):
                moves.append(f"{f'{seat}:' if seat else ''}{word}{f'={value}' if value else ''}")
            case script.Say(order=orders.BetsClosed(bets=bets, money=money)):
                line |= {"bets": bets} if bets else {"money": money} if money else {}
            case _:
                hint = "leave --json out, or have it as messages: shoe replay"
                raise ScriptError("--json takes cards, marks, bets and money only", hint)
    return line | {"moves": moves}


def _play(game: Game, given: dict[str, Any], heard: Heard | None) -> dict[str, Any]:
    line = msgspec.convert(given, _Played)
    table = PlayedTable(_house(game, line.settings), given["type"] == "game", heard)
    stakes = orders.BetsClosed(bets=_texts(line.bets), money=_texts(line.money)) if game.money.stakes else None
    pack = orders.Pack(decks=line.settings.get("decks"), left=line.left)
    steps = [table.begin(pack, stakes), *[table.move(word) for word in line.moves]]
    result = game.demo.summary(table.rounds) if game.demo.summary and table.is_over and table.rounds else None
    return {"steps": steps, "result": result}


def _texts(amounts: dict[str, Amount]) -> dict[str, str]:
    return {seat: str(amount) for seat, amount in amounts.items()}


def _house(game: Game, settings: dict[str, Any]) -> Any:
    """Return the house of a line's settings; unknown settings are ignored. Raises LineError for a wrong one."""
    known = {name: value for name, value in settings.items() if name in game.terms.__struct_fields__}
    try:
        terms = msgspec.convert(known, game.terms, strict=False)
    except msgspec.ValidationError:
        if wrong := wrong_settings(game, known):
            raise LineError(wrong[0]) from None
        raise
    own = {name: value for name, value in settings.items() if name in OF_TABLE}
    named = {name: getattr(terms, name) for name in known}
    return house_of(
        game.name, **{**usual(game.name), **own, "new_shoe": "command", "burn": "none", "virtual_cut": None, **named}
    )


def _compared(game: Game, given: dict[str, Any]) -> dict[str, Any]:
    if game.demo.compare is None:
        raise LineError(*wrong_type(given.get("type"), PLAYED, game.name))
    return dict(game.demo.compare(given))
