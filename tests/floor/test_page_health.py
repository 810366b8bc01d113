"""What a table's page shows of `health`: a row for each value, those without a form of their own as numbers."""

from functools import cache
from typing import Any

import pytest
from msgspec import defstruct
from msgspec.structs import asdict

from firmware_bridge.facts.wire_states import Health, ReaderHealth
from firmware_bridge.floor.page import detail
from firmware_bridge.floor.page.markup import number
from firmware_bridge.topics.texts import LANGUAGES, text
from scripts.tools import texts
from scripts.tools.messages.examples import HEALTH

by_id = cache(texts.by_id)


def test_every_value_of_health_has_a_row_and_a_text() -> None:
    shown = {**dict(detail._machine(HEALTH, "en")), **dict(detail._reader(HEALTH.reader, "en"))}
    fields = {f"health.{name}" for name in Health.__struct_fields__} - {"health.uptime_s", "health.reader"}
    fields |= {f"reader.{name}" for name in ReaderHealth.__struct_fields__ if not name.endswith("_calibrated")}
    for language in LANGUAGES:
        assert fields <= set(by_id(language))
    assert set(shown) == {by_id("en")[name] for name in fields}


def test_a_number_that_is_new_stands_behind_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    newer: Any = defstruct("Health", [("fan", int)], bases=(Health,), frozen=True, kw_only=True)
    monkeypatch.setattr(
        detail, "text", lambda lang, id, **fields: "Fan" if id == "health.fan" else text(lang, id, **fields)
    )
    *known, (name, value) = detail._machine(newer(**asdict(HEALTH), fan=1234), "en")
    assert known == list(detail._machine(HEALTH, "en"))
    assert (name, str(value)) == ("Fan", str(number(1234)))
