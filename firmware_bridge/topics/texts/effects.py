"""Says what happened at a table by the rules of a game in sentences: `S5 pays 6, compares with S2 and wins`."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from firmware_bridge.topics.texts import Language, known, text
from firmware_bridge.topics.texts.names import points


class _Clause(NamedTuple):
    """What one effect says. who: its actor, "" for the table. begins: whether it begins a sentence of its own."""

    who: str
    words: str
    begins: bool = False


Face = Callable[[str], str]
"""Shows a card as this screen can; any other word as it is."""


def sentences(lang: Language, did: Sequence[Sequence[Any]], face: Face = str) -> str:
    """Return the effects of an input (`did` of the event `Happened`) in words; those of one actor in one sentence."""
    made: list[tuple[str, list[str]]] = []
    for clause in _clauses(lang, did, face):
        if clause.who and not clause.begins and made and made[-1][0] == clause.who:
            made[-1][1].append(clause.words)
        else:
            made.append((clause.who, [clause.words]))
    between = text(lang, "between.names")
    return text(lang, "between.clauses").join(f"{who} {between.join(words)}".strip() for who, words in made)


def _clauses(lang: Language, did: Sequence[Sequence[Any]], face: Face) -> Iterator[_Clause]:
    before: Sequence[Any] = ()
    for words in did:
        if not (words[0] == "out" and before and before[0] == "compare"):  # the comparison has said it
            yield _clause(lang, words, face)
        before = words


def _clause(lang: Language, words: Sequence[Any], face: Face) -> _Clause:
    return _of_cards(lang, words, face) or _between_two(lang, words) or _of_one(lang, words) or _plain(words, face)


def _of_cards(lang: Language, words: Sequence[Any], face: Face) -> _Clause | None:
    match list(words):
        case ["turn", "D", str(card)]:
            return _Clause(text(lang, "effect.dealer"), text(lang, "effect.turn_card", value=face(card)))
        case ["turn", who, kind]:
            return _Clause(who, text(lang, "effect.turn", value=_kind(lang, str(kind))))
        case ["peek", bool(has)]:
            return _Clause("", text(lang, "done.has" if has else "done.has_not"))
        case ["move", hand, card]:
            return _Clause(hand, text(lang, "effect.move", value=face(str(card))))
    return None


def _between_two(lang: Language, words: Sequence[Any]) -> _Clause | None:
    match list(words):
        case ["pay", who, to, paid, owed] if paid != owed:
            return _Clause(who, text(lang, "effect.pays_part", to=to, value=paid, owed=owed), begins=True)
        case ["pay", who, to, paid, *_]:
            return _Clause(who, text(lang, "effect.pays_to", to=to, value=paid), begins=True)
        case ["bonus", who, to, amount]:
            return _Clause(who, text(lang, "effect.bonus", to=to, value=amount), begins=True)
        case ["compare", who, to, winner]:
            return _Clause(who, text(lang, "effect.compare_won" if winner == who else "effect.compare_lost", to=to))
        case ["raise", who, amount, stake]:
            return _Clause(who, text(lang, "effect.raise", value=amount, owed=stake))
    return None


def _of_one(lang: Language, words: Sequence[Any]) -> _Clause | None:
    """Return an effect at one seat, or at the whole table."""
    match list(words):
        case ["grab", who, 0 | "0"]:
            return _Clause(who, text(lang, "effect.grab_not"))
        case [("bet_refused" | "seat_refused") as verb, who, why]:
            return _Clause(who, text(lang, f"effect.{verb}", value=str(why).replace("_", " ")), begins=True)
        case ["out", who, how]:
            return _Clause(who, text(lang, "effect.fold" if how == "fold" else "effect.out"))
        case [("round" | "round_over" | "rake") as verb, value]:
            return _Clause("", text(lang, f"effect.{verb}", value=value))
        case [("stopped" | "no_game") as verb, [*seats]]:
            return _Clause("", text(lang, f"effect.{verb}", value=text(lang, "between.names").join(map(str, seats))))
        case [("no_round" | "forced") as verb, *_]:
            return _Clause("", text(lang, f"effect.{verb}"))
        case [verb, str(who), *values] if verb in _OF_A_SEAT:
            value = values[0] if values else ""
            return _Clause(who, text(lang, f"effect.{_OF_A_SEAT[verb]}", value=value), begins=verb in _SETTLES)
    return None


def _plain(words: Sequence[Any], face: Face) -> _Clause:
    """Return an effect that has no text: its words, the actor first."""
    shown = [_shown(word, face) for word in words]
    if len(words) > 1 and str(words[1])[:1] in ("S", "D"):
        return _Clause(shown[1], " ".join([shown[0], *shown[2:]]))
    return _Clause("", " ".join(shown))


def _shown(word: Any, face: Face) -> str:
    match word:
        case bool():
            return "yes" if word else "no"
        case list() | tuple():
            return ", ".join(_shown(each, face) for each in word)
    return face(str(word))


def _kind(lang: Language, kind: str) -> str:
    """Return the kind of a hand: `bull_7`, `four_face`."""
    return known(lang, f"points.{kind.replace('_', '-')}") or points(lang, kind.replace("_", " "))


_OF_A_SEAT: Final = {
    "stake": "stake",
    "pay": "paid",
    "take": "loses",
    "push": "push",
    "discard": "discard",
    "grab": "grab",
    "bet": "bet",
    "banker": "banker",
    "ante": "ante",
    "start": "start",
    "look": "look",
    "call": "call",
    "put": "put",
    "all_in": "all_in",
    "return": "return",
    "win": "win",
}
"""Verb of an effect at one seat -> the id of its text."""

_SETTLES: Final = ("pay", "take", "return", "win")
