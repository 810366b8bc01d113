"""Which names people may have, and which two names are one person's."""

from __future__ import annotations

import hashlib
import unicodedata
from ctypes.util import find_library

import pytest

from firmware_bridge.daemon.table.order_service import order_of
from firmware_bridge.facts import names, orders
from firmware_bridge.facts.book.refusals import Refused
from firmware_bridge.facts.inputs import Ordered
from firmware_bridge.facts.names import alike, as_seen, one_person, unfit, unfit_word
from firmware_bridge.floor.record.names import Names
from firmware_bridge.games import GAMES
from firmware_bridge.shoe.handlers.pit import two_people
from firmware_bridge.shoe.state import Shoe
from scripts.tools import letters
from tests.facts import decided_names
from tests.facts.decided_names import ALLOWED, FILE, RESERVED, WITHIN_LATIN
from tests.kit.nightly import some
from tests.kit.rows import each_row

ALIKE = tuple(dict.fromkeys(decided_names.pairs()))

PERSONS = (
    *(
        "Anna",
        "ANNA",
        "João",
        "陳大文",
        "Nguyễn",
        "محمد",
        "サトウ",
        "ｻﾄｳ",
        "김철수",
        "สมชาย",
        "Ｔ１０",
        "Straße",
        "O’Neil",
    ),
    *("Иван", "a\u200bnna", "Zoe\u0308", "key/page", "root", "K\u034fim", "Mi\ufe0fa"),
)


def test_the_table_says_what_is_decided() -> None:
    made = decided_names.HEAD + "".join(decided_names.table())
    assert FILE.read_text("utf-8") == made, "if that is meant: python -m tests.facts.decided_names"


def test_people_of_all_languages_may_have_their_names_and_are_different_people() -> None:
    assert len(ALLOWED) >= 300
    assert {name: wrong for name in ALLOWED if (wrong := unfit(name, 64) or unfit_word(name, 64))} == {}
    assert [*alike(ALLOWED)] == []


def test_names_that_look_alike_are_one_person() -> None:
    assert len(ALIKE) >= 200
    assert [pair for pair in ALIKE if not one_person(*pair) or not one_person(*reversed(pair))] == []
    assert all([*alike(pair)] == [pair] for pair in ALIKE)


@each_row(("one", "other"), WITHIN_LATIN)
def test_letters_of_one_script_are_different_where_they_differ(one: str, other: str) -> None:
    assert not one_person(one, other)
    assert (unfit(one, 64), unfit(other, 64)) == (None, None)
    assert (unfit_word(one, 64), unfit_word(other, 64)) == (None, None)


@each_row("name", RESERVED)
def test_a_name_that_looks_like_none_of_a_person_is_refused_in_each_field(name: str) -> None:
    assert unfit(name, 64)
    given: tuple[dict[str, object], ...] = (
        {"do": "dealer", "dealer": name},
        {"do": "open_shoe", "dealer": name},
        {"do": "open_shoe", "confirmed_by": name},
        {"do": "void", "why": "x", "second": name},
        {"do": "resolve", "irregularity": "jam", "choice": "void", "second": name},
        {"do": "correct", "round": 1, "cards": [], "why": "x", "second": name},
        {"do": "enter", "card": "2s", "second": name},
    )
    assert [each for each in given if not _refused(each)] == []


def test_the_keys_of_every_game_are_no_people() -> None:
    assert {*names.KEYS} == {"next", "reveal", "unmark"}.union(*(game.play.keys for game in GAMES.values()))


def test_a_field_that_names_no_person_may_have_such_a_word() -> None:
    assert not _refused({"do": "resolve", "irregularity": "shoe", "choice": "void", "second": ""})


def _refused(order: dict[str, object]) -> bool:
    return isinstance(order_of(order, orders.LOCAL), orders.Malformed)


@each_row(("one", "other"), ALIKE)
def test_no_order_is_of_two_people_who_look_alike(one: str, other: str) -> None:
    fact = Ordered(at=0, order=orders.Void("x", second=other), by=one, nonce="")
    with pytest.raises(Refused, match="same_person"):
        two_people(Shoe(), fact, other, "void")
    signed = Ordered(at=0, order=orders.Void("x", second=other), by="key/page", nonce="", on_behalf_of=one)
    with pytest.raises(Refused, match="same_person"):
        two_people(Shoe(), signed, other, "void")


def test_a_name_that_shows_nothing_is_none() -> None:
    assert as_seen("\u200b \u2800\u3164\u3000") == ""


def test_pseudonyms_of_a_thousand_names_are_as_they_were() -> None:
    hidden = Names(b"k" * 32)
    made = "".join(hidden.pseudonym(f"{name} {number}") for number in range(50) for name in PERSONS)
    digest = "8278a829884401d241178dd63605f538edccbf4ae1743ff3e97a72c709dd8134"
    assert hashlib.sha256(made.encode()).hexdigest() == digest


def test_the_letters_are_those_of_icu() -> None:
    if find_library("icui18n") is None:
        pytest.skip("ICU is not installed")
    icu, kept = letters.Icu(), names._letters()
    if icu.unicode() != "15.0":
        pytest.skip("another version of Unicode")
    for letter in some(letters.LETTERS, 97):
        shown, is_unseen = chr(letter), icu.is_ignorable(letter)
        assert names._scripts(shown) == frozenset(icu.scripts(letter).split()), hex(letter)
        assert bool(kept.unseen.match(shown)) == (is_unseen or shown == names.UNSEEN), hex(letter)
        if not is_unseen and unicodedata.normalize("NFKD", shown) == shown:
            assert kept.looks.get(letter, shown) == icu.skeleton(shown), hex(letter)
