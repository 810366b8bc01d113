"""Each command line of README and docs is one that the program takes; those that need nothing are run."""

import io
import re
import shlex
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge import cli
from firmware_bridge.errors import BridgeError
from firmware_bridge.floor import cli as floor_cli
from tests.docs.pages import DOCS, README, ROOT
from tests.kit import command
from tests.kit.patience import run
from tests.kit.rows import each_row

shoe = command.shoe  # fixture

PLACEHOLDERS: Final = {
    "ID": "overdrawn",
    "CHOICE": "keep",
    "GAME": "niuniu",
    "ALARM": "reader_gap",
    "WORD": "tie",
    "KEY": "burn",
    "SEQ:HEAD": "5:" + "0" * 64,
    "OUTCOMES": "BPT",
    "..": "",
}
"""Word of a page that stands for others -> one of those."""

COMMAND: Final = re.compile(r"(?:sudo )?(?:\.venv/bin/)?(shoe|shoe-floor)((?: .*)?)", re.S)
SCRIPT: Final = re.compile(r"(?:sudo )?(?:\S+/)?scripts/(\S+)((?: .*)?)", re.S)

OFFLINE: Final = ("help ", "odds", "config --reference", "schema", "play ", "--version", "--help")
"""How the command lines of `shoe` begin that need no table, no root and no network: they are run."""

IN_PART: Final = {"shoe do void --why misdeal", "shoe do correct 1 TsTc9sTd --why misread"}
"""Commands whose page says what else each of them takes."""


def command_lines(page: Path) -> Iterator[str]:
    """What a page shows as code, a line of a block or a span, and what follows a pipe or `&&` in it."""
    text = page.read_text("utf-8")
    outside = re.sub(r"```.*?```", "", text, flags=re.S)
    for block in re.findall(r"```(?:sh|bash|console)?\n(.*?)```", text, re.S):
        yield from block.splitlines()
    yield from re.findall(r"^    (\S.*)$", outside, re.M)
    yield from (
        " ".join(span.split()) for span in re.findall(r"`([^`]+)`", re.sub(r"^    .*$", "", outside, flags=re.M))
    )


def parts(line: str) -> Iterator[str]:
    """The commands of a line of a shell, without prompt, comment and redirection."""
    for part in re.split(r" \| | && |; do |; done", line.removeprefix("$ ")):
        yield re.split(r"\s+#|\s+>|\s*;$", part)[0].strip()


@cache
def found(form: re.Pattern[str]) -> list[Any]:
    """Each command of a form once, with the first page that shows it."""
    seen: dict[str, Path] = {}
    for page in (README, *sorted(DOCS.rglob("*.md"))):
        if page.parent.name != "adr":
            for line in command_lines(page):
                for part in parts(line):
                    if form.fullmatch(part):
                        seen.setdefault(part, page)
    return [pytest.param(part, id=f"{page.name}: {part}") for part, page in seen.items()]


def typed(rest: str) -> list[str]:
    """The words, with one for each placeholder."""
    return [each for word in shlex.split(rest) if (each := PLACEHOLDERS.get(word, word))]


def is_name(parser: ArgumentParser, words: list[str]) -> bool:
    """Whether the words only name a command, as a text does: nothing is given to it."""
    for word in words:
        below = [
            each for action in parser._actions if isinstance(action, _SubParsersAction) for each in [action.choices]
        ]
        if not below or word not in below[0]:
            return False
        parser = below[0][word]
    return True


def is_offline(line: str) -> bool:
    program, rest = COMMAND.fullmatch(line).groups()
    return program == "shoe" and rest.strip().startswith(OFFLINE)


@cache
def floor_parser() -> ArgumentParser:
    return floor_cli._parser()


def test_there_are_commands_to_try() -> None:
    assert len(found(COMMAND)) > 120
    assert len(found(SCRIPT)) > 20


def page_of(name: str) -> str:
    """The page of a line, by its name."""
    return name.partition(": ")[0]


def script_of(name: str) -> str:
    """The script of a line, by its name."""
    return str(SCRIPT.sub(r"\1", name.partition(": ")[2]))


@each_row("line", found(COMMAND), by=page_of)
def test_the_program_takes_it(line: str) -> None:
    program, rest = COMMAND.fullmatch(line).groups()
    words = typed(rest) + ["--by", "ANN"] * (line in IN_PART)
    parser = cli.parser_of(words) if program == "shoe" else floor_parser()
    if words[-1:] in (["--help"], ["--version"]) or is_name(parser, words):
        return
    try:
        parser.parse_args(cli._as_typed(words))
    except (BridgeError, SystemExit) as error:
        pytest.fail(f"{line}: {error}")


@cache
def help_of(script: Path) -> str:
    """What a script says when it is asked for help."""
    return run([script, "--help"]).stdout


@each_row("line", found(SCRIPT), by=script_of)
def test_the_script_is_there_and_names_the_option(line: str) -> None:
    name, rest = SCRIPT.fullmatch(line).groups()
    script = ROOT / "scripts" / name
    assert script.exists()
    if not script.is_file() or script.suffix:  # a folder of scripts, or a part of one
        return
    takes = help_of(script) + script.read_text("utf-8")
    if name not in ("demo", "play"):  # whose options are those of the command
        assert [option for option in re.findall(r"--[\w-]+", rest) if option not in takes] == []


@pytest.mark.parametrize("line", [each for each in found(COMMAND) if is_offline(each.values[0])])
def test_what_needs_nothing_works(line: str, shoe: command.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    words = typed(COMMAND.sub(r"\2", line))
    done = shoe(*words)
    assert done.code == 0, done.err
    assert done.out
