"""Decides which names people may have, and which two names are one person's (Unicode TS 39, docs/adr/019)."""

import json
import re
import unicodedata
from bisect import bisect
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.facts.printable import fault

REMEDY: Final = "write the person's own name: each word in one script, and nothing invisible"
"""What to do about a name that is `unfit`."""

LONGEST: Final = 64
"""Most characters of a name on record."""

RESERVED: Final = ("backend", "dealer's keypad", "key", "keypad", "root")
"""Names on record that are no person's."""

KEY: Final = "key/"
"""How the giver of a signed order begins."""

PADS: Final = ("key", "keypad")
"""First words of the givers of marks."""

KEYS: Final = ("next", "reveal", "unmark", "player", "banker", "tie")
"""What follows the word `key` there; else the name of a seat's key, which has a number. With others it is a person."""

_PAD: Final = re.compile(r"key(pad)?s?[0-9]+")
"""The same without a blank."""

TOGETHER: Final = tuple(frozenset(each.split()) for each in ("Latn Hani Hira Kana", "Latn Hani Bopo", "Latn Hani Hang"))
"""Scripts that one word may mix: "highly restrictive" of Unicode TS 39, 5.2."""

ANY_SCRIPT: Final = frozenset({"Zyyy", "Zinh"})
"""Common and inherited: signs, digits and marks of each script."""

NO_SCRIPT: Final = "Zzzz"
"""Code points that are not assigned, or private: each machine shows something else."""

BLANKS: Final = " \u3000"
"""The blanks that a keyboard types; the others look like these or like nothing."""

UNSEEN: Final = "\u2800"
"""A letter without ink that Unicode does not call ignorable: the empty pattern of Braille."""


class _Letters(NamedTuple):
    """What letters.json says. starts, scripts: of ranges. unseen: pattern of a letter. looks: letter -> its like."""

    starts: list[int]
    scripts: list[frozenset[str]]
    unseen: re.Pattern[str]
    looks: dict[int, str]


def unfit(name: str, most: int) -> str | None:
    """Return why a new name of at most `most` characters is refused, a phrase that follows "the name"; else None."""
    if wrong := fault(name, most) or _illegible(name):
        return wrong
    like = _imitated(name)
    return f'looks like "{like}", which is no person' if like else None


def unfit_word(name: str, most: int) -> str | None:
    """Return the same for a name that is no person's, such as a table's."""
    return fault(name, most) or _illegible(name)


def is_pad(name: str) -> bool:
    """Return whether a name is or looks like a keypad's or key's: `keypad 2`, `key S1.H`, `key next`; not `Key Lee`."""
    first, *more = name.split(maxsplit=1) or [""]
    if not more or not any(one_person(first, each) for each in PADS):
        return False
    is_key = any(map(str.isdigit, more[0])) or any(one_person(more[0], each) for each in KEYS)
    return is_key or not one_person(first, PADS[0])


def one_person(one: str, other: str) -> bool:
    """Return whether two names are one person's: they are seen as one, or look alike in different scripts."""
    first, second = as_seen(one), as_seen(other)
    if first == second:
        return True
    if first.isascii() and second.isascii():
        return False
    return _runs(first) != _runs(second) and not _looks(one).isdisjoint(_looks(other))


def alike(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of different names that are one person's."""
    by_look: dict[str, list[str]] = {}
    pairs: dict[tuple[str, str], None] = {}
    for name in dict.fromkeys(names):
        looks = {as_seen(name), *_looks(name)}
        known = {each: None for look in looks for each in by_look.get(look, ()) if one_person(each, name)}
        pairs |= {(each, name): None for each in known}
        for look in looks:
            by_look.setdefault(look, []).append(name)
    yield from pairs


@lru_cache(256)
def as_seen(name: str) -> str:
    """Return the visible part of a name: case folded, without blanks and what is not shown."""
    if name.isascii():
        return "".join(name.casefold().split())
    return unicodedata.normalize("NFKC", _shown(name).casefold())


def _shown(name: str) -> str:
    """Return a name without blanks and what is not shown, normalised."""
    letters = "".join(each for each in unicodedata.normalize("NFKC", name) if not (each.isspace() or _is_unseen(each)))
    return unicodedata.normalize("NFKC", letters)


def _is_unseen(letter: str) -> bool:
    return unicodedata.category(letter) == "Cf" or bool(_letters().unseen.match(letter))


def _illegible(name: str) -> str | None:
    """Return the first letter that is not shown, or the first word that mixes scripts; as a phrase."""
    if name.isascii():
        return None
    for each in name:
        is_blank = each.isspace() and each not in BLANKS
        if is_blank or _is_unseen(each) or NO_SCRIPT in _scripts(each):
            return f"contains the character {each.encode('unicode_escape').decode()}"
    return "mixes scripts in a word" if any(map(_mixes, name.split())) else None


def _mixes(word: str) -> bool:
    """Return whether no script, and none of `TOGETHER`, has all letters of a word."""
    used = [each for letter in unicodedata.normalize("NFKC", word) if not (each := _scripts(letter)) & ANY_SCRIPT]
    return bool(used) and not frozenset.intersection(*used) and not any(all(e & t for e in used) for t in TOGETHER)


def _imitated(name: str) -> str | None:
    """Return the name of no person that a name looks like, or begins like."""
    looks = () if name.isascii() else _looks(name)
    if any(each.startswith(KEY) for each in (as_seen(name), *looks)):
        return KEY
    if is_pad(name) or _PAD.fullmatch(as_seen(name)):
        return PADS[-1]
    return next((each for each in RESERVED if one_person(name, each)), None)


def _runs(seen: str) -> list[frozenset[str]]:
    """Return the scripts in a visible name, one after the other; signs beyond ASCII are one of their own."""
    used = (
        each for letter in seen if not letter.isascii() or letter.isalpha() if "Zinh" not in (each := _scripts(letter))
    )
    return [each for each, _ in groupby(used)]


@lru_cache(256)
def _looks(name: str) -> frozenset[str]:
    """Return the skeletons of a name as it is, in small letters and in capitals."""
    shown = _shown(name)
    return frozenset(_skeleton(each).casefold() for each in (shown, shown.casefold(), shown.upper()))


def _skeleton(text: str) -> str:
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).translate(_letters().looks))


def _scripts(letter: str) -> frozenset[str]:
    letters = _letters()
    return letters.scripts[bisect(letters.starts, ord(letter)) - 1]


@cache
def _letters() -> _Letters:
    """Return the table, read when a name first needs it."""
    file = json.loads(Path(__file__).with_name("letters.json").read_bytes())
    ranges = sorted((start, frozenset(name.split())) for name, starts in file["scripts"].items() for start in starts)
    unseen = "".join(f"{chr(first)}-{chr(last)}" for first, last in file["unseen"])
    looks = {ord(each): like for like, letters in file["looks"].items() for each in letters}
    return _Letters([e for e, _ in ranges], [e for _, e in ranges], re.compile(f"[{unseen}{UNSEEN}]"), looks)
