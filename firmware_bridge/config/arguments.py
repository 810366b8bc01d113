"""Exit codes of all commands, and a parser that says which word was probably meant."""

import argparse
import re
import shlex
import shutil
import sys
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from enum import IntEnum
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from firmware_bridge.config.plain import warn, wrapped
from firmware_bridge.facts import names
from firmware_bridge.facts.printable import REMEDY, did_you_mean, escaped, fault, nearest

Add = Callable[[str, str, object], argparse.ArgumentParser]
"""Adds a command: its name, its help, and what carries it out."""


class Exit(IntEnum):
    """How a command ended; the same code means the same everywhere."""

    FINE = 0
    FAILED = 1
    USAGE = 2
    NO_DAEMON = 3
    CONFIG = 78
    INTERRUPTED = 130


MEANINGS: Final = {
    Exit.FINE: "done; of a check: in order",
    Exit.FAILED: "a check found a fault, the table is stopped, an order was refused, or the work could not be done",
    Exit.USAGE: "wrong usage: an unknown word, card or option, or options that contradict each other",
    Exit.NO_DAEMON: "the daemon of the table is not running, or does not answer",
    Exit.CONFIG: "the config is wrong, or a journal or store is damaged, of another version or of another table",
    Exit.INTERRUPTED: "ended by Ctrl-C",
}
"""Exit code -> what it means."""

ENVIRONMENT: Final = {
    "NO_COLOR": "set to anything: no command writes colours",
    "COLUMNS": "the width to wrap at, also where the output is no terminal; there, nothing is wrapped without it",
    "PAGER": "what shoe help shows long texts with (less); empty or cat: no pager",
}
"""Variable of the environment -> what it does to every command."""

_NUMBER: Final = re.compile(r"invalid (int|float) value: (.*)")
_OPTION: Final = re.compile(r"^argument (?=-)")


@contextmanager
def installed(command: str) -> Iterator[None]:
    """End the command with one line where it needs a package that is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        if missing in ("None", "firmware_bridge", "hardware"):
            raise
        warn(f"{command}: the Python module {missing} is missing: install this again, by pip without --no-deps")
        sys.exit(Exit.FAILED)


class Parser(argparse.ArgumentParser):
    """Parser that reports a mistake in one line, and asks what was meant where a known word is near."""

    def error(self, message: str) -> NoReturn:
        """End the command: wrong usage."""
        mistake = _NUMBER.sub(r"\2 is not \1", _OPTION.sub("", message), 1)
        mistake = mistake.replace("is not int", "is not a whole number").replace("is not float", "is not a number")
        see = f"see {self.prog} --help"
        warn(escaped(f"{self.prog}: {self.worded(mistake, see)}"))
        self.exit(Exit.USAGE)

    @staticmethod
    def worded(mistake: str, see: str) -> str:
        """Return a mistake in one line, with the place to read on."""
        return f"{mistake}{'' if mistake.endswith('?') else ';'} {see}"

    def format_help(self) -> str:
        """Return the help, with the choices of an option folded where they are wider than the terminal."""
        width = shutil.get_terminal_size().columns
        lines = (_folded(line, width) if len(line) > width else line for line in super().format_help().splitlines())
        parts = (part for line in lines for part in line.splitlines() or [""])
        return "".join(f"{each}\n" for part in parts for each in _narrowed(part, width))

    def parse_known_args(  # type: ignore[override]  # typeshed has overloads for a namespace of another type
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Read all words: one that is left over is a mistake, reported by the command that it was given to."""
        words = sys.argv[1:] if args is None else list(args)
        first = words[0].partition("=")[0] if words else ""
        if first.startswith("--") and not any(each.startswith(first) for each in self._option_string_actions):
            self.error(self._too_early(words) or self._left_over(words))  # its value would be taken for a command
        if words and not first.startswith("-") and (early := self._too_early(words)):
            self.error(early)
        found, rest = super().parse_known_args(words, namespace)
        if late := self._left_out(found, rest):
            setattr(found, late, rest.pop())
        if rest:
            self.error(self._left_over(rest))
        return found, rest

    def _too_early(self, words: Sequence[str]) -> str:
        """Return the mistake of words before a command, `list journal` or `--json status`; "" if that is none."""
        commands = next((each for each in self._actions if isinstance(each, argparse._SubParsersAction)), None)
        known = list(commands.choices) if commands else []
        place = next((n for n, word in enumerate(words) if word in known), 0)
        near = nearest(words[0], self._option_string_actions if words[0].startswith("-") else known)
        if not commands or not place or near:
            return ""
        line = shlex.join([words[place], *words[:place], *words[place + 1 :]])
        return f"the {str(commands.metavar).lower()} comes first: {self.prog} {line}"

    def _left_out(self, found: Any, rest: Sequence[str]) -> str:
        """Return the last word of a command that may be left out, and was before an option: `GAME --json FILE`."""
        last = next((each for each in reversed(self._actions) if not each.option_strings), None)
        is_word = len(rest) == 1 and (rest[0] == "-" or not rest[0].startswith("-"))
        is_out = last is not None and last.nargs == "?" and getattr(found, last.dest) is last.default
        return last.dest if last and is_word and is_out else ""

    def _left_over(self, rest: Sequence[str]) -> str:
        word = rest[0].partition("=")[0]
        if not word.startswith("-"):
            return f"{rest[0]!r} is one word too many"
        return f"{word} is unknown{_asked(word, self._option_string_actions)}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is no choice, with the nearest one."""
        if action.choices is None or value in action.choices:
            return
        known = list(map(str, action.choices))
        if isinstance(action, argparse._SubParsersAction):
            noun = str(action.metavar).lower()
            article = "an" if noun[:1] in "aeiou" else "a"
            self.error(f"{value!r} is not {article} {noun}{_asked(str(value), known)}")
        raise argparse.ArgumentError(action, f"{value!r} is unknown; {did_you_mean(str(value), known, one_of(known))}")


def file_to_write(text: str) -> Path:
    """Return a file's path. Raises ArgumentTypeError for a directory: of `there/` a path keeps `there`, as a file."""
    if text.endswith("/") or Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a directory: name a file in it")
    return Path(text)


def port(text: str) -> int:
    """Return a port. Raises ArgumentTypeError."""
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: write 1 to 65535, such as 1883")
    return int(text)


def speed(text: str) -> float:
    """Return how fast a simulated dealer is; 1 is human. Raises ArgumentTypeError."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.01 <= found <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a speed: write 1 for a human dealer, 50 for a quick look")
    return found


def line(what: str, most: int) -> Callable[[str], str]:
    """Return a reader of a text of one line of at most so many characters, as a record keeps it. what: it in a word."""

    def read(text: str) -> str:
        if wrong := fault(text, most):
            raise argparse.ArgumentTypeError(f"the {what} {wrong}: {REMEDY}")
        return text

    return read


def person(text: str) -> str:
    """Read the name of a person, as a record keeps it. Raises ArgumentTypeError."""
    if wrong := names.unfit(text, names.LONGEST):
        raise argparse.ArgumentTypeError(f"the name {wrong}: {names.REMEDY}")
    return text


def day(text: str) -> str:
    """Return a day, YYYY-MM-DD. Raises ArgumentTypeError."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day: write it as 2026-11-20") from None


class Days(NamedTuple):
    """A day, or a month: its first day and its last, YYYY-MM-DD."""

    first: str
    last: str


def days(text: str) -> Days:
    """Return a day, YYYY-MM-DD, or a month, YYYY-MM. Raises ArgumentTypeError."""
    try:
        year, month, *rest = map(int, text.split("-"))
        last = date.fromisoformat(text).day if rest else monthrange(year, month)[1]
        first = date(year, month, last if rest else 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day: write it as 2026-11-20, a month as 2026-11") from None
    return Days(first.isoformat(), first.replace(day=last).isoformat())


def one_of(known: Iterable[str]) -> str:
    """Return the words to choose from, as a hint."""
    return f"use one of: {', '.join(known)}"


def _asked(word: str, known: Iterable[str]) -> str:
    """Return a "did you mean" behind a message; "" where nothing is near, since --help lists all."""
    question = did_you_mean(word, known, "")
    return f"; {question}" if question else ""


def _narrowed(line: str, width: int) -> Iterable[str]:
    """Return a line that fits: with less indentation where that is enough, else wrapped."""
    word = line.lstrip()
    if len(word) < len(line) > width >= len(word):
        return [" " * (width - len(word)) + word]
    return wrapped(line, width) if len(line) > width else [line]


def _folded(line: str, width: int) -> str:
    """Return a line in lines of this width, broken behind a comma or a bar, or before choices."""
    head, *rest = re.split(r"(?<=[,|])|(?= \{)", line)
    lines = [head]
    for part in rest:
        if len(lines[-1]) + len(part) <= width:
            lines[-1] += part
        else:
            lines.append(" " * min(len(line) - len(line.lstrip()) + 2, width // 2) + part.lstrip())
    return "\n".join(lines)
