"""Texts of the wire in Chinese: each text that shoe, daemon and commands make has a template of the catalogue."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from string import Formatter
from typing import Final

import pytest

import firmware_bridge
from firmware_bridge.topics.texts import LANGUAGES, Language, ids, known
from firmware_bridge.topics.texts.phrases import PREFIX, in_words, phrase

ROOT: Final = Path(firmware_bridge.__file__).parent
CHINESE: Final[tuple[Language, ...]] = ("zh-Hant", "zh-Hans")

MADE: Final = {
    "_report": (2,),
    "NoDaemon": (0, 1),
    "NotRunning": (0, 1),
    "NotAllowed": (0, 1),
    "NotConfirmed": (0, 1),
    "NoPicture": (0, 1),
}
"""What is called with a text for people -> the places of the texts."""

ROOMS: Final = (
    "shoe",
    "games",
    "journal/resend.py",
    "daemon/delivery/backlog.py",
    "daemon/table/validation.py",
    "daemon/table/budget.py",
    "daemon/table/order_service.py",
    "cli/daemon_socket.py",
    "cli/do",
    "cli/watch",
)

VALUES: Final = {
    "called(name)": ("the reason", '"card"'),
    "wrong.what": ("is empty", "is not a text"),
    "few": ("too few seats take part", "S1, S2 cannot take part"),
    "what": ("fly",),
    "shoe.last_mark.followed": (),
    "_why_not(table, seat, mark.word)": ("a call costs 7",),
    "why_not": ("SU is allowed only as the first decision of a seat",),
    "_options(table, seat)": ("S2 may fold",),
    "was": ("was voided", "of this shoe is not closed"),
    "'s' * (len(game.packs) > 1)": ("", "s"),
    "instead": ("", ", give money"),
    "'words' if game.play.words else 'cards'": ("words", "cards"),
    "least": ("3",),
    "hint": ("give the cards that were played; one of another round, or still in the shoe, is none of them",),
    "many": ("these are 7 cards, round 7 had 7",),
    "step": ("",),
}
"""Expression in a text -> texts that it may be; any other is a number."""

NOT_HERE: Final = (
    "fly (7)",  # of a `what` in another place
    "fly are missing",
    "7 in ",
    "7: 3 7 to 7",
    "7, 7 cards",  # has values
    '"id" must be',
    "add it in the table's config",
    "send the next order after",
    "this keypad belongs",
    "not JSON",
    "this keypad is not the dealer's",
    "see [[keypad]] dealer",
    "look at the table, then press",
    "hand 7 of seat 7 is asked",
    '"by" is not allowed here',
    "leave it out: orders by MQTT",
    "take round and turn",
    '"second" is only allowed',
    "two people give the order there",
    '"left" is only allowed',
    "use shoe do open-shoe",
    "7 orders were refused",
    "the message is retained",
    "publish it without",
    "stored: ",
    "a `shoe",
    "no TLS",
    "7: 7",
    "round 7, 7",
)
"""How texts begin that no person reads at the shoe: of MQTT's backend, of keypads, or kept in the journal alone."""


Assigned = Mapping[str, Sequence[ast.expr]]
"""Name -> what is assigned to it in a file."""


def made(node: ast.expr, assigned: Assigned) -> Iterator[str]:
    """The texts of an expression, with values for its fields; none where it is no text of its own."""
    match node:
        case ast.Name(id=name):
            for each in assigned.get(name, ()):
                yield from made(each, {})
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            choices = [
                (part.value,) if isinstance(part, ast.Constant) else VALUES.get(_source(part), ("7",)) for part in parts
            ]
            yield from ("".join(map(str, each)) for each in product(*choices))
        case ast.IfExp(body=one, orelse=other):
            yield from made(one, assigned)
            yield from made(other, assigned)
        case ast.BoolOp(values=several):
            for each in several:
                yield from made(each, assigned)


def _source(part: ast.expr) -> str:
    return ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ""


def assignments(tree: ast.Module) -> Assigned:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, []).append(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found.setdefault(name, []).append(value)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for target, value in zip(names, values, strict=True):
                    found.setdefault(getattr(target, "id", ""), []).append(value)
    return found


def texts() -> Iterator[str]:
    """Every text for people in the rooms."""
    for room in ROOMS:
        for path in [ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py")):
            tree = ast.parse(path.read_text())
            assigned = assignments(tree)
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    for place in MADE.get(name, ()):
                        if place < len(node.args):
                            yield from made(node.args[place], assigned)


@cache
def texts_to_translate() -> list[str]:
    """The texts that need a translation."""
    return sorted({each for each in texts() if " " in each and not each.startswith(NOT_HERE)})


def test_texts_are_found_in_the_source() -> None:
    assert len(texts_to_translate()) > 10


@pytest.mark.parametrize("lang", CHINESE)
def test_every_text_has_a_translation(lang: Language) -> None:
    def has_words(english: str) -> bool:
        return bool(known(lang, f"refused.{english}") or phrase(lang, english) or phrase(lang, f"{english} (7)"))

    assert [each for each in texts_to_translate() if not has_words(each)] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_translation_has_the_fields_of_its_template_and_nothing_else(lang: Language) -> None:
    for id in ids():
        given = {name for _, name, _, _ in Formatter().parse(str(known("en", id))) if name}
        assert {name for _, name, _, _ in Formatter().parse(str(known(lang, id))) if name} == given, id


def test_english_stays_as_the_wire_has_it() -> None:
    for id in ids():
        if id.startswith(PREFIX):
            assert known("en", id) == id.removeprefix(PREFIX)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("P3 is due", "等待 P3"),
        ("round 3, turn 4: the next card goes to S2", "第 3 局第 4 問：下一張牌放到 S2"),
        ("round 3, turn 4: S2: hit, stand", "第 3 局第 4 問：S2: hit, stand"),
        ("S2 takes no part: below_min, S9 takes no part: no_such_seat", "S2 不參加：低於下限、S9 不參加：沒有這個座位"),
        ("the reason is too long: at most 500 characters", "原因太長：最多 500 個字元"),
        ("Input/output error", "Input/output error"),
        ("a newer table says this, and that", "a newer table says this, and that"),
        ("", ""),
    ],
)
def test_a_text_is_translated_by_its_template_and_fields(english: str, chinese: str) -> None:
    assert in_words("zh-Hant", english) == chinese
    assert in_words("en", english) == english
