"""A round played on the rules alone: words in, steps out, as the vectors of the games write them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import to_builtins

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.game import Game, Layout, Start
from firmware_bridge.games.machine import layout, refusal
from firmware_bridge.games.moves import Answered, Dealt, Move, mark_of
from firmware_bridge.games.prompts import Between, CardDue, MarkDue, Offer, OpeningDue, Question
from firmware_bridge.topics.texts.refusals import sentence

Step = dict[str, Any]


class Rules:
    """One round of a game under its rules. What lies face down is opened as soon as the rules ask for it."""

    def __init__(self, game: Game, terms: Any, start: Start, decks: int) -> None:
        self.game, self.terms, self.start, self.decks = game, terms, start, decks
        self.faces: list[Card] = []
        self.moves: list[Move] = []
        self.reported = 0

    def play(self, words: list[str]) -> list[Step]:
        """The steps of a round: one before the first word, and one after each."""
        return [self._step([]), *(self._after(word) for word in words)]

    @property
    def table(self) -> Layout:
        """The layout as the moves so far have made it."""
        return layout(self.game, self.moves, self.terms, self.start)

    def _after(self, word: str) -> Step:
        try:
            code, place = self._taken(word)
        except RuntimeError as refused:
            code, place = str(refused), []
        step = self._step(place)
        return step | {"error": code} if code else step

    def _taken(self, word: str) -> tuple[str, list[Any]]:
        now = self.table
        if now.result:
            return "over", []
        card = next((face for face in self.game.pack if face.value == word), None)
        if card is None:
            return self._marked(word), []
        if not isinstance(now.due, CardDue):
            return "no_card_due", []
        if Counter(self.faces)[card] == self.decks * self.game.pack[card]:
            return "duplicate", []
        self.faces.append(card)
        self.moves.append(Dealt(None if now.due.down else card))
        return "", [["place", now.due.slot, word, "down" if now.due.down else "up"]]

    def _marked(self, word: str) -> str:
        mark = mark_of(word)
        if mark is None:
            return "unknown"
        refused = refusal(self.game, self.moves, self.terms, self.start, mark)
        if refused:
            assert sentence("en", refused.code, to_builtins(refused.values)), (word, refused.code)
            return "not_allowed" if refused.code == "not_possible" else refused.code
        self.moves.append(mark)
        return ""

    def _step(self, place: list[Any]) -> Step:
        now = self._settled()
        did, self.reported = [list(each) for each in now.did[self.reported :]], len(now.did)
        step: Step = {"did": place + did, "due": None, "act": [], "marks": {}}
        match now.due:
            case CardDue(slot=slot):
                step["due"] = slot
            case MarkDue(act=act):
                offers = next(iter(act.values()))
                step |= {"act": list(act), "marks": {word: _said(offer) for word, offer in offers.items()}}
            case None:
                assert not now.stuck, now.stuck
                step["over"] = True
        return step

    def _settled(self) -> Layout:
        """Answer and open until a card or a mark is due."""
        while isinstance((now := self.table).due, Question | OpeningDue):
            if isinstance(now.due, Question):
                faces = dict(enumerate(self.faces))
                self.moves.append(Answered(self.game.play.answer(now.due, faces, now)))
            elif isinstance(now.due, OpeningDue):
                for n in now.due.only or self._closed(now, now.due.step):
                    self._open(n)
        return now

    @staticmethod
    def _closed(now: Layout, slots: tuple[str, ...]) -> list[int]:
        return [n for n, each in enumerate(now.placed) if each.card is None and each.slot in slots]

    def _open(self, n: int) -> None:
        at = [i for i, move in enumerate(self.moves) if isinstance(move, Dealt)][n]
        self.moves[at] = Dealt(self.faces[n])


def _said(offer: Offer) -> Any:
    return {"max": f"{offer.most.normalize():f}"} if isinstance(offer, Between) else True
