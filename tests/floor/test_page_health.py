"""What a table's page shows of `health`: a row for each measure, those without a form of their own as numbers."""

from __future__ import annotations

import html
import re
from typing import Any, get_args

import pytest
from msgspec import defstruct
from msgspec.structs import asdict, replace

from firmware_bridge.facts.book.measures import Health, Measure, Shown, measures, value
from firmware_bridge.facts.wire import StateHead, joined
from firmware_bridge.floor.page import detail
from firmware_bridge.floor.page.markup import number
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.topics.texts import LANGUAGES, Language, text
from scripts.tools.messages.examples import HEALTH

FULL = replace(
    HEALTH,
    reader=replace(HEALTH.reader, forecast="clean the optics before the next shoe, then calibrate"),
    certificate_days=29,
    keypads={"1": "silent"},
)


def rows(health: Health, lang: Language = "en") -> list[tuple[str, str]]:
    """The rows of the page as label and text, after the first one: when it was heard."""
    seen = Seen("T07", 0)
    seen.update(
        "health", joined(StateHead(1, "T07", 3, "4-ab", 7, "2026-11-20T21:33:05.123Z", "b"), health), False, 9, 9
    )
    found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", detail.health(seen, lang))
    return [(html.unescape(label), html.unescape(re.sub("<.*?>", "", shown))) for label, shown in found][1:]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_measure_has_a_row(lang: Language) -> None:
    elsewhere = ("uptime", "beside")
    assert [label for label, _ in rows(FULL, lang)] == [
        text(lang, row.id) for row in measures() if row.shown not in elsewhere and value(FULL, row) is not None
    ]
    assert set(detail.FORMS) == set(get_args(Shown)) - set(elsewhere)


def test_a_count_of_no_dealer_says_so() -> None:
    assert ("Marks taken back", "WU 1, no dealer 2") in rows(replace(FULL, unmarked={"WU": 1, "": 2}))


def test_a_number_that_is_new_needs_its_row_alone() -> None:
    newer: Any = defstruct("Health", [("fan", int)], bases=(Health,), frozen=True, kw_only=True)
    fan = Measure("shoe_fan_rpm", "turns a minute", "The fan.", "number", "", "health.fan")
    assert str(detail._shown(fan, newer(**asdict(FULL), fan=1234), "en")) == str(number(1234))
