"""`shoe roads`: what it reads, and what it writes to a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli.roads import NoShoe, beads
from firmware_bridge.cli.roads.terminal import SHAPES, Paint, _ties, screen
from firmware_bridge.errors import ConfigError
from firmware_bridge.games.baccarat.drawn.sheet import Heading
from firmware_bridge.games.baccarat.roads import Bead, board, roads_of
from tests.cli.roads import roads_command
from tests.cli.roads.roads_command import SHOE, Run, stdin
from tests.kit.rows import each_row

shoe_roads = roads_command.shoe_roads  # fixture


# ------------------------------------------------------------ what it reads


def test_a_shoe_with_pairs() -> None:
    assert beads("BT 10 01") == [Bead("B", True, False), Bead("T", False, True)]
    assert beads("BT") == [Bead("B"), Bead("T")]
    assert beads("BT 10 01 11") == [Bead("B", True, False, True), Bead("T", False, True, True)]
    assert beads(".") == beads(". . .") == beads(". . . .") == []


def test_small_letters_are_taken() -> None:
    assert beads("bpT") == beads("BPT")


WRONG = [
    ("BPX", "column 3: 'X' is not one of B, P, T"),
    ("bx", "column 2: 'x' is not one of B, P, T"),
    ("BP 12 00", "column 5: '2' is not one of 0, 1"),
    ("BP  10 0", "column 8: 1 player pairs for 2 outcomes"),
    ("BP 1 00", "column 4: 1 banker pairs for 2 outcomes"),
    ("BP 10", "column 4: 2 words, but a shoe has one, three or four"),
    ("", "column 1: 0 words, but a shoe has one, three or four"),
    (". 1 1", "column 3: 1 banker pairs for 0 outcomes"),
    ("BP 10 00 1", "column 10: 1 naturals for 2 outcomes"),
]


@pytest.mark.parametrize(("text", "error"), WRONG)
def test_text_that_is_no_shoe(text: str, error: str) -> None:
    with pytest.raises(NoShoe, match=re.escape(error)):
        beads(text)


def test_a_shoe_per_line_a_board_per_line(shoe_roads: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, ".\r\nBPT\nBP 10 01\n")
    code, out, _ = shoe_roads("--json", "-")
    boards = [json.loads(line) for line in out.splitlines()]
    assert (code, [each["outcomes"] for each in boards]) == (0, ["", "BPT", "BP"])
    assert boards[2]["bead"] == [[1, 1, "red", True, False], [1, 2, "blue", False, True]]


def test_a_bad_line_is_named_after_the_good_ones(shoe_roads: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, "BP\nB?\nBB\n")
    code, out, err = shoe_roads("-")
    assert (code, len(out.splitlines())) == (2, 1)
    assert "line 2, column 2: '?' is not one of B, P, T" in err


def test_the_houses_settings(shoe_roads: Run, tmp_path: Path) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text('[table]\nid = "T1"\n[game]\nleading_ties = "own-column"\n[roads]\ngood = ["pairs"]\n')
    assert json.loads(shoe_roads("TB", "--json", "--config", config)[1])["big_logical"][0] == ["T", 1, [0]]
    over = shoe_roads("TB", "--json", "--config", config, "--leading-ties", "first-bead")[1]
    assert json.loads(over)["big_logical"] == [["B", 1, [1]]]
    assert json.loads(shoe_roads("BBBBPPPP", "--json", "--config", config)[1])["good_roads"] == ["pairs"]


def test_a_setting_that_is_none(shoe_roads: Run, tmp_path: Path) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text('[roads]\ngood = ["long_bunker"]\n')
    with pytest.raises(ConfigError, match="long_bunker"):
        shoe_roads("TB", "--config", config)


# ------------------------------------------------------------ in the terminal


def shown(outcomes: str, colours: bool = False, shapes: str = "utf", width: int = 80, **only: Any) -> str:
    paint = Paint(colours, SHAPES[shapes], width)
    return screen(board(roads_of(beads(outcomes))), "en", paint=paint, **only)


def test_a_pipe_gets_shapes_without_colours(shoe_roads: Run) -> None:
    code, out, _ = shoe_roads("BPPTBB", "--road", "big")
    assert code == 0
    assert [line.replace("·", " ").rstrip() for line in out.splitlines()[:3]] == ["Big road", "B  P  B", "   P/ B"]


def test_red_and_blue_differ_in_shape() -> None:
    for shapes in SHAPES.values():
        signs = [shape for road in ("big-eye", "small", "cockroach") for shape in shapes[road]]
        assert len(set(signs)) == 6
    assert "○" in shown("BPBPBB", only="big-eye")
    assert "□" in shown("BPBPBB", only="big-eye")
    assert shown("BPBPBB", shapes="ascii").isascii()


def test_colours_say_nothing_that_shapes_do_not() -> None:
    painted = shown(SHOE[0], colours=True)
    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted).split() == shown(SHOE[0]).split()


@pytest.mark.parametrize("width", [30, 40, 60, 80, 110, 200])
def test_no_line_is_wider_than_the_terminal_and_no_word_is_broken(width: int) -> None:
    picture = shown("BP" * 60 + "TT", width=width)
    assert all(len(line) <= width for line in picture.splitlines())
    words = ["Banker pairs 0", "Player pairs 0", "Last round: Tie", "irregular", "Single jump", "If player is next"]
    assert [word for word in words if word not in picture] == []
    assert "P2" in picture


def test_a_shoe_fits_an_ordinary_terminal_with_its_prompt() -> None:
    assert len(shown(" ".join(SHOE), width=80).splitlines()) <= 23


def test_the_newest_mark_is_seen_behind_a_long_tail() -> None:
    """After a streak of 50 the next columns lie left of its end."""
    lines = shown("B" * 50 + "PTB", width=80).splitlines()
    assert lines[2] == "Big road 5›"
    assert lines[3].startswith("B P/B ")


def test_what_is_out_of_sight_is_counted() -> None:
    picture = shown("BP" * 45, width=80)
    assert "Big road ‹50" in picture
    assert "Bead plate ‹6" in picture
    assert "Big road <50" in shown("BP" * 45, width=80, shapes="ascii")


def test_the_terminal_says_whose_roads_they_are_and_what_came_last() -> None:
    heading = Heading("T07", 12, points={"player": "natural 9", "banker": "4"})
    picture = shown("BBP 000 000 001", shapes="ascii", width=80, heading=heading)
    assert picture.isascii()
    assert picture.splitlines()[0] == "Table T07  Shoe 12  Rounds 3  Naturals 1  Last round: Player 9:4 Natural"


def test_a_picture_of_the_other_kind_is_refused(tmp_path: Path, shoe_roads: Run) -> None:
    for kind, other in (("svg", "png"), ("png", "svg")):
        path = tmp_path / f"board.{other.upper()}"
        code, _, err = shoe_roads("BPT", f"--{kind}", path)
        assert (code, path.exists()) == (2, False)
        assert err.endswith(f"the name says {other.upper()}; write --{other} {path}\n")


@each_row(("ties", "sign"), [(0, " "), (1, "/"), (2, "2"), (9, "9"), (10, "+"), (11, "+")])
def test_ties_are_one_sign_wide(ties: int, sign: str) -> None:
    assert _ties(ties) == sign
