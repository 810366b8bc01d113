"""A refusal in words: its values in each language, and what is not known of a newer or an older table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from firmware_bridge.facts.book.refusals import Phrase, phrase
from firmware_bridge.facts.orders import Answer, refused
from firmware_bridge.topics.texts.refusals import worded, words
from tests.kit.refusals import said

BEFORE: Final = Path(__file__).with_name("refusals.jsonl")
"""Refusals of the golden scenarios: code, values, and the English that the version before codes had of them."""


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in BEFORE.read_text().splitlines()]


def test_each_refusal_says_what_it_said_before_it_had_a_code() -> None:
    now = [words("en", each["code"], each["values"], None, None) for each in rows()]
    assert now == [(each["error"], each["hint"]) for each in rows()]
    assert len({each["code"] for each in rows()}) > 30


MAY: Final = phrase("may", seat="S2", marks=(phrase("mark_in_steps", word="raise", least="4", most="20", step="2"),))


@pytest.mark.parametrize(
    ("code", "values", "english", "chinese"),
    [
        ("slot_due", {"slot": "P3"}, "P3 is due", "等待 P3"),
        (
            "wrong_decks",
            {"count": 3, "fit": phrase("use_decks", decks=("6", "8"))},
            "3 decks do not fit this shoe",
            "3",
        ),
    ],
)
def test_a_refusal_in_english_and_chinese(code: str, values: dict[str, Any], english: str, chinese: str) -> None:
    answer = refused(code, **values)
    assert said(answer).error == english
    assert chinese in in_chinese(answer)[0]


@pytest.mark.parametrize(
    ("now", "chinese"),
    [
        ((phrase("use_decks", decks=("6", "8")),), "請用 6 或 8 副"),
        ((phrase("purse_has", purse="3"), MAY), "餘額 3；S2 可以 raise（4 至 20，每級 2）"),
        ((phrase("has_given", seat="1", word="lot"), phrase("waiting_for", word="lot", seats=("S2", "S3"))), "lot"),
    ],
)
def test_a_list_of_phrases_has_the_stops_of_its_language(now: tuple[Phrase, ...], chinese: str) -> None:
    assert chinese in in_chinese(refused("not_possible", now=now))[1]


def in_chinese(answer: Answer) -> tuple[str, str]:
    plain = json.loads(msgspec.json.encode(answer))
    return words("zh-Hant", plain["code"], plain.get("values", {}), None, None)


def test_what_a_newer_table_refuses_is_its_english() -> None:
    assert words("zh-Hant", "code_of_tomorrow", {}, "it says this", "do that") == ("it says this", "do that")
    assert words("zh-Hant", "slot_due", {"place": "P3"}, "P3 is due", "") == ("等待 P3", "")
    assert words("en", "code_of_tomorrow", {}, None, None) == ("code_of_tomorrow", "")


def test_an_answer_gets_its_words_once() -> None:
    answer = worded(refused("slot_due", slot="P3"))
    assert (answer.error, answer.hint) == ("P3 is due", "draw it to the lit slot")
    assert worded(answer) == answer
    assert worded(Answer(ok=True)) == Answer(ok=True)


def test_what_a_person_writes_stays() -> None:
    assert said(refused("used_id", do="{do}")).error == "this id was already used for {do}"
