"""Every command line ends with its code and without a traceback, whatever its standard streams and its terminal are."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import product
from pathlib import Path
from typing import IO, Final, NamedTuple

import pytest
from pytest_mock import MockerFixture

from firmware_bridge import cli
from firmware_bridge.cli.watch import AGAIN_S
from firmware_bridge.config.streams import SHOWN, print_json
from firmware_bridge.floor import cli as floor_cli
from firmware_bridge.screen.words import SIGNS
from tests.cli.command_lines import EVERY_LINE, PARSERS, Line, command_of, of_a_day
from tests.cli.test_widths import terminal
from tests.cli.watch.test_cli_screen import status
from tests.floor.test_command import filled
from tests.kit.control import answering
from tests.kit.delivered_record import record
from tests.kit.nightly import EVERY
from tests.kit.patience import run
from tests.kit.process import ran

TABLE: Final = """
[table]
id = "T07"
pit = "貴賓廳"
language = "zh-Hant"
shifts = {{ "早班" = "06:00", "夜班" = "18:00" }}
[reader]
port = "{0}/reader"
[pins]
factory = "mock"
[journal]
dir = "{0}/j"
[mqtt]
port = 1
"""
FLOOR: Final = """
[mqtt]
port = 1
[tables.T07]
[store]
path = "{0}/floor.db"
[page]
users = "{0}/users.json"
[screen]
secrets = "{0}/screens.json"
"""
FILES: Final = {
    "bridge.toml": TABLE,
    "answers/bridge.toml": TABLE,
    "bad.toml": '[table]\nid = "枱"\nhsot = 1\n[roads]\ngood = ["曱甴"]\n',
    "none.toml": '[journal]\ndir = "{0}/none"\n',
    "floor.toml": FLOOR,
    "config.key": "",
    "round.deal": "9s 8h Tc Kd\n",
    "words": "枱\n",
}
"""Name of a file -> its text; {0} is its folder. In `answers` is a table that answers."""

REFUSED: Final = {"ok": False, "error": "next refused: a card is due at P1", "hint": "陳枱: wait for the card"}
ASKING: Final = ("do", "enter", "status", "watch", "roads")
"""Commands that ask the table that answers."""

ENCODINGS: Final = ("ascii", "latin-1", "big5", "gb2312")
LANGUAGES: Final = ("en_US", "zh_TW", "zh_CN")
CLOSED: Final = ("stdout closed", "stderr closed", "all closed", "stdout unread", "stderr unread")
LETTERS: Final = tuple(f"{each} {lang}" for each, lang in product(ENCODINGS, LANGUAGES))
KINDS: Final = (*CLOSED, *LETTERS)
RANDOM: Final = ("demo", "floor screens", "floor key new", "floor tls", "roads")
"""What differs from run to run, or is drawn with other shapes."""

DOCUMENTS: Final = ("{", "3\t", "<svg", "[table]\n", "# Every message", "table,")
"""How an output begins that is a file of programs: in UTF-8, or in ASCII with escapes."""


class Ended(NamedTuple):
    """How a line ended, and what it wrote."""

    code: int
    out: bytes
    err: bytes


@contextmanager
def streams(patch: pytest.MonkeyPatch, **given: IO[str] | None) -> Iterator[None]:
    """The standard streams of a process that begins with these."""
    with patch.context() as inner:
        for name, stream in given.items():
            inner.setattr(sys, name, stream)
            inner.setattr(sys, f"__{name}__", stream)
        yield


class Scene:
    """A folder in which all lines find what they name."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.patch, self._folder = patch, folder
        patch.chdir(folder)
        patch.setenv("TERM", "xterm")
        patch.setattr(time, "sleep", _ended)
        patch.setattr("firmware_bridge.floor.check.ANSWER_S", 0.1)  # no broker is there

    def run(self, line: Line) -> int:
        """Runs a line. What would be a traceback is raised."""
        for name in ("fresh.key", "users.json"):
            (self._folder / name).unlink(missing_ok=True)
        words = [*line.words, *self.config(line)]
        self.patch.setattr(sys, "argv", ["shoe", *words])
        try:
            return (floor_cli if line.program == "floor" else cli).main(words)
        except SystemExit as end:
            return int(end.code or 0)

    def config(self, line: Line) -> list[str]:
        if "--config" in line.words or "--config" not in PARSERS[line.program][command_of(line)]._option_string_actions:
            return []
        folder = "answers/" if line.words[0] in ASKING else ""
        return ["--config", f"{folder}{'floor' if line.program == 'floor' else 'bridge'}.toml"]

    def ended(self, line: Line, encoding: str = "utf-8", lang: str = "en_US") -> Ended:
        """A line, run with pipes of an encoding."""
        files = self._folder / "out", self._folder / "err"
        with files[0].open("w", encoding=encoding) as out, files[1].open("w", encoding=encoding) as err:
            self.patch.setenv("LANG", f"{lang}.UTF-8")
            with streams(self.patch, stdout=out, stderr=err):
                code = self.run(line)
        return Ended(code, *(each.read_bytes() for each in files))


def _ended(seconds: float) -> None:
    """Ctrl-C in the place of a wait for a table that is gone."""
    if seconds >= AGAIN_S:
        raise KeyboardInterrupt


ALL_ORDERS: Final = [words[1].replace("-", "_") for words in PARSERS["shoe"] if words[:1] == ("do",) and words[1:]]


@contextmanager
def gone(kind: str, folder: Path) -> Iterator[dict[str, IO[str] | None]]:
    """The streams of a kind of `CLOSED`."""
    which, how = kind.split()
    names = ["stdin", "stdout", "stderr"] if which == "all" else [which]
    with ExitStack() as opened:
        given: dict[str, IO[str] | None] = {
            name: opened.enter_context((folder / name).open("w", encoding="utf-8")) for name in ("stdout", "stderr")
        }
        if how == "closed":
            yield given | dict.fromkeys(names, None)
        else:
            reader, writer = os.pipe()
            os.close(reader)
            yield given | {which: opened.enter_context(os.fdopen(writer, "w", encoding="utf-8"))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lines")
    (folder / "answers").mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text.format((folder / name).parent))
    record(folder / "j", "9s 8h Tc Kd", burn="none", pit="貴賓廳")
    filled(folder / "floor.db")
    return folder


@pytest.fixture
def scene(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    made = Scene(folder, monkeypatch)
    shown = status("9s ??")
    answers = dict.fromkeys([*ALL_ORDERS, "enter", "preview"], REFUSED) | {"status": shown, "watch": shown}
    with answering(folder / "answers" / "bridge.toml", **answers):
        yield made
    (folder / "answers" / "j" / "control.sock").unlink()


@pytest.mark.parametrize("kind", CLOSED)
def test_no_line_needs_a_reader(kind: str, scene: Scene, tmp_path: Path) -> None:
    """What nobody can read is left out, and nothing else: not the work, its code, or what the other stream has."""
    wrong = []
    for each in of_a_day(KINDS.index(kind)):
        with gone(kind, tmp_path) as given, streams(scene.patch, **given):
            code = scene.run(each)
        wanted = each.code if kind.startswith("stderr") else each.cut
        if code != wanted:
            wrong.append((each, code))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("kind", LETTERS)
def test_no_line_needs_a_letter(kind: str, scene: Scene) -> None:
    """Another letter stands for one that a terminal cannot show; nothing is lost in what programs read."""
    encoding, lang = kind.split()
    wrong = []
    for each in of_a_day(KINDS.index(kind)):
        with scene.patch.context() as patch:
            patch.setattr(
                "firmware_bridge.config.streams.can_show", lambda text: _in(encoding, text, "strict") is not None
            )
            plain = scene.ended(each, "utf-8", lang)
        ended = scene.ended(each, encoding, lang)
        is_random = str(each).startswith(RANDOM)
        same = all(is_random or _is_same(*parts, encoding) for parts in zip(plain[1:], ended[1:], strict=True))
        if ended.code != each.code or not same:
            wrong.append((each, plain, ended))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_terminal_that_cannot_move_gets_plain_lines(lang: str, scene: Scene) -> None:
    scene.patch.setenv("LANG", f"{lang}.UTF-8")
    scene.patch.setenv("TERM", "dumb")
    wrong = []
    for each in of_a_day(len(CLOSED) + LANGUAGES.index(lang)):
        with terminal(40, scene.patch, is_raw=True) as lines:
            code = scene.run(each)
        if code != each.code or "\x1b" in "".join(lines):
            wrong.append((each, code, lines))
    assert not wrong, "\n".join(map(str, wrong))


def test_every_command_has_a_line() -> None:
    commands = {(each.program, command_of(each)) for each in EVERY_LINE}
    assert {
        (name, words) for name, found in PARSERS.items() for words, each in found.items() if not _has(each)
    } <= commands


def _has(parser: argparse.ArgumentParser) -> bool:
    """Whether a parser has commands below it."""
    return any(isinstance(each, argparse._SubParsersAction) for each in parser._actions)


@pytest.mark.parametrize("module", ["firmware_bridge", "firmware_bridge.floor"])
def test_a_closed_stream_is_no_file_that_is_opened_later(module: str, tmp_path: Path) -> None:
    """Without streams the first files that a process opens would be 0, 1 and 2, and get what it prints."""
    words = {"firmware_bridge": "key new", "firmware_bridge.floor": "key new cage"}[module]
    command = f"exec {sys.executable} -m {module} {words} --file {tmp_path}/key <&- >&- 2>&-"
    assert run(["sh", "-c", command]).returncode == 0
    assert len((tmp_path / "key").read_bytes()) == 32


LOCALES: Final = {"zh_TW": "BIG5", "zh_CN": "GB2312", "en_US": "ISO-8859-1"}


@pytest.mark.skipif(not EVERY or not Path("/usr/share/i18n/charmaps").exists(), reason="once, with Debian's locales")
@pytest.mark.parametrize("lang", LOCALES)
def test_a_real_locale_shows_what_it_has(lang: str, scene: Scene, tmp_path: Path) -> None:
    name = f"{lang}.{LOCALES[lang]}"
    run(["localedef", "-c", "-i", lang, "-f", LOCALES[lang], tmp_path / name])
    env = os.environ | {"LOCPATH": str(tmp_path), "LC_ALL": name, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for each in [each for each in EVERY_LINE if str(each).isascii()][::3]:
        module = "firmware_bridge.floor" if each.program == "floor" else "firmware_bridge"
        words = [*each.words, *scene.config(each)]
        done = ran("-m", module, *words, execute=True, env=env, errors="replace", stdin=subprocess.DEVNULL)
        assert (done.returncode, "Traceback" in done.stderr) == (each.code, False), (each, done)


def _is_same(plain: bytes, found: bytes, encoding: str) -> bool:
    """Whether an output has what it has in UTF-8, shown as well as can be, or, as a document, the same value."""
    text = plain.decode()
    if any(map(text.startswith, DOCUMENTS)):
        return _value(found.decode(encoding if text.startswith("[table]") else "utf-8")) == _value(text)
    for letter, sign in SIGNS.items():
        text = text.replace(sign, letter)
    return _steady(_in(encoding, text, SHOWN).decode(encoding)) == _steady(found.decode(encoding))


def _value(text: str) -> object:
    """The value of a document."""
    with suppress(ValueError):
        return tomllib.loads(text)
    with suppress(ValueError):
        return [_steady(json.dumps(json.loads(line))) for line in text.splitlines()]
    return _steady(text)


def _steady(text: str) -> str:
    return re.sub(r"\d+", "0", text)


def _in(encoding: str, text: str, errors: str) -> bytes | None:
    try:
        return text.encode(encoding, errors)
    except UnicodeEncodeError:
        return None


def test_a_signal_joins_no_two_json_documents(mocker: MockerFixture) -> None:
    written: list[str] = []
    mocker.patch.object(sys, "stdout", mocker.Mock(encoding="utf-8", write=written.append))
    print_json('{"say": "pull 5 cards"}', flush=True)
    assert written == ['{"say": "pull 5 cards"}\n'], "an exception of a signal may come between two writes"
