"""Says the dealer's acts and the guests' marks in a language: one sentence for each act that is due."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from firmware_bridge.facts.wire_states import Act, Verb
from firmware_bridge.topics.texts import Language, known, text

FEW: Final = 4
"""Most places that are named in words in one sentence."""


class Line(NamedTuple):
    """A sentence, and the verb of its act for a sign beside it."""

    verb: Verb
    text: str


class Payment(NamedTuple):
    """Chips that the dealer takes from a hand, or pays to it; no amount where stakes are not known."""

    verb: Verb
    hand: str
    amount: str


class Sayer:
    """Says places and acts in a language.

    split: the seats with more than one hand, which are named with the hand. partly: the hands of which cards stay
    face down behind those that are turned.
    """

    def __init__(self, lang: Language, split: Iterable[str] = (), partly: Iterable[str] = ()) -> None:
        self.lang, self._split, self._partly = lang, frozenset(split), frozenset(partly)

    def place(self, name: str) -> str:
        """Return a slot, a seat or a hand in words; an unknown name as it came."""
        seat, _, hand = name.partition(".")
        letter, number = seat[:1], seat[1:]
        kind = known(self.lang, f"place.{seat}") or (known(self.lang, f"place.{letter}") if number.isdigit() else None)
        if kind is None:
            return name
        words = kind.format(number=number)
        if hand.isdigit() and (hand != "1" or seat in self._split):
            return text(self.lang, "place.hand", seat=words, number=hand)
        return words

    def places(self, names: Iterable[str]) -> str:
        """Return several places: in words, many by the names of their lamps."""
        each = self._each(list(names))
        if len(each) > FEW:
            seats: dict[str, list[str]] = {}
            for seat, _, hand in (name.partition(".") for name in each):
                seats.setdefault(seat, []).append(hand)
            each = [f"{seat}.{'/'.join(hands)}".removesuffix(".") for seat, hands in seats.items()]
        return text(self.lang, "between.names").join(each)

    def _each(self, names: Sequence[str]) -> list[str]:
        """Return each place in words; many by the names of their lamps, and the hand where the seat has two."""
        if len(names) <= FEW:
            return [self.place(name) for name in names]
        return [name if name.partition(".")[0] in self._split else name.removesuffix(".1") for name in names]

    def sentence(self, *acts: Act) -> str:
        """Return the sentence of one act, or of several of the same kind at different hands."""
        act = acts[0]
        id = _ID.get((act.verb, act.what or act.key), act.verb)
        if act.slot == "burn":
            id = "burn" if act.amount else "burn_first"
        if act.slot == "lot":
            id = "lot"
        if _is_payment(act) and not act.amount:
            id = f"{act.verb}_stake"
        if act.verb == "turn" and act.hand in self._partly:
            id = "turn_first"
        named = dict.fromkeys(name for each in acts for name in (each.slots or (each.hand or each.slot,)) if name)
        values = {"hand": self.places(named), "to": self.place(act.to), "amount": act.amount}
        return text(self.lang, f"act.{id}", **values)

    def lines(self, acts: Iterable[Act]) -> Iterator[Line]:
        """Yield the sentences of acts in their order, without payments to hands."""
        return self.sentences(act for act in acts if not _is_payment(act))

    def sentences(self, acts: Iterable[Act]) -> Iterator[Line]:
        """Yield the sentences of all acts in their order; acts of one kind are one sentence."""
        for verb, same in groupby(acts, key=lambda act: act.verb):
            together = list(same)
            several = verb in _TOGETHER and all(each.slot != "lot" for each in together)
            for group in [together] if several else [[each] for each in together]:
                yield Line(verb, self.sentence(*group))

    def payments(self, acts: Iterable[Act]) -> Iterator[Payment]:
        """Yield the payments among acts, in their order."""
        paid = [act for act in acts if _is_payment(act)]
        for act, hand in zip(paid, self._each([act.hand for act in paid]), strict=True):
            yield Payment(act.verb, hand, act.amount)

    def mark(self, word: str, value: str | None = None) -> str:
        """Return a mark in words, with its value."""
        named = known(self.lang, f"mark.{word}") or word
        shown = self.place(f"S{value}") if word in _TO_SEATS and value else value
        return f"{named} {shown}" if shown else named

    def offers(self, act: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
        """Yield the marks that are asked for (`act` of the topic `table`); seats with the same choice together."""
        groups: dict[str, list[str]] = {}
        for slot, marks in act.items():
            offered = text(self.lang, "between.names").join([self._offer(word, may) for word, may in marks.items()])
            groups.setdefault(offered, []).append(slot)
        for offered, slots in groups.items():
            yield text(self.lang, "act.offers", hand=self.places(slots), marks=offered)

    def _offer(self, word: str, may: Any) -> str:
        named = self.mark(word)
        match may:
            case {"with": list() as seats, "cost": cost}:
                return f"{named} {'/'.join(str(seat)[1:] for seat in seats)} ({cost})"
            case {"cost": cost}:
                return f"{named} ({cost})"
            case {"min": least, "max": most}:
                return f"{named} {least}–{most}" if least != most else f"{named} {most}"
            case {"max": most}:
                return f"{named} {text(self.lang, 'mark.upto', most=most)}"
            case list():
                return f"{named} {'/'.join(map(str, may))}"
            case str():
                return f"{named} {may}"
        return named


def _is_payment(act: Act) -> bool:
    return act.verb in ("pay", "take") and bool(act.hand)


_TOGETHER: Final = ("turn", "collect", "ask")
"""Acts that are done at several hands one after the other, and said in one sentence."""

_TO_SEATS: Final = ("compare", "lot")
"""Marks with a seat as their value."""

_ID: Final = {
    ("press", "next"): "next",
    ("press", "reveal"): "reveal",
    ("take", "rake"): "rake",
    ("move", "collected"): "lay_back",
    ("wait", "pit"): "wait_pit",
    ("wait", "shoe"): "wait_shoe",
    ("wait", "bets"): "wait_bets",
    ("wait", "change"): "wait_change",
    ("wait", "result"): "wait_result",
}
"""Verb with what it concerns -> the id of the sentence; without a row the verb itself."""
