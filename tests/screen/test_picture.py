"""The screen of `shoe watch` and of the demo: whole at every size, or marked where it is not; for every game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from rich.text import Text

from firmware_bridge.cli.watch.dealer import WatchedByDealer
from firmware_bridge.cli.watch.model import Watched
from firmware_bridge.cli.watch.screen import screen
from firmware_bridge.demo.svg import svg
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import house_of
from firmware_bridge.screen.picture import fitted, picture
from firmware_bridge.screen.table_widget import FinishedRound, Row, ScreenModel, table_lines
from firmware_bridge.screen.words import offers, shows
from firmware_bridge.shoe.round import layout, rules
from firmware_bridge.topics.state import last_rounds, snapshots
from firmware_bridge.topics.texts import LANGUAGES
from firmware_bridge.topics.texts.alarms import todo
from tests.cli.watch.test_cli_screen import status
from tests.kit.contrast import Canvas, elements, least_of_texts
from tests.kit.table import Table
from tests.war.rules import GAME as WAR

KEYS = "Ctrl-C or q: end; SPACE: pause"
SIZES = [(80, 24), (80, 22), (120, 40), (60, 20), (40, 10), (200, 60)]
SIX = house_of(procedure="six-card", burn="none")
PLAIN = house_of(burn="none")
SCRIPTS = {
    "no shoe": ("", PLAIN),
    "burning": ("shoe 3s", House()),
    "a third is due": ("2s 3h 4d 2d", PLAIN),
    "between rounds": ("9sTdTsTc", PLAIN),
    "void": ("9sTdTsTc 2s !void misdeal", PLAIN),
    "three things wrong": ("9s ?? Td lid-open", PLAIN),
    "six cards": ("9sTdTsTc 2h 3h next", SIX),
    "last round": ("cut 9sTd", PLAIN),
}
SEEN = {
    "signal": {
        "quality": 220,
        "agreed": 8,
        "taken": 8,
        "transit_ms": 45,
        "lamp": 200,
        "ambient": 12,
        "temperature": 31,
    },
    "good": 1000,
    "bad": 0,
    "frames": [{"n": n, "at": 0, "way": "in", "hex": "04 " * 60} for n in range(100)],
    "pins": {"inputs": {"cut_card": False, "next": True}, "outputs": dict.fromkeys(("P1", "B1", "ready"), None)},
}


DEALT = "shoe bets=1:5 lot=1 9s Kd"


def drawn(state: dict[str, Any], width: int, height: int) -> list[str]:
    watched = Watched()
    watched.update(state | {"seen": SEEN})
    return [line.plain for line in watched.screen(width, height, KEYS)]


def flat(lines: list[str]) -> str:
    return re.sub(r"[│\s]+", " ", " ".join(lines))


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_cut_is_marked_and_everything_fits(name: str, width: int, height: int) -> None:
    script, house = SCRIPTS[name]
    state = status(script, house)
    lines = drawn(state, width, height)
    assert len(lines) == height
    assert all(len(line) <= width for line in lines)
    whole = flat(lines)
    wanted = [todo("en", each["id"], "keep-order") for each in state["alarm"]["open"]] + state["lamps"]["why"]
    missing = [words for words in wanted if words not in whole]
    assert not missing or "…" in whole
    assert "Ctrl-C or q: end" in whole
    assert (lines[0][0] == "╭") == (width >= 80 and height >= 22)


def test_what_is_wrong_is_whole_at_80_columns() -> None:
    state = status("9s ?? Td lid-open")
    whole = flat(drawn(state, 80, 24))
    for alarm in state["alarm"]["open"]:
        assert f"! {alarm['id']}: {todo('en', alarm['id'], 'keep-order')}" in whole


def test_no_screen_of_the_shoe_reads_the_text_of_an_alarm() -> None:
    state = status("9s ?? Td lid-open")
    assert [bool(each["text"]) for each in state["alarm"]["open"]] == [True, True]
    emptied = state | {"alarm": {"open": [each | {"text": ""} for each in state["alarm"]["open"]]}}
    for lang in LANGUAGES:
        watches = WatchedByDealer(lang), WatchedByDealer(lang)
        for watch, of in zip(watches, (state, emptied), strict=True):
            watch.update(of)
        assert watches[0].screen(80, 40, "") == watches[1].screen(80, 40, "")
        assert screen(state, lang) == screen(emptied, lang)
    whole, without = (flat(drawn(each, 80, 24)).replace("○", "●") for each in (state, emptied))  # lamps blink
    assert whole == without


def test_a_small_terminal_is_shown_what_the_picture_wants() -> None:
    lines = drawn(status("2s"), 60, 20)
    assert flat(lines[:2]).startswith("this terminal is 60x20; the picture needs 80x22; showing lines")
    assert "slots    P1 2♠" in lines


def test_a_note_has_one_line_and_a_warning_all_of_its_text() -> None:
    state = status("2s 3h")
    long = {"id": "record_unsigned", "values": {"why": "play continues, " * 12}, "blocks": False}
    for severity, whole in (("note", False), ("warning", True)):
        state["alarm"] = {"open": [long | {"severity": severity, "choices": [], "of": [], "since": 0}]}
        shown = drawn(state, 80, 24)
        assert (sum("play continues" in line for line in shown) > 2) == whole, severity


def test_roads_are_drawn_where_there_is_room_whatever_happens() -> None:
    for script in ("9sTdTsTc", "9sTdTsTc 9s ?? Td lid-open"):
        assert "Big road" in flat(drawn(status(script), 120, 40))
        assert "Bead plate" in flat(drawn(status(script), 120, 40))
        assert "Cockroach" in flat(drawn(status(script), 200, 60))
        assert "Big road" not in flat(drawn(status(script), 80, 24))


def test_the_derived_roads_lie_side_by_side() -> None:
    assert "Big eye boy Small road Cockroach road" in flat(drawn(status("9sTdTsTc"), 200, 60))


def test_the_round_before_lies_on_the_felt_and_no_slot_asks_for_a_card_that_has_one() -> None:
    whole = flat(drawn(status("9sTdTsTc"), 80, 24))
    assert "round 1 over, round 2 ready" in whole
    assert "9♠" in whole
    assert "DRAW" not in whole


def test_the_frame_has_the_colour_of_how_the_table_stands() -> None:
    def colour(state: dict[str, Any]) -> str:
        watched = Watched()
        watched.update(state)
        return str(watched.screen(80, 24, KEYS)[0].style)

    assert colour(status("9s")) == "green"
    assert colour(status("9s", mode="VIRTUAL_CUT")) == "yellow"
    assert colour(status("9s ??")) == "red"


def test_cards_face_down_are_not_named() -> None:
    sealed = house_of(burn="none", disclose="sealed")
    whole = flat(drawn(status("shoe 9s Td", sealed), 80, 24))
    assert "░░░░" in whole
    assert "9♠" not in whole


@pytest.fixture
def war() -> Iterator[None]:
    GAMES[WAR.name] = WAR
    yield
    del GAMES[WAR.name]


@pytest.mark.parametrize(
    "text", ["", "shoe", "shoe bets=1:5,3:5", "shoe bets=1:5 lot=1 9s Kd", "shoe bets=1:5 lot=1 9s Kd 1:stand"]
)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_game_that_no_screen_has_heard_of(war: None, text: str, width: int, height: int) -> None:
    play = Table(game="war", betting="required", burn="none").play(text)
    state = status("", house_of("war", burn="none", betting="required"))

    state |= msgspec.json.decode(msgspec.json.encode(snapshots(play.shoe)))
    state |= {"shoe": play.shoe.number, "rounds": msgspec.to_builtins(last_rounds(play.shoe))}
    state["points"] = dict(rules(play.shoe).demo.points(layout(play.shoe)))
    lines = drawn(state, width, height)
    assert len(lines) == height
    assert all(len(line) <= width for line in lines)
    if height >= 22 and width >= 80:
        assert "SEATS" in flat(lines)
        assert "DEALER" in flat(lines)


def model(**more: Any) -> ScreenModel:
    table = {"phase": "dealing", "round": 1, "last": False, "slots": [], "due": None, "cards_left": 9, "burn_left": 0}
    states = {"table": table | {"shoe_change": None} | more.pop("table", {}), "lamps": {}, "alarm": {}}
    fields: dict[str, Any] = {
        "table": "T",
        "game": WAR,
        "shoe": 1,
        "size": 52,
        "states": states,
        "news": Row("news", Text("-")),
    }
    return ScreenModel(**fields | more)


def test_a_slot_may_hold_many_cards_and_be_split() -> None:
    slots = [
        {"slot": name, "card": card} for name, card in (("S1.1", "9s"), ("S1.1", "Td"), ("S1.2", "9h"), ("S2", "Kc"))
    ]
    cards = "\n".join(line.plain for line in table_lines(model(table={"slots": slots}), 76))
    assert cards.index("9♠") < cards.index("T♦") < cards.index("9♥") < cards.index("K♣")
    narrow = table_lines(model(table={"slots": slots}), 20)
    assert max(line.cell_len for line in narrow) <= 20
    assert "K♣" in "\n".join(line.plain for line in narrow)


def test_beads_of_long_points_stay_in_the_width() -> None:
    over = [FinishedRound(1, n, "seats", {"S1": "soft 17", "S2": "20", "D": "natural 21"}, []) for n in range(40)]
    for width in (80, 120):
        assert {line.cell_len for line in picture(model(over=over), width)} == {width}


def test_rows_shrink_from_below_and_say_how_much_was_left_out() -> None:
    rows = [Row("one", Text("a b c d")), Row("two", Text("e f g h")), Row("new", Text("i\nj\nk"), is_news=True)]
    blocks, left_out = fitted(rows, 12, 5)
    assert [[line.plain for line in block] for block in blocks] == [
        ["one      a b", "         c d"],
        ["two      e f", "         g h"],
        ["new      k"],
    ]
    assert left_out == 0
    blocks, left_out = fitted(rows, 12, 3)
    assert [[line.plain for line in block] for block in blocks] == [
        ["one      a b…"[:11] + "…"],
        ["two      e …"],
        ["new      k"],
    ]
    assert left_out == 2
    blocks, left_out = fitted(rows, 12, 1)
    assert [len(block) for block in blocks] == [1, 0, 0]
    assert left_out == 1 + 2 + 1


def test_a_kept_picture_places_every_letter_itself() -> None:
    text = svg([Text.assemble(("│ ", "green"), ("A♥ <2>", "bold red on white"), " │")], "T & <D>")
    assert 'aria-label="T &amp; &lt;D&gt;"' in text
    assert '<text x="44" y="37"' in text
    assert '<text x="80 92 104"' in text
    assert "♥" not in text
    assert "&lt;2&gt;" in text
    assert text.count("<path") == 3
    assert "&#160;" not in text


COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


@pytest.mark.parametrize("ground", COLOURS)
def test_every_letter_of_a_kept_picture_can_be_read(ground: str) -> None:
    styles = [f"{weight} {ink} on {ground}" for ink in COLOURS for weight in ("", "dim", "bold")]
    shapes, texts = elements(svg([Text("word", style) for style in [*styles, "dim", "dim black"]], "T"))
    assert len(texts) == len(styles) + 2
    assert least_of_texts(Canvas(shapes), texts, "20") >= (4.5, "")


def test_the_marks_of_equal_seats_stand_together() -> None:
    raised = {"call": "2", "raise": {"min": "3", "max": "10"}}
    table = {"act": {"S1": {"look": True}, "S2": raised, "S3": raised}}
    assert offers(table) == "S1: look; S2 S3: call 2, raise 3-10"


def test_what_a_game_shows_has_no_word_for_what_is_empty() -> None:
    shown = {"stake": 2, "pot": None, "acts": {}, "bets": {"S1": 3, "S2": 0}}
    assert shows({"game": "zhajinhua", "shows": shown}).count(";") == 1
    assert shows({"game": "zhajinhua", "shows": None}) == ""
