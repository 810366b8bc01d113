"""What a config says about a reader, and which readers go with which ways of dealing."""

from typing import Any

import pytest

from firmware_bridge.config import sections
from firmware_bridge.config.load import parse
from firmware_bridge.errors import ConfigError
from hardware.readers import READERS


def closes(protocol: str, **table: Any) -> str:
    game = {"procedure": table.pop("procedure")} if "procedure" in table else {}
    reader, pins = {"protocol": protocol}, {"next": 22}
    return parse({"table": {"id": "T07", **table}, "game": game, "reader": reader, "pins": pins}).house.close


@pytest.mark.parametrize("protocol", READERS)
def test_every_protocol_can_be_named(protocol: str) -> None:
    assert closes(protocol) == ("result" if READERS[protocol].judges else "auto")


def test_the_config_knows_the_readers_that_the_hardware_knows() -> None:
    assert {name: bool(close) for name, close in sections.READERS.items()} == {
        name: protocol.judges for name, protocol in READERS.items()
    }


@pytest.mark.parametrize(
    ("protocol", "table", "expected"),
    [
        ("angel-eye", {"close": "auto"}, "auto"),
        ("angel-eye", {"close": "next"}, "next"),
        ("angel-eye", {"close": "result"}, "result"),
        ("grow", {"procedure": "six-card"}, "next"),
        ("rdm6300", {"procedure": "six-card", "close": "auto"}, "auto"),
    ],
)
def test_how_rounds_are_closed(protocol: str, table: dict[str, Any], expected: str) -> None:
    assert closes(protocol, **table) == expected


@pytest.mark.parametrize(
    ("protocol", "table", "texts"),
    [
        ("angel-eye", {"procedure": "six-card"}, ['procedure = "six-card"']),
        ("angel-eye", {"disclose": "sealed"}, ['disclose = "sealed"']),
        ("angel-eye", {"procedure": "six-card", "disclose": "sealed"}, ["six-card", "sealed"]),
        ("native", {"close": "result"}, ['close = "result": only an angel-eye reports results']),
        ("angeleye", {}, ['protocol = "angeleye"']),
    ],
)
def test_what_does_not_go_together(protocol: str, table: dict[str, Any], texts: list[str]) -> None:
    with pytest.raises(ConfigError) as raised:
        closes(protocol, **table)
    lines = raised.value.what.split("\n")
    assert len(lines) == len(texts)
    assert all(text in line for text, line in zip(texts, lines, strict=True))
