"""Tables on which no round could ever be dealt, and limits that leave no bet, are refused with what to do."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.config.load import parse
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.orders import BY_MQTT
from firmware_bridge.games import GAMES
from firmware_bridge.record.verify import COSIGNATURE, ED25519, key_of
from tests.kit.rows import each_row

WITHOUT_BETS = [each for each in BY_MQTT if each != "bets_closed"]
WITHOUT_MARK = [each for each in BY_MQTT if each != "mark"]
NEXT: dict[str, Any] = {"pins": {"next": 22}}


def mistakes(game: str, **sections: dict[str, Any]) -> list[str]:
    try:
        parse(NEXT | sections | {"table": {"id": "T", "game": game} | sections.get("table", {})})
    except ConfigError as error:
        return [line.removeprefix("config: ") for line in error.what.splitlines()]
    return []


@pytest.mark.parametrize("game", GAMES)
def test_bets_that_nothing_closes(game: str) -> None:
    found = mistakes(game, table={"betting": "required"}, mqtt={"commands": WITHOUT_BETS})
    ignored = "" if game == "zhajinhua" else ', or write betting = "ignored"'
    why = '[table] betting = "required": cards wait until bets are closed, and nothing can close them'
    assert found == [f'{why}: add "bets_closed" to [mqtt] commands{ignored}']
    assert mistakes(game, table={"betting": "required"}) == []
    if not ignored:
        return
    assert mistakes(game, table={"betting": "ignored"}, mqtt={"commands": WITHOUT_BETS}) == []


def test_bets_of_a_vip_table_too() -> None:
    assert len(mistakes("baccarat", service={"mode": "vip"}, mqtt={"commands": ["fly", "reveal"]})) == 1
    assert mistakes("baccarat", service={"mode": "vip"}) == []


PAD: Any = [{"port": "/dev/pad", "seats": [1, 2, 3]}]
DEALERS: Any = [{"port": "/dev/pad", "dealer": True}]
DRAW = {"lot=1": 5, "lot=2": 6, "lot=3": 13}
ORDER = 'or add "mark" to [mqtt] commands'


def asked(game: str, keypad: Any = (), keys: dict[str, int] | None = None) -> list[str]:
    """What is said of a table that takes no marks by MQTT, behind the game's name."""
    found = mistakes(game, mqtt={"commands": WITHOUT_MARK}, keypad=[*keypad], keys=keys or {})  # type: ignore[arg-type]  # a list of tables
    return [line.partition(": it asks ")[2] for line in found]


@pytest.mark.parametrize("game", [name for name, game in GAMES.items() if game.play.words])
def test_marks_that_nothing_gives(game: str) -> None:
    words = GAMES[game].play.words
    seats = "its seats for marks, and nothing can give one: write [keys] with a key for each, or [[keypad]] with seats"
    draw = f'for the result of a draw, and nothing can give it: write [keys] "lot=1" and so on for each seat, {ORDER}'
    draws = [draw] if "lot" in words else []
    key = {f"S1.{next(word for word in words if word != 'lot')}=1": 19}
    assert asked(game) == asked(game, DEALERS) == [f"{seats}, {ORDER}", *draws]
    assert asked(game, PAD) == draws
    if draws:
        assert asked(game, PAD, DRAW) == asked(game, (), DRAW | key) == []
        assert asked(game, (), DRAW) == [f"{seats}, {ORDER}"]


def test_baccarat_asks_no_seat() -> None:
    assert mistakes("baccarat", mqtt={"commands": []}) == []


TABLE = {"low": 100, "high": 10_000}
FIRST = "so no first bet on a side is possible: raise it to 100 or more"
NO_BET = "high is 0, so no bet is possible: give an amount above 0"
ABOVE, BELOW = "{} is above table.high ({})", "{} is below table.low ({})"
LIES = "write {0} and table so that one lies in the other"


def lies(name: str, end: str, how: str, limit: object) -> str:
    return f"{name}: {how.format(end, limit)}: {LIES.format(name)}"


# game, limits -> what is said behind [limits]
LIMITS: list[tuple[str, dict[str, Any], str]] = [
    ("baccarat", {"table": TABLE, "player": {"low": 100, "high": 10_000}}, ""),
    ("baccarat", {"table": TABLE, "player": {"low": 200, "high": 5000}, "tie": {"low": 10, "high": 50}}, ""),
    ("baccarat", {"table": TABLE, "tie": {"high": 500}, "differential": {"high": 50_000}}, ""),
    ("baccarat", {"tie": {"high": 10}, "player": {"low": 100}}, ""),
    ("baccarat", {"table": TABLE, "tie": {"high": 20_000}}, lies("tie", "high (20000)", ABOVE, 10_000)),
    ("baccarat", {"table": TABLE, "tie": {"low": 20_000}}, lies("tie", "low (20000)", ABOVE, 10_000)),
    ("baccarat", {"table": TABLE, "tie": {"high": 50}}, "tie: high (50) is below table.low (100): give tie a low too"),
    ("baccarat", {"table": TABLE, "banker": {"low": 50}}, lies("banker", "low (50)", BELOW, 100)),
    ("baccarat", {"table": TABLE, "banker": {"high": 50}}, lies("banker", "high (50)", BELOW, 100)),
    ("baccarat", {"table": {"low": "99.5"}, "banker": {"high": "9"}}, lies("banker", "high (9)", BELOW, 99.5)),
    (
        "baccarat",
        {"table": TABLE, "differential": {"high": 50}},
        f"differential: high (50) is below table.low (100), {FIRST}",
    ),
    (
        "baccarat",
        {"player": {"low": 100}, "differential": {"high": 50}},
        f"differential: high (50) is below player.low (100), {FIRST}",
    ),
    (
        "baccarat",
        {"differential": {"low": 5, "high": 50}},
        "differential.low: a difference has no least amount: write { high = .. }",
    ),
    ("baccarat", {"tie": {"high": 0}}, f"tie: {NO_BET}"),
    ("niuniu", {"table": {"high": 0}}, f"table: {NO_BET}"),
    ("niuniu", {"table": {"low": 10, "high": 5}}, "table: low (10) is above high (5)"),
    ("blackjack", {"bet": {"low": 100, "high": 500}, "table": {"low": 100, "high": 500}}, ""),
    ("blackjack", {"bet": {"low": 100, "high": 500}, "table": {"high": 5000}}, ""),
    ("blackjack", {"bet": {"low": 100, "high": 500}, "table": {"high": 400}}, lies("bet", "high (500)", ABOVE, 400)),
    ("blackjack", {"bet": {"low": 10, "high": 500}, "table": {"low": 25}}, lies("bet", "low (10)", BELOW, 25)),
    ("blackjack", {"table": {"low": 100, "high": 5000}}, lies("bet", "low (10)", BELOW, 100)),
]


@each_row(("game", "limits", "said"), LIMITS)
def test_limits_that_contradict_each_other(game: str, limits: dict[str, Any], said: str) -> None:
    assert mistakes(game, limits=limits) == ([f"[limits] {said}"] if said else [])


def test_only_a_witness_is_believed_about_the_record() -> None:
    """A table's own key would let who has its card say what witnesses saw."""
    own, witness = (key_of("watcher.example", kind, bytes(32)).vkey for kind in (ED25519, COSIGNATURE))
    assert mistakes("baccarat", record={"witnesses": [witness]}) == []
    [wrong] = mistakes("baccarat", record={"witnesses": [witness, own]})
    assert wrong == f"[record] witnesses: {own[:40]}.. is the key of a table: write that of a witness"
    [wrong] = mistakes("baccarat", record={"witnesses": ["watcher.example"]})
    assert wrong == "[record] witnesses: 'watcher.example' is no public key: write name+id+base64"
