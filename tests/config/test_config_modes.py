"""The mode of a table's service: the settings that it stands for."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.config.load import parse
from firmware_bridge.config.validate import contradictions
from firmware_bridge.facts.orders import BY_MQTT
from firmware_bridge.games.house import terms_of
from tests.config.configs import mistakes

STANDS_FOR = [
    ("standard", "dealt", "ignored", "largest-stake", ""),
    ("vip", "sealed", "required", "largest-stake", "reveal fly request_shoe_change request_dealer_change"),
    ("squeeze", "sealed", "ignored", "any-bettor", "reveal"),
]


@pytest.mark.parametrize(("mode", "disclose", "betting", "squeeze", "more"), STANDS_FOR)
def test_a_mode_sets_defaults(mode: str, disclose: str, betting: str, squeeze: str, more: str) -> None:
    config = parse({"table": {"id": "T07"}, "service": {"mode": mode}})
    assert (config.house.mode, config.house.disclose, config.house.betting) == (mode, disclose, betting)
    assert terms_of(config.house).squeeze == squeeze
    assert config.mqtt.commands == (*BY_MQTT, *more.split())
    assert list(contradictions(config)) == []


WRITTEN: dict[str, dict[str, Any]] = {
    "table": {"id": "T07", "disclose": "dealt", "betting": "ignored"},
    "game": {"squeeze": "largest-stake"},
    "mqtt": {"commands": ["bets_closed", "reveal"]},
}


@pytest.mark.parametrize("mode", ["standard", "vip", "squeeze"])
def test_a_key_that_is_written_out_wins(mode: str) -> None:
    config = parse(WRITTEN | {"service": {"mode": mode}})
    assert (config.house.disclose, config.house.betting) == ("dealt", "ignored")
    assert terms_of(config.house).squeeze == "largest-stake"
    assert config.mqtt.commands == ("bets_closed", "reveal")


@pytest.mark.parametrize(
    ("mode", "texts"),
    [
        ("standard", []),
        ("vip", ['disclose = "dealt"', 'betting = "ignored"', "fly, request_dealer_change, request_shoe_change:"]),
        ("squeeze", ['disclose = "dealt"', 'squeeze = "largest-stake"']),
    ],
)
def test_what_is_written_against_the_mode_is_reported(mode: str, texts: list[str]) -> None:
    found = list(contradictions(parse(WRITTEN | {"service": {"mode": mode}})))
    assert len(found) == len(texts)
    for each, text in zip(found, texts, strict=True):
        assert each.what.startswith(f'[service] mode = "{mode}" and ')
        assert text in each.what
        assert each.remedy


def test_a_mode_excuses_no_mistake() -> None:
    for raw in ({"service": {"mode": "vip"}}, {"table": 3, "service": {"mode": "vip"}}):
        assert any("id is missing" in each or "write [table]" in each for each in mistakes(raw))
    said = mistakes({"table": {"id": "T"}, "service": {"mode": "vap"}})[0]
    assert 'did you mean "vip"?; use one of: "squeeze", "standard", "vip"' in said


def test_a_reader_that_judges_cannot_seal_by_its_mode_either() -> None:
    raw: dict[str, Any] = {"table": {"id": "T"}, "service": {"mode": "vip"}, "reader": {"protocol": "angel-eye"}}
    (mistake,) = mistakes(raw)
    assert '(set by [service] mode = "vip")' in mistake
    assert parse(raw | {"table": {"id": "T", "disclose": "dealt"}}).house.disclose == "dealt"
