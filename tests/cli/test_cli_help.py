"""What `shoe help` finds, and the manual pages and the completion that are made of the same."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from firmware_bridge.cli import COMMANDS, help
from firmware_bridge.cli.help.reading import readable
from firmware_bridge.config.reference import keys
from firmware_bridge.shoe.policy import KEEP_ORDER
from firmware_bridge.topics.texts.alarms import todo
from tests.kit import command
from tests.kit.rows import each_row

shoe = command.shoe  # fixture
DOCS = Path(__file__).parents[2] / "docs"


@each_row("alarm", KEEP_ORDER)
def test_every_alarm_is_explained(shoe: command.Run, alarm: str) -> None:
    said = shoe("help", alarm).out
    assert f"`{alarm}`" not in said
    assert todo("en", alarm, "keep-order") in said
    assert shoe("help", alarm.replace("_", "-")).out == said


@each_row("name", sorted({key.name for key in keys()}), by=lambda name: f"{name[0]}*")
def test_every_key_of_the_config_is_explained(shoe: command.Run, name: str) -> None:
    assert "allowed:" in shoe("help", name).out


def test_an_alarm_is_explained_as_each_policy_has_it(shoe: command.Run) -> None:
    said = shoe("help", "overdrawn").out
    assert said.splitlines()[:6] == [
        "overdrawn: One card too many",
        "the shoe is blocked (macau, studio)",
        "What to do:",
        "  Leave the card face down for the next round.",
        "  us-burn: Burn the card.",
        "  macau: Call the pit: one card too many was drawn.",
    ]
    assert "  keep: the card is played as it lies, in its order (macau)\n" in said
    assert said.endswith("At the shoe: sudo shoe do resolve overdrawn CHOICE --by NAME\n")


def test_other_documents_follow_the_help_of_an_alarm_in_english(shoe: command.Run) -> None:
    said = shoe("help", "broker_lost").out
    assert "technician, When something is wrong\n  what you see:  alarm broker_lost\n" in said
    assert "technician" not in shoe("help", "broker_lost", "--lang", "zh-Hant").out


def test_rows_of_one_table_have_one_heading_and_one_shape(shoe: command.Run) -> None:
    assert shoe("help", "lucky_6").out.count("payouts, Baccarat") == 1
    modes = shoe("help", "3am").out.partition("mode:   FULL")[2].partition("what you see")[0]
    assert modes.count("means:") == modes.count("mode:") + 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "reader_gap"),
        (["technician"], "THE TECHNICIAN'S BOOK"),
        (["3am"], "1. Look at the lamps. fault blinking fast"),
        (["damaged", "journal"], "A damaged journal\n"),
        (["update"], "An update, between two shoes:"),
        (["rollback"], "--rollback"),
        (["NO_BROKER"], "play goes on; rounds are kept here"),
        (["check"], "usage: shoe check"),
        (["changelog"], "What to do at an update"),
        (["correct"], "- One card more is refused"),
        (["corrections"], "a reserve only where it was a third card"),
    ],
)
def test_a_topic_is_a_document_a_chapter_a_row_or_a_command(shoe: command.Run, words: list[str], says: str) -> None:
    ran = shoe("help", *words)
    assert (ran.code, ran.err) == (0, "")
    assert says in ran.out


def test_a_topic_nothing_is_written_about_says_what_is_near(shoe: command.Run) -> None:
    ran = shoe("help", "reader_gapp")
    assert (ran.code, ran.err) == (2, "shoe help: there is no help on 'reader_gapp'; did you mean reader_gap?\n")


def test_every_document_is_there_and_is_named() -> None:
    written = {path.stem for path in DOCS.glob("*.md")} - {"README"}
    assert written | {"changelog", "examples"} == set(help.DOCUMENTS)


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
        ("shoe do void --wh", {"--why"}),
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


@pytest.mark.parametrize("topic", [*help.DOCUMENTS, *help.ALSO, "reader_gap", "keep_days", "NO_BROKER", ""])
def test_every_document_fits_and_shows_no_markdown(
    shoe: command.Run, monkeypatch: pytest.MonkeyPatch, topic: str
) -> None:
    for width in (40, 60, 80, 120, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        out = shoe("help", *topic.split()).out
        assert max(map(cell_len, out.splitlines())) <= width, width
        prose = "\n".join(line for line in out.splitlines() if not line.startswith("    "))
        assert not re.search(r"\*\*\w|\]\(|^#+ |^\|", prose, re.M), width


def test_a_table_is_read_row_by_row(shoe: command.Run) -> None:
    out = shoe("help", "3am").out
    first = out.splitlines()
    assert first[0].startswith("Contents: A damaged journal")
    assert "1. Look at the lamps." in "\n".join(first[:5])
    assert (
        "  what you see:  fault fast, alarm reader_lost\n"
        "  most likely:   the reader's cable or power\n"
        "  do:            plug it in again; "
    ) in out


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a `b` **c `d`** [e](f.md#g) [h](https://i.example)", "a b c d e h (https://i.example)\n\n"),
        ("## T `x`\n\np\nq", "T X\n\np q\n\n"),
        ("p\n- a\n  b\n- c\n\nq", "p\n\n- a b\n- c\n\nq\n\n"),
        ("| a | b |\n|---|---|\n| `x\\|y` | z |", "  x|y                   z\n\n"),
        ("| a | b | c |\n|---|---|---|\n| x |  | **z** |", "  a:  x\n  c:  z\n\n"),
        ("p\n\n    code  `x`\n", "p\n\n    code  `x`\n\n"),
        ("p\n```toml\n# c\n\n[x]\n```\nq", "p\n\n    # c\n    \n    [x]\n\nq\n\n"),
        ("# A\n## B\n## C", "Contents: B · C\n\nA\n\nB\n\nC\n\n"),
    ],
)
def test_what_is_shown_of_markdown(text: str, shown: str) -> None:
    assert "".join(f"{line.plain}\n" for line in readable(text)) == shown


@pytest.fixture
def on_a_terminal(shoe: command.Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str | None]:
    """`on_a_terminal(*words, pager=..)`: what the pager read, None if none was started."""
    read = tmp_path / "paged"

    def run(*words: str, pager: str = f"cat > {read}", term: str = "xterm") -> str | None:
        shoe("help", "--man", "shoe.1")
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setattr("shutil.get_terminal_size", lambda *_, **__: os.terminal_size((80, 24)))
        monkeypatch.setenv("PAGER", pager)
        monkeypatch.setenv("TERM", term)
        printed = shoe("help", *words).out
        assert bool(printed) != read.exists()
        return read.read_text("utf-8") if read.exists() else None

    return run


def test_a_long_text_is_paged_and_a_short_one_is_not(on_a_terminal: Callable[..., str | None]) -> None:
    assert on_a_terminal("NO_BROKER") is None
    paged = on_a_terminal("3am")
    assert paged is not None
    assert "Look at the lamps." in paged
    assert "\x1b[1m" in paged


@pytest.mark.parametrize("how", [{"pager": ""}, {"pager": "cat"}, {"term": "dumb"}, {"pager": "/no/such/pager"}])
def test_without_a_pager_the_text_is_printed(on_a_terminal: Callable[..., str | None], how: dict[str, str]) -> None:
    assert on_a_terminal("3am", **how) is None


def test_help_says_where_the_examples_are(shoe: command.Run) -> None:
    ran = shoe("help", "examples")
    assert ran.code == 0
    assert "settle_money.py" in ran.out
    folder = Path(ran.out.split("Here they are in ")[1].split("\n")[0].strip().rstrip("."))
    assert (folder / "houses/macau-floor.toml").exists()
    assert "  examples " in shoe("help").out


@pytest.mark.parametrize("topic", ["man", "ward", "nswered"])
def test_a_word_inside_another_is_no_topic(topic: str) -> None:
    assert not help.about(topic)


def test_words_of_a_name_are_found() -> None:
    assert "QuestionAnswered" in help.about("answered").splitlines()[0]
