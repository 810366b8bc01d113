"""Every alarm in every game: shown by the demo and settled, not possible there, or not shown for a reason."""

from __future__ import annotations

import asyncio
import re
from functools import cache
from typing import Any, Final, cast

import pytest

from firmware_bridge.demo.faults import FAULTS, NOT_SHOWN, impossible
from firmware_bridge.demo.fixtures import LID
from firmware_bridge.demo.injection import LOOK_S, FaultInjection
from firmware_bridge.games import GAMES
from firmware_bridge.shoe.policy import KEEP_ORDER, cannot_come
from hardware.pins.pin import Pin, pin_factory
from hardware.sim.pins import MockPins
from hardware.sim.pty import PtyBoard
from tests.demo.demos import Played, side_by_side
from tests.docs.pages import DOCS
from tests.kit.nightly import EVERY
from tests.kit.patience import comes

OF_THE_BRIDGE: Final = (
    *("disk_low", "journal_damaged", "journal_missing", "cursor_error", "store_silent", "keypad_lost"),
    *("journal_unread", "keypad_not_understood", "reader_not_understood", "reader_unanswered"),
)
"""Alarms that are of no policy: of the bridge itself."""

NAMES: Final = {"baccarat": "baccarat", "blackjack": "blackjack"} | {
    "niuniu": "niu-niu",
    "zhajinhua": "zha jin hua",
    "erbagang": "er ba gang",
}
"""Game -> its name in the docs."""

CELLS: Final = [(fault, game) for fault in FAULTS for game in GAMES if not impossible(fault, GAMES[game])]

BY_DAY: Final = (
    *(("drawn_before_bets_closed", game) for game in ("baccarat", "niuniu", "erbagang")),
    *(("drawn_before_mark", game) for game in ("blackjack", "zhajinhua")),
    *(("keypad_lost", game) for game in ("baccarat", "blackjack")),
    *(("disk_full", game) for game in ("baccarat", "zhajinhua")),
    *(("clock_jump", game) for game in ("baccarat", "blackjack")),
    *(("unshuffled", game) for game in ("baccarat", "erbagang")),
    *(("store_silent", game) for game in ("baccarat", "niuniu")),
    *(("duplicate", game) for game in ("blackjack", "erbagang")),
    *(("burn_short", "niuniu"), ("burn_over", "baccarat"), ("shoe_empty", "blackjack"), ("read_again", "baccarat")),
)
FIRST: Final = {game: (fault, game) for fault, game in reversed(BY_DAY)}
"""Game -> the cell that is no story."""

TRIED: Final = [
    pytest.param(*cell, marks=() if cell in FIRST.values() else pytest.mark.story)
    for cell in (CELLS if EVERY else BY_DAY)
]
POLICIES: Final = (
    ("unshuffled", "studio", "baccarat"),
    ("drawn_before_bets_closed", "macau", "baccarat"),
    ("drawn_before_bets_closed", "studio", "baccarat"),
    ("drawn_before_mark", "macau", "blackjack"),
)


CLOCKS: Final = ("baccarat", "blackjack")


def words(fault: str, game: str) -> str:
    speed = 20 if fault == "broker_lost" else 500  # else the shoe is dealt to its end before the broker is back
    return f"--game {game} --rounds 1 --speed {speed} --fault {fault}"


def under(fault: str, policy: str, game: str) -> str:
    return f"{words(fault, game)} --policy {policy}"


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """What each demo prints that a test of this run looks at; those of a game are played with the first of them."""
    plays: dict[str, list[str]] = {game: [] for game in GAMES}
    for item in request.session.items:
        if item.path == request.path and isinstance(item, pytest.Function):
            asked: dict[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
            if item.originalname == test_a_clock_that_is_set_jumps_once_for_all_inputs.__name__:
                for game in CLOCKS:
                    plays[game].append(words("clock_jump", game))
            elif asked:
                plays[asked["game"]].append((under if "policy" in asked else words)(**asked))

    @cache
    def demos(game: str) -> Played:
        return side_by_side(tmp_path_factory.mktemp("demos"), list(dict.fromkeys(plays[game])), 6)

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


@pytest.mark.story
@pytest.mark.parametrize(("fault", "policy", "game"), POLICIES)
def test_the_pit_settles_it_as_the_policy_allows(played: Played, fault: str, policy: str, game: str) -> None:
    shown(played(under(fault, policy, game)), fault)


@pytest.mark.story
def test_a_clock_that_is_set_jumps_once_for_all_inputs(played: Played) -> None:
    for game in CLOCKS:
        jumps = re.findall(r"! open    clock_jump: .*\(milliseconds: (-?\d+)\)", played(words("clock_jump", game)))
        assert [round(int(each) / 1000, 1) for each in jumps] == [3600.0]


def test_every_alarm_is_shown_or_has_its_reason() -> None:
    assert set(FAULTS) | set(NOT_SHOWN) == {*KEEP_ORDER, *OF_THE_BRIDGE}
    assert not set(FAULTS) & set(NOT_SHOWN)
    assert {fault for fault, _ in CELLS} == set(FAULTS)


def test_the_docs_name_the_games_of_each_alarm() -> None:
    text = (DOCS / "irregularities.md").read_text("utf-8")
    part = text.partition("## Alarms of some games")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", part, re.M)
    documented = {fault: where for ids, where in rows for fault in re.findall(r"`(\w+)`", ids)}
    for alarm in KEEP_ORDER:
        games = {game for name, game in NAMES.items() if not cannot_come(alarm, GAMES[name])}
        named = documented.get(alarm, ", ".join(NAMES.values())).partition(":")[0]
        assert set(named.split(", ")) == (games or {"none"}), alarm


def test_a_lid_that_was_opened_is_closed_again() -> None:
    pins, driven, none = MockPins(pin_factory("mock")), list[tuple[Pin, bool]](), cast(Any, None)
    pins.drive = lambda pin, active: driven.append((pin, active))  # type: ignore[method-assign]
    asyncio.run(FaultInjection(none, none, pins, none, none, none, none, none, none, none).open_lid(0.0))
    assert driven == [(LID, False), (LID, True)]


def test_a_fault_that_the_table_notices_late_lasts_until_then() -> None:
    silent, noticed, none = list[bool](), list[str](), cast(Any, None)
    silence, pulled = silent.append, PtyBoard.__new__(PtyBoard)
    pulled.unplug, pulled.replug = lambda: silence(True), lambda: silence(False)  # type: ignore[method-assign]

    async def late() -> None:
        faults = FaultInjection(none, pulled, none, none, none, none, none, none, silence, lambda: bool(noticed))
        faults.silence_store(0.0)
        unplugging = asyncio.create_task(faults.unplug(0.0))
        await asyncio.sleep(3 * LOOK_S)
        assert silent == [True, True]
        noticed.append("reader_lost")
        await comes(lambda: silent == [True, True, False, False])
        await unplugging
        faults.close()

    asyncio.run(late())
