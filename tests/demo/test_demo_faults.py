"""Every alarm in every game: shown by the demo and settled, not possible there, or not shown for a reason."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import pytest

from firmware_bridge.demo.faults import FAULTS, NOT_SHOWN
from firmware_bridge.games import GAMES
from firmware_bridge.shoe.policy import KEEP_ORDER
from tests.demo.demos import Played, side_by_side
from tests.docs.pages import DOCS
from tests.kit.nightly import EVERY

OF_THE_BRIDGE: Final = ("disk_low", "journal_damaged", "journal_missing", "cursor_error", "store_silent", "keypad_lost")
"""Alarms that are of no policy: of the bridge itself."""

NAMES: Final = {"baccarat": "baccarat", "blackjack": "blackjack"} | {
    "niuniu": "niu-niu",
    "zhajinhua": "zha jin hua",
    "erbagang": "er ba gang",
}
"""Game -> its name in the docs."""

CELLS: Final = [(fault, game) for fault, row in FAULTS.items() for game in GAMES if not row.never(GAMES[game])]

BY_DAY: Final = (
    *(("drawn_before_bets_closed", game) for game in ("baccarat", "niuniu", "erbagang")),
    *(("drawn_before_mark", game) for game in ("blackjack", "zhajinhua")),
    *(("keypad_lost", game) for game in ("baccarat", "blackjack")),
    *(("disk_full", game) for game in ("baccarat", "zhajinhua")),
    *(("clock_jump", game) for game in ("baccarat", "blackjack")),
    *(("unshuffled", game) for game in ("baccarat", "erbagang")),
    *(("store_silent", game) for game in ("baccarat", "niuniu")),
    *(("duplicate", game) for game in ("blackjack", "erbagang")),
    *(("burn_short", "niuniu"), ("burn_over", "baccarat"), ("shoe_empty", "blackjack")),
)
TRIED: Final = CELLS if EVERY else BY_DAY
POLICIES: Final = (
    ("unshuffled", "studio", "baccarat"),
    ("drawn_before_bets_closed", "macau", "baccarat"),
    ("drawn_before_bets_closed", "studio", "baccarat"),
    ("drawn_before_mark", "macau", "blackjack"),
)


def words(fault: str, game: str) -> str:
    speed = 20 if fault == "broker_lost" else 500  # else the shoe is dealt to its end before the broker is back
    return f"--game {game} --rounds 1 --speed {speed} --fault {fault}"


def under(fault: str, policy: str, game: str) -> str:
    return f"{words(fault, game)} --policy {policy}"


pytestmark = pytest.mark.timeout(900)
"""Of a setup that plays all demos of a game: a minute on two cores, several while five other workers test."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """What each demo prints; those of a game are played with the first of them."""
    plays = {game: [words(*cell) for cell in TRIED if cell[1] == game] for game in GAMES}
    for each in POLICIES:
        plays[each[2]].append(under(*each))

    @cache
    def demos(game: str) -> Played:
        return side_by_side(tmp_path_factory.mktemp("demos"), plays[game], 6)

    return lambda text: demos(next(game for game in GAMES if text in plays[game]))(text)


def shown(text: str, fault: str) -> None:
    """Check that the alarm came, was settled, and that play went on to a result."""
    opened, closed = text.find(f"! open    {fault}: "), text.find(f"! closed  {fault}: ")
    is_noted = fault in ("cut_card_mid_round",) and opened >= 0
    assert is_noted or 0 <= opened < closed, text
    assert re.search(r"^[1-9]\d* rounds? delivered", text, re.M), text


@pytest.mark.parametrize(("fault", "game"), TRIED)
def test_an_alarm_is_raised_and_settled(played: Played, fault: str, game: str) -> None:
    shown(played(words(fault, game)), fault)


@pytest.mark.parametrize(("fault", "policy", "game"), POLICIES)
def test_the_pit_settles_it_as_the_policy_allows(played: Played, fault: str, policy: str, game: str) -> None:
    shown(played(under(fault, policy, game)), fault)


def test_a_clock_that_is_set_jumps_once_for_all_inputs(played: Played) -> None:
    for game in ("baccarat", "blackjack"):
        assert played(words("clock_jump", game)).count("! open    clock_jump: by +3600.0 s") == 1


def test_every_alarm_is_shown_or_has_its_reason() -> None:
    assert set(FAULTS) | set(NOT_SHOWN) == {*KEEP_ORDER, *OF_THE_BRIDGE}
    assert not set(FAULTS) & set(NOT_SHOWN)
    assert {fault for fault, _ in CELLS} == set(FAULTS)


def test_the_docs_name_the_games_of_each_alarm() -> None:
    text = (DOCS / "irregularities.md").read_text("utf-8")
    part = text.partition("## Alarms of some games")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", part, re.M)
    told = {fault: where for ids, where in rows for fault in re.findall(r"`(\w+)`", ids)}
    for fault in FAULTS:
        games = {game for name, game in NAMES.items() if (fault, name) in CELLS}
        named = told.get(fault, ", ".join(NAMES.values())).partition(":")[0]
        assert set(named.split(", ")) == games, fault
