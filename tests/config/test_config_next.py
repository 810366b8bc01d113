"""Rounds that end by NEXT need a NEXT: a pin, the dealer's keypad, or the order."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.cli.check import terms
from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.config.load import parse
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.orders import BY_MQTT
from firmware_bridge.games import GAMES

OTHERS = [name for name in GAMES if name != "baccarat"]

PIN: dict[str, Any] = {"pins": {"next": 22}}
PAD: dict[str, Any] = {"keypad": [{"port": "/dev/pad", "dealer": True}]}
ORDER: dict[str, Any] = {"mqtt": {"commands": [*BY_MQTT, "next"]}}


def house(game: str, *sections: dict[str, Any], **table: Any) -> Any:
    merged: dict[str, Any] = {"table": {"id": "T", "game": game, **table}}
    for each in sections:
        merged |= each
    return parse(merged).house


def mistakes(game: str, *sections: dict[str, Any], **table: Any) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        house(game, *sections, **table)
    return [line.removeprefix("config: ") for line in raised.value.what.splitlines()]


@pytest.mark.parametrize("game", OTHERS)
@pytest.mark.parametrize("way", [PIN, PAD, ORDER, {"pins": {"next": {"pin": 22}}}], ids=str)
def test_the_four_other_games_end_a_round_by_next(game: str, way: dict[str, Any]) -> None:
    assert house(game, way).close == "next"
    assert house(game, way, close="auto").close == "auto"


@pytest.mark.parametrize("game", ["niuniu", "erbagang", "zhajinhua"])
def test_a_pack_that_only_next_opens_needs_a_next(game: str) -> None:
    confirmed = {"service": {"confirm_shuffle": True}}
    (mistake,) = [each for each in mistakes(game, confirmed, close="auto") if "NEXT" in each]
    assert mistake.startswith(
        f"[service] confirm_shuffle = true: NEXT opens the next pack of {game}, and there is no NEXT"
    )
    assert house(game, confirmed, PIN, close="auto").confirm_shuffle
    assert house("blackjack", confirmed, close="auto").confirm_shuffle


@pytest.mark.parametrize(
    ("game", "sections", "table"),
    [
        *[(game, {}, {}) for game in OTHERS],
        ("niuniu", {"keypad": [{"port": "/dev/pad", "seats": [1, 2]}]}, {}),
        ("blackjack", {"pins": {"reveal": 22, "cut_card": 27}}, {}),
        ("erbagang", {"mqtt": {"commands": list(BY_MQTT)}}, {"close": "next"}),
        ("baccarat", {}, {"close": "next"}),
        ("baccarat", {"game": {"procedure": "six-card"}}, {}),
        ("baccarat", {"reader": {"protocol": "angel-eye"}}, {"close": "next"}),
    ],
)
def test_a_table_without_next_is_shown_the_three_ways(
    game: str, sections: dict[str, Any], table: dict[str, Any]
) -> None:
    (mistake,) = [each for each in mistakes(game, sections, **table) if "NEXT" in each]
    assert mistake.startswith(f'[table] close = "next": rounds of {game} end by NEXT, and there is no NEXT')
    for way in ("[pins] next = 22", "[[keypad]] dealer = true", '[mqtt] commands = [.., "next"]'):
        assert way in mistake


@pytest.mark.parametrize("game", GAMES)
def test_a_table_whose_rounds_end_by_themselves_needs_no_next(game: str) -> None:
    assert house(game, close="auto").close == "auto"
    assert house("baccarat", {"reader": {"protocol": "angel-eye"}}).close == "result"


def test_a_keypad_without_seats_is_the_dealers() -> None:
    (mistake,) = mistakes("niuniu", PIN, {"keypad": [{"port": "/dev/pad", "seats": []}]})
    assert mistake == "[[keypad]] port = /dev/pad has no seats: write seats = [1, 2], or dealer = true"
    assert house("baccarat", PAD, close="next").close == "next"
    both = {"keypad": [{"port": "/dev/a", "seats": [1, 2, 3, 4]}, {"port": "/dev/b", "dealer": True}]}
    assert house("niuniu", both).close == "next"


@pytest.mark.parametrize("game", OTHERS)
@pytest.mark.parametrize("mode", ["vip", "squeeze"])
def test_the_modes_of_baccarat_are_refused_elsewhere(game: str, mode: str) -> None:
    (mistake,) = mistakes(game, PIN, {"service": {"mode": mode}})
    assert mistake.startswith(f'[service] mode = "{mode}": the modes vip and squeeze are baccarat\'s')
    assert mistake.endswith(f"this table deals {game}: remove mode")
    assert house("baccarat", PIN, {"service": {"mode": mode}}).mode == mode


@pytest.mark.parametrize(
    ("grab", "says"),
    [
        ([0], "[game] grab: no bid is above 0: add 1, or more"),
        ([0, 0, 3], "[game] grab: 0 stands there twice"),
        ([1, 2, 2], "[game] grab: 2 stands there twice"),
        ([3, 1, 3, 3, 0], "[game] grab: 3 stands there twice"),
    ],
)
def test_bids_that_make_no_game_are_refused(grab: list[int], says: str) -> None:
    assert mistakes("niuniu", PIN, {"game": {"grab": grab}}) == [says]


@pytest.mark.parametrize(("grab", "says"), [([1, 2], 1), ([5], 1), ([0, 1], 0), ([3, 0, 1], 0)])
def test_a_table_where_no_seat_may_decline_is_taken_and_check_says_so(grab: list[int], says: int) -> None:
    config = parse({"table": {"id": "T", "game": "niuniu"}, **PIN, "game": {"grab": grab}})
    found = list(terms(Machine(config, None)))
    assert [(each.level, each.text) for each in found] == [
        ("WARN", "grab has no 0: no seat may decline, so one of them is forced to take the bank"),
    ] * says
