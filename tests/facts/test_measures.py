"""The measures of `health`: each field has a row, each number a metric, and each row a label in every language."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from msgspec import Struct

from firmware_bridge.facts.book.measures import ORDER, Health, ReaderHealth, Shown, measures
from firmware_bridge.topics.texts import LANGUAGES, Language, known

ROWS = {row.id: row for row in measures()}
KINDS: dict[str, type[Struct]] = {"health": Health, "reader": ReaderHealth}


def test_every_field_has_a_row() -> None:
    fields = {f"{part}.{name}" for part, kind in KINDS.items() for name in kind.__struct_fields__}
    assert fields - {"health.reader"} == set(ROWS)
    assert set(ORDER) <= set(ROWS)


def test_a_row_that_has_no_place_follows_the_others() -> None:
    shown = [row.id for row in measures()]
    assert shown[: len(ORDER) + 1] == [*ORDER, "health.uptime_s"]


def test_every_number_has_a_metric_of_its_own() -> None:
    assert [row.id for row in measures() if not row.metric] == ["reader.heard", "health.keypads"]  # no numbers
    names = [row.metric for row in measures() if row.metric]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"shoe_[a-z_]+", name)] == []


def test_every_number_has_a_unit_and_says_what_it_is() -> None:
    assert [row.id for row in measures() if row.kind in ("gauge", "counter") and not row.unit] == []
    assert [row.id for row in measures() if not row.help.endswith(".")] == []
    assert {row.shown for row in measures()} <= set(get_args(Shown))


def test_what_was_calibrated_stands_beside_what_is_measured() -> None:
    twins = {f"{row.part}.{row.calibrated}" for row in measures() if row.calibrated}
    assert twins == {row.id for row in measures() if row.shown == "beside"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_row_that_is_shown_has_a_label(language: Language) -> None:
    labels = [row.id for row in measures() if row.shown not in ("uptime", "beside")]
    labels += [f"{row.id}.{word}" for row in measures() if row.shown == "flag" for word in ("yes", "no")]
    assert [id for id in labels if not known(language, id)] == []
