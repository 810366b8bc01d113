"""The picture of `shoe watch` for every game: nothing overflows, only who plays is drawn, and old is apart from new."""

from __future__ import annotations

import re
from typing import Any

import pytest

from firmware_bridge.cli.watch.model import Watched
from firmware_bridge.games import GAMES
from firmware_bridge.screen.picture import picture
from firmware_bridge.screen.table_widget import FinishedRound
from firmware_bridge.topics.texts import LANGUAGES, Language
from tests.screen.games import drawable, moments, script
from tests.screen.test_picture import model

KEYS = "Ctrl-C or q: end; SPACE: pause"
SIZES = [(40, 24), (60, 15), (80, 24), (120, 40), (200, 60)]


def drawn(said: dict[str, Any], width: int = 120, height: int = 40, lang: Language = "en") -> list[str]:
    watched = Watched(lang)
    watched.update(said)
    lines = watched.screen(width, height, KEYS)
    assert len(lines) == height
    assert max(line.cell_len for line in lines) <= width
    return [line.plain for line in lines]


def flat(lines: list[str]) -> str:
    return re.sub(r"[│\s]+", " ", " ".join(lines))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("game", GAMES)
def test_nothing_overflows(game: str, width: int, height: int, lang: Language) -> None:
    for said in moments(game):
        lines = drawn(said, width, height, lang)
        if lines[0][0] == "╭":
            assert all((line[0], line[-1]) in {("╭", "╮"), ("│", "│"), ("╰", "╯")} for line in lines)


def test_seats_that_do_not_play_have_no_row() -> None:
    whole = flat(drawn(drawable("zhajinhua", *script("zhajinhua")[:10])))
    assert all(seat in whole for seat in ("S1", "S2", "S3"))
    assert not re.search("S[4-7]", whole)
    whole = flat(drawn(drawable("blackjack", *script("blackjack")[:7])))
    assert all(seat in whole for seat in ("S1", "S3", "DEALER"))
    assert not re.search("S[24-7]", whole)


BUST = ("bets=1:100,2:50", "Ts", "Kh", "6c", "6d", "8d", "Tc", "H", "9c")


@pytest.mark.parametrize(("lang", "bust"), [("en", "bust"), ("zh-Hant", "爆牌"), ("zh-Hans", "爆牌")])
def test_a_hand_above_21_is_bust(lang: Language, bust: str) -> None:
    running = drawable("blackjack", *BUST)
    assert f"S1 {bust}" in flat(drawn(running, lang=lang))
    assert "S1 25" not in flat(drawn(running, lang=lang))
    over = drawable("blackjack", *BUST, "S", "5s", "next")
    assert f"S1 {bust}" in flat(drawn(over, lang=lang))


def test_the_cards_of_the_round_before_are_gone_when_the_next_one_is_bid_for() -> None:
    words = script("erbagang")
    bidding = drawn(drawable("erbagang", *words, "next", "1:grab=1"))
    assert "round 2 dealing" in bidding[0]
    assert "over" not in bidding[0]
    assert not any("wp" in line for line in bidding[:9])
    assert re.search(r"last round 1: BANKER.* S1 wp wp ", flat(bidding)), "the result stands in a row of its own"


def test_a_winner_of_a_pot_is_named_in_the_rounds() -> None:
    over = [FinishedRound(1, 1, f"S{seat}", {f"S{seat}": "high-card"}, []) for seat in (4, 2)]
    whole = flat([line.plain for line in picture(model(game=GAMES["zhajinhua"], over=over), 120)])
    assert "rounds S4 S2 high card high card last" in whole


def test_labels_say_what_they_show() -> None:
    whole = flat(drawn(drawable("zhajinhua", *script("zhajinhua")[:13])))
    assert re.search(r" bets betting round \d; stake \d; pot \d", whole)
    assert "asked" not in whole
    assert " alarms nothing is wrong " in whole


@pytest.mark.parametrize(("width", "height", "card"), [(80, 24, 3), (120, 40, 5), (200, 60, 9)])
def test_cards_grow_with_the_terminal(width: int, height: int, card: int) -> None:
    lines = drawn(drawable("baccarat", *script("baccarat")[:2]), width, height)
    top = next(number for number, line in enumerate(lines) if "┌─" in line)
    bottom = next(number for number, line in enumerate(lines) if "└─" in line)
    assert bottom - top + 1 == card


@pytest.mark.parametrize(("width", "height"), [(120, 44), (200, 60)])
def test_a_wide_terminal_has_the_bead_plate_beside_the_cards_and_spaced_derived_roads(width: int, height: int) -> None:
    lines = drawn(drawable("baccarat", *script("baccarat")), width, height)
    assert "PLAYER" in lines[2]
    assert "Bead plate" in lines[2]
    dots = next(line for number, line in enumerate(lines) if "Big eye boy" in lines[number - 1])
    assert "····" not in dots
    assert dots.count("· · ·") >= 3


@pytest.mark.parametrize("game", GAMES)
def test_cards_keep_their_size_while_a_hand_is_dealt(game: str) -> None:
    sizes = set()
    for end in range(len(script(game))):
        said = drawable(game, *script(game)[:end])
        if not said["table"]["slots"] or any(each["slot"].endswith(".2") for each in said["table"]["slots"]):
            continue
        lines = drawn(said)
        top = next((number for number, line in enumerate(lines) if re.search("[┌╔][─═╌]", line)), 0)
        sizes.add(next(n for n, line in enumerate(lines) if n > top and re.search("[└╚][─═╌]", line)) - top)
    assert len(sizes) == 1
