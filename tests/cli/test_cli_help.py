"""What `shoe help` finds, and the manual pages and the completion that are made of the same."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from firmware_bridge.cli import COMMANDS, help
from firmware_bridge.config.reference import keys
from firmware_bridge.shoe.policy import KEEP_ORDER
from tests.kit import command

shoe = command.shoe  # fixture
DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("alarm", KEEP_ORDER)
def test_every_alarm_is_explained(shoe: command.Run, alarm: str) -> None:
    said = shoe("help", alarm).out
    assert f"`{alarm}`" not in said
    assert KEEP_ORDER[alarm].todo.replace("`", "") in said
    assert shoe("help", alarm.replace("_", "-")).out == said


@pytest.mark.parametrize("name", sorted({key.name for key in keys()}))
def test_every_key_of_the_config_is_explained(shoe: command.Run, name: str) -> None:
    assert "allowed:" in shoe("help", name).out


def test_an_alarm_is_told_as_each_policy_has_it(shoe: command.Run) -> None:
    said = shoe("help", "overdrawn").out
    assert [line.split(", ")[1] for line in said.splitlines() if not line.startswith(" ") and line] == [
        "keep-order",
        "us-burn",
        "macau",
        "studio",
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "reader_gap"),
        (["technician"], "# The technician's book"),
        (["3am"], "1. **Look at the lamps.**"),
        (["damaged", "journal"], "### A damaged journal"),
        (["update"], "**An update, between two shoes:**"),
        (["rollback"], "--rollback"),
        (["NO_BROKER"], "play goes on; rounds are kept here"),
        (["check"], "usage: shoe check"),
        (["changelog"], "What to do at an update"),
    ],
)
def test_a_topic_is_a_document_a_chapter_a_row_or_a_command(shoe: command.Run, words: list[str], says: str) -> None:
    ran = shoe("help", *words)
    assert (ran.code, ran.err) == (0, "")
    assert says in ran.out


def test_a_topic_nothing_is_written_about_says_what_is_near(shoe: command.Run) -> None:
    ran = shoe("help", "reader_gapp")
    assert (ran.code, ran.err) == (1, "shoe: there is no help on 'reader_gapp'; did you mean reader_gap?\n")


def test_every_document_is_there_and_is_named() -> None:
    written = {path.stem for path in DOCS.glob("*.md")} - {"README"}
    assert written | {"changelog"} == set(help.DOCUMENTS)


@pytest.mark.parametrize("manual", ["shoe.1", "bridge.toml.5"])
@pytest.mark.skipif(not shutil.which("groff"), reason="there is no groff here")
def test_a_manual_page_is_set_without_a_warning(shoe: command.Run, manual: str) -> None:
    text = shoe("help", "--man", manual).out
    words = ["groff", "-man", "-Tutf8", "-ww", "-P-c"]
    done = subprocess.run(words, input=text, check=True, capture_output=True, text=True)
    assert done.stderr == ""
    words_set = re.sub(".\b", "", done.stdout)  # struck twice where it is bold
    assert all(name in words_set for name in (COMMANDS if manual == "shoe.1" else ("keep_days", "factory")))


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("shoe che", {"check"}),
        ("shoe do res", {"resolve", "resend"}),
        ("shoe --vers", {"--version"}),
        ("shoe calibrate cut", {"cut-card"}),
        ("shoe demo --procedure ", {"on-demand", "six-card"}),
        ("shoe do resolve reader_gap acc", {"accept"}),
        ("shoe help reader_g", {"reader_gap"}),
        ("shoe replay some.de", set()),
    ],
)
def test_bash_completes_what_may_come_next(shoe: command.Run, tmp_path: Path, typed: str, offered: set[str]) -> None:
    script = tmp_path / "shoe"
    script.write_text(shoe("help", "--completion", "bash").out)
    words = typed.split(" ")
    asked = (
        f"source {script}; COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}; _shoe"
    )
    done = subprocess.run(
        ["bash", "-uec", f'{asked}; printf "%s\\n" "${{COMPREPLY[@]}}"'], check=True, capture_output=True, text=True
    )
    assert set(done.stdout.split()) == offered
