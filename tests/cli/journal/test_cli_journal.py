"""`shoe journal`: list, show and export."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import Say, parse
from firmware_bridge.facts import orders
from firmware_bridge.facts.printable import fault
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.files import journal_id
from tests.cli.journal import kept_files
from tests.cli.journal.kept_files import count
from tests.kit import command
from tests.kit.delivered_record import delivered, record

shoe, files, journal = command.shoe, kept_files.files, kept_files.journal  # fixtures

SEALED = "2d"
"""Burned in the second shoe and seen nowhere else: nobody may learn of it."""


def test_list_names_every_journal_and_the_head(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    delivered(files[0].parent, journal_id(files[1]), 3)
    ran = journal("list")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == [*map(journal_id, files), "head"]
    rows = journal("list", "--json").json
    assert [row["entries"] for row in rows] == [count(path) for path in files]
    assert [row["delivered"] for row in rows] == [count(files[0]), 3, 0]
    assert ran.out.splitlines()[-1] == f"head {rows[-1]['head']}"


def test_show_and_export_keep_what_is_sealed(
    files: list[Path], journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    assert f'"{SEALED}"' in files[-1].read_text()
    assert journal("export", journal_id(files[-1]), "-o", tmp_path / "outside").code == 0
    outside = [journal("show").out, journal("show", "--json").out, (tmp_path / "outside").read_text()]
    assert not any(re.search(rf"\b{SEALED}\b", text) for text in outside)
    assert all(re.search(r"\b5c\b", text) and "CardBurned" in text for text in outside)


def test_show_takes_a_number_and_a_range(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    rows = journal("show", "1", "--seq", "2-3", "--json").json
    assert [(row["journal"], row["seq"]) for row in rows] == [(journal_id(files[1]), 2), (journal_id(files[1]), 3)]
    assert "CardDealt" in journal("show", "1", "--seq", "2-").out
    assert journal("show", "1", "--seq", "3").out.splitlines()[0].split()[0] == "3"
    assert "no journal 9" in journal("show", "9").err


def test_an_export_of_any_name_verifies_and_replays_its_rounds(
    files: list[Path], journal: Callable[..., command.Ran], shoe: command.Run, tmp_path: Path
) -> None:
    assert journal("export", "1", "-o", tmp_path / "for-the-auditor").code == 0
    ran = journal("verify", tmp_path / "for-the-auditor", "--replay")
    assert ran.code == 0
    assert "the sealed parts are missing" in ran.out
    assert "what it follows is not here" in ran.out
    exported, whole = shoe("replay", tmp_path / "for-the-auditor"), shoe("replay", files[1])
    assert "only events and rounds" in exported.err
    assert exported.json == [each for each in whole.json if not each["retain"]]
    rounds = [each["payload"]["status"] for each in exported.json if each["topic"] == "round"]
    assert rounds == ["closed", "closed", "voided"]


def test_an_export_never_lands_among_the_journals(
    files: list[Path], journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    ran = journal("export", "1", "-o", tmp_path / "j" / "copy.journal")
    assert ran.code == 1
    assert "export to another directory" in ran.err
    assert list((tmp_path / "j").glob("*copy*")) == []


@pytest.mark.parametrize("action", ["list", "show", "verify", "export 1"])
def test_without_sudo_every_action_asks_for_it(
    files: list[Path], journal: Callable[..., command.Ran], mocker: MockerFixture, action: str
) -> None:
    mocker.patch.object(Path, "iterdir", side_effect=PermissionError(13, "Permission denied"))
    mocker.patch("os.open", side_effect=PermissionError(13, "Permission denied"))
    ran = journal(*action.split())
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"shoe: {files[0].parent}: Permission denied; put sudo before the command\n"


def test_a_journal_that_is_not_there_is_reported_in_one_line(
    journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    (tmp_path / "j").mkdir()
    ran = journal("show", tmp_path / "none.journal")
    assert ran.err == f"shoe: {tmp_path}/none.journal: No such file or directory; name it with --dir or --config\n"


@pytest.fixture
def cet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose clock is two hours ahead of UTC."""
    monkeypatch.setenv("TZ", "XYZ-2")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("cet")
def test_show_says_a_round_in_one_short_line_and_times_by_the_clock_on_the_wall(
    journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    (tmp_path / "j").mkdir()
    record(tmp_path / "j", "shoe 9sTdTsTc 2s !void misdeal !correct 1 9sTdTs9c lid-open", burn="none")
    shown = journal("show").out
    heads = [line[:36] for line in shown.splitlines() if line[:5].strip()]
    assert [head for head in heads if not re.fullmatch(r" *\d+  20\d\d-\d\d-\d\d [\d:]{8}\.\d{3} \+0200", head)] == []
    corrected = "corrected by anna: script (revision 1 of entry 5)"
    assert re.findall(r"Round\w+ .*", shown) == [
        "RoundClosed        round 1  PLAYER 9:0  P 9s Ts  B Td Tc  natural, banker pair",
        "RoundVoided        round 2  VOID by anna: misdeal",
        f"RoundCorrected     round 1  TIE 9:9  P 9s Ts  B Td 9c  {corrected}  natural",
    ]
    assert re.search(r"Irregular .*since 20\d\d-\d\d-\d\d \S+ \+0200", shown)
    assert '"bets"' in journal("show", "--json").out
    assert re.search(r" 20\S+ \S+ \+0200 to 20\S+ \S+ \+0200 ", journal("list").out)


def test_show_names_both_people_and_the_reason_of_every_act(
    journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    (tmp_path / "j").mkdir()
    play = Replay(house_of(burn="none", second_person=("correct", "void")), "T07", pytest.fail)
    acts: tuple[orders.Order, ...] = (
        orders.Void("misdeal", "bo"),
        orders.Correct(1, ("9s", "Td", "Ts", "9c"), "the last card was 9c", "bo"),
        orders.Resolve("lid_opened", "continue", "a guest leaned on it", "bo"),
    )
    words = [*parse("9sTdTsTc 2s"), Say(acts[0]), Say(acts[1]), *parse("lid-open lid-close"), Say(acts[2])]
    lines = list(play.play(words))
    newest = lines[-1].public.journal
    path = tmp_path / "j" / "copy"
    path.write_bytes(b"".join(line.data for line in lines if line.public.journal == newest))
    shown = journal("show", path).out
    assert "VOID by script and bo: misdeal" in shown
    assert "corrected by script and bo: the last card was 9c (revision 1 of entry 5)" in shown
    assert re.search(r"IrregularityClosed .*by script.*why a guest leaned on it.*second bo", shown)


def test_old_journals_are_printed_without_what_a_terminal_obeys(
    journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    (tmp_path / "j").mkdir()
    evil = "Eve\nIN ORDER: all is well\x1b[2J\x9b31m\u202e"
    play = Replay(house_of(burn="none"), "T07", pytest.fail)
    lines = list(play.play([*parse("2s"), Say(orders.DealerIn(evil)), Say(orders.Void(evil))]))
    newest = lines[-1].public.journal
    path = tmp_path / "j" / "auditors-copy"
    path.write_bytes(b"".join(line.data for line in lines if line.public.journal == newest))
    shown = journal("show", path)
    assert shown.code == 0, shown.err
    assert r"dealer Eve\nIN ORDER: all is well\x1b[2J\x9b31m\u202e" in shown.out
    as_json = journal("show", "--json", path)
    assert [each["dealer"] for row in as_json.json for each in row["events"] if "dealer" in each] == [evil]
    for text in (shown.out, as_json.out):
        assert [line for line in text.splitlines() if fault(line, 100_000)] == []


def test_where_there_is_nothing_it_says_so(
    files: list[Path], journal: Callable[..., command.Ran], shoe: command.Run, tmp_path: Path
) -> None:
    ran = journal("show", "1", "--seq", "100000-")
    assert (ran.code, ran.err) == (
        1,
        f"shoe: {files[1].name} has no entry 100000 or later; it has 1 to {count(files[1])}\n",
    )
    assert "ends before it begins" in journal("show", "--seq", "5-3").err
    (tmp_path / "empty").mkdir()
    ran = shoe("journal", "list", "--dir", tmp_path / "empty")
    assert (ran.code, ran.out, ran.err) == (0, "", f"no journal in {tmp_path}/empty\n")


def test_what_is_not_there_is_said(journal: Callable[..., command.Ran], shoe: command.Run, tmp_path: Path) -> None:
    assert "No such file or directory; name it with --dir or --config" in journal("list").err
    (tmp_path / "j").mkdir()
    assert journal("list").out == ""
    assert f"no journal in {tmp_path}/j" in journal("verify").err


def test_replaying_a_journal_gives_the_states_too(files: list[Path], shoe: command.Run) -> None:
    ran = shoe("replay", files[1])
    assert {each["topic"] for each in ran.json} == {"event", "round", "table", "roads", "lamps", "alarm"}
    assert next(each["payload"]["outcome"] for each in ran.json if each["topic"] == "round") == "player"
