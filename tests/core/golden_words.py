"""What was renamed since the rows of the golden digests were written: how what comes out now is read (golden.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from firmware_bridge.facts.orders import LOCAL
from firmware_bridge.games.baccarat.script import Baccarat

Said = dict[str, Any]

RENAMED: Final[dict[str, str]] = {
    "report": "mark",
    "ReaderJudged": "ResultTold",
    "ResultTold.result": "told",
    "ResultHeld.result": "told",
    "ShoeOpened.device": "luggage",
    "sealed.device": "luggage",
}
"""New word -> old word: keys of objects, and values of the keys in `TAGS`. `KIND.word` for keys of one kind only."""

ROUNDS: Final = ("RoundClosed", "RoundCorrected", "RoundVoided", "round", "payload")
"""What a round is called as an event and as a message."""

ADDED: Final[frozenset[tuple[str, str]]] = frozenset(
    {("luggage", name) for name in ("lent", "turn", "prev")}
    | {("lamps", "reasons"), ("open", "of"), ("open", "values")}
    | {("Irregular", "of"), ("Irregular", "values"), ("hand", "points"), ("policy", "drawn_before_mark")}
    | {("roads", "naturals"), ("payload", "naturals")}
    | {(kind, name) for kind in ROUNDS for name in ("unit", "stakes", "reasons")}
    | {("event", "head"), ("round", "head"), ("payload", "head")}
)
"""(kind, field) that the rows do not know, both in old words: left out. A new state topic is ("topics", its name)."""

TAGS: Final = ("type", "do", "topic")
"""Keys (in old words) whose values are names of the code's own; others can be listed while theirs are renamed."""

MAPS: Final = {"policy": "row", "secrets": "secret", "serials": "serial", "results": "told", "hands": "hand"}
"""Objects whose keys are no fields: the kind of what they hold."""


HOUSE: Final = (
    *("game", "procedure", "decks", "burn", "close", "betting", "disclose", "after_cut", "new_shoe", "virtual_cut"),
    *("policy", "leading_ties", "row1_limit", "good_roads", "tiger_pair_top", "natural_bets", "squeeze", "mode"),
    *("reveal_timeout", "fly_limit", "shoe_change_after", "shoe_change_minutes", "confirm_shuffle", "limits"),
)


BY_DEFAULT: Final = 13
"""Cards from the end of the virtual cut; no scenario asks for it by this number."""


def _house(said: Said) -> Said:
    """The settings of the game stood among those of the table; a virtual cut had to be asked for."""
    flat = said | msgspec.to_builtins(Baccarat()) | said["terms"]
    if flat["virtual_cut"] == BY_DEFAULT:
        flat["virtual_cut"] = None
    return {name: flat[name] for name in HOUSE if name in flat}


def _told(outcome: str, *pairs: str) -> Said:
    return {"outcome": outcome, "pairs": [words.removesuffix(" pair") for words in pairs]}


def _round(said: Said) -> Said:
    """What only baccarat says stood before the bets, and no rule that decided had its mnemonic behind it."""
    if "why" in said:
        said["why"] = [words.split(" (")[0] if words.startswith("banker ") else words for words in said["why"]]
    own = said.pop("own", None) or {name: said.pop(name) for name in ("natural", "pairs") if name in said}
    bets = {"bets": said.pop("bets")} if "bets" in said else {}
    before: Said = {}
    for name, value in said.items():
        before[name] = value
        if name == "outcome":
            before |= {name: own[name] for name in ("natural", "pairs")} | bets
    return before


def _last_round(said: Said) -> Said:
    """The points of hands were whole numbers."""
    totals = {side: int(points.split()[-1]) for side, points in said.pop("points").items()}
    return {"round": said["round"], "outcome": said["outcome"], "totals": totals, "revision": said["revision"]}


def _lost(said: Said, why: str, lent: str) -> Said:
    """An input of before: a device was lost, whoever had it."""
    kept = {key: said[key] for key in ("at", "mono") if key in said}
    more = {"mark": said["taken"]} if "taken" in said else {}
    borrowed = {"lent": lent} if lent else {}
    return {"type": "DeviceLost", **kept, "device": "reader", "why": why, **more, **borrowed}


BURN_FIRST: Final = ("NEXT comes after the burn: burn first", "the burn is not finished: go on burning")


def _calmer(said: Said) -> Said:
    """NEXT before the end of the burn was a warning."""
    now, before = BURN_FIRST
    return said | {"todo": before, "severity": "warning"} if said.get("todo") == now else said


def _lamps(said: Said) -> Said:
    """Lamps with their reasons in words; anything else as it is."""
    is_lamps = "lit" in said and "why" in said
    return said | {"why": [_todo(words).replace(*BURN_FIRST) for words in said["why"]]} if is_lamps else said


def _done(said: Said) -> Said:
    """What is to do."""
    return said | {"todo": _todo(said["todo"])} if "todo" in said else said


def _words(words: str) -> str:
    """What the scenarios said of a lent reader in their own words, and of one that restarted."""
    if words.startswith("lent to "):
        return "lent"
    if words == "the reader restarted":
        return "reports before number 0 are lost"
    words = words.replace("the virtual cut card came in", "seen by the virtual in")
    return "a report taken" if "test cards passed" in words else words.replace("ReaderJudged", "ResultTold")


def _todo(words: str) -> str:
    """What to do about a card in a wrong slot was said in more words."""
    return words.replace("lies in a wrong slot", "went to another slot than the one due")


def _hint(said: Said) -> Said:
    """An order, or the answer to one that a card in a wrong slot blocks."""
    return said | {"hint": _todo(said["hint"])} if said.get("hint") else said


def _message(said: Said) -> Said:
    """The number of a shoe was a text, and `prev` was a number that began anew with each journal."""
    for told in (said, said.get("event", {}), *said.get("events", ())):
        if told.get("prev"):
            told["prev"] = told["prev"]["seq"] if told["prev"]["journal"] == said["journal"] else None
    return said | ({"shoe": str(said["shoe"])} if "shoe" in said else {})


def _payload(said: Said) -> Said:
    """A message as `shoe replay` prints it."""
    return _lamps(_message(_round(said) if "status" in said and "outcome" in said else said))


def _answer(said: Said) -> Said:
    """Only rounds with a result were told of."""
    error = said.get("error")
    return said | ({"error": error.replace(" are over", " are completed")} if error and "of this shoe" in error else {})


def _opened(said: Said) -> Said:
    """What never leaves the house was published as null."""
    before: Said = {}
    for name, value in said.items():
        before |= {name: value} | ({"luggage": None} if name == "pack" else {})
    return before


AS_BEFORE: Final[dict[str, Callable[[Said], Said]]] = {
    "x": lambda said: said | {"do": "malformed"},  # the scenarios' order that nobody can obey
    "house": _house,
    "next_house": _house,
    "settings": _house,
    "RoundClosed": _round,
    "RoundCorrected": _round,
    "ShoeOpened": _opened,
    "public": _message,
    "event": _message,
    "round": lambda said: _message(_round(said)),
    "payload": _payload,
    "last": _last_round,
    "answer": _answer,
    "told": lambda said: _told(*said["words"]),
    "ReaderBorrowed": lambda said: _lost(said, "lent", said["by"]),
    "TestCardsPassed": lambda said: _lost(said, "a report taken", said["by"] if said.get("lent") else ""),
    "Noted": lambda said: said | {"what": _words(said["what"])},
    "Irregular": lambda said: said | {"detail": _words(said["detail"])},
    "open": lambda said: _calmer(_done(said | {"detail": _words(said["detail"])})),
    **dict.fromkeys(LOCAL, _hint),
    "row": lambda said: _calmer(_done(said)),
    "lamps": _lamps,
}
"""Kind -> an object as it was said before, where it is built in another way now: innermost first, in old words.

A kind is a tag (`CardRead`, `void`), or the key an object lies under (`house`, `luggage`, or as `MAPS` says), or what
`read` is called with (`public`, `sealed`, a topic: the fields of RoundClosed are those of `round` too). For example, of
an input that was split: `{"CardMissed": lambda said: said | {"type": "CardUnread"}}`.
"""
