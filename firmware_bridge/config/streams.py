"""Standard streams of every command: closed ones, readers that go before the end, terminals without some letters."""

import codecs
import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TextIO
from unicodedata import combining, east_asian_width, normalize

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.printable import escaped_json

if TYPE_CHECKING:  # most commands speak English: they load no texts
    from firmware_bridge.topics.texts import Language

SHOWN: Final = "shown"
"""The error handler of both outputs: what their encoding lacks is a letter that looks alike, else `?`."""

ALIKE: Final = dict(zip("枱裡·•●◆◇×–—−‘’“”→←✓✕█░、。「」『』", '檯裏.**++x---\'\'""><+x#-,.""""', strict=True))
"""Letter -> one that stands for it where an encoding lacks it."""

USUAL: "Final[dict[Language, str]]" = {"zh-Hant": "請輸入無法讀取的牌與張數", "zh-Hans": "请输入无法读取的牌与张数"}
"""Language -> usual letters; an encoding that lacks one of them would show it full of question marks."""


class Output(io.FileIO):
    """Standard output. Once its reader has gone, what is written is discarded, and the command goes on to its code.

    is_cut: whether something was discarded. is_all: whether the output is all that the command is for, so that it
    ends there with BrokenPipeError. is_gone: whether nothing can be written any more, as where it was closed before.
    """

    is_cut = is_all = is_gone = False

    def write(self, content: Any) -> int:
        """Write bytes, return how many. Raises LostOutput if they cannot be written for another reason."""
        try:
            while not self.is_gone:
                if (count := super().write(content)) is not None:
                    return count
                select.select([], [self], [])  # another program has set it to wait for nothing
        except BrokenPipeError:
            self.is_gone = True
        except OSError as error:
            self.is_gone = self.is_cut = True
            raise LostOutput(f"the output cannot be written: {error.strerror}", "write it elsewhere") from None
        is_first, self.is_cut = not self.is_cut, True
        if self.is_all and is_first:
            raise BrokenPipeError
        return len(content)

    def interrupt(self) -> None:
        """Discard what is not written yet where the reader does not read: the command must end all the same."""
        if not select.select([], [self], [], 0)[1]:
            self.is_gone = self.is_cut = True


class _Errors(Output):
    """Standard error: where it cannot be written, there is no place to say so."""

    def write(self, content: Any) -> int:
        with suppress(LostOutput):
            return super().write(content)
        return len(content)


class LostOutput(BridgeError):
    """Standard output that takes nothing, as a file on a full disk."""


@contextmanager
def outlived() -> Iterator[Output]:
    """Make standard output an `Output`, and all three streams such that no command fails by them.

    A stream that was replaced, by a test, stays as it is.
    """
    _open_closed()
    before = sys.stdin, sys.stdout, sys.stderr
    output, errors = _kept(sys.stdout, sys.__stdout__, Output), _kept(sys.stderr, sys.__stderr__, _Errors)
    sys.stdout, sys.stderr = output or sys.stdout, errors or sys.stderr
    if sys.stdin is None:
        sys.stdin = open(_nowhere(), encoding="utf-8", closefd=False)  # noqa: SIM115  # as long as the process
    elif isinstance(sys.stdin, io.TextIOWrapper) and sys.stdin is sys.__stdin__:
        sys.stdin.reconfigure(errors="replace")
    raw = getattr(getattr(output, "buffer", None), "raw", None)
    try:
        yield raw or Output(_nowhere(), "w", closefd=False)
    finally:
        with suppress(BrokenPipeError, LostOutput):  # of `--help`, which has nothing more to say
            sys.stdout.flush()
        sys.stderr.flush()
        sys.stdin, sys.stdout, sys.stderr = before


def is_utf() -> bool:
    """Return whether standard output takes every letter."""
    return _encoding().lower().startswith("utf")


def can_show(text: str) -> bool:
    """Return whether the encoding of standard output has all letters of a text."""
    try:
        text.encode(_encoding())
    except UnicodeEncodeError:
        return False
    return True


def legible(lang: "Language") -> "Language":
    """Return a language; English where standard output lacks its letters."""
    return lang if can_show(USUAL.get(lang, "")) else "en"


def print_json(document: str, *, flush: bool = False) -> None:
    """Print a JSON document of one line, in ASCII where the output is not UTF-8: its value stays the same."""
    line = escaped_json(document)
    # Its end in the same call: `print` writes it by another, and a signal's exception between them joins two documents.
    sys.stdout.write(f"{line if is_utf() else ''.join(map(_in_json, line))}\n")
    if flush:
        sys.stdout.flush()


def print_toml(document: str) -> None:
    """Print a TOML document, with escapes for letters that the output lacks: its values stay the same."""
    print(document if is_utf() else "".join([each if can_show(each) else _in_toml(each) for each in document]))


def as_utf8() -> TextIO:
    """Return standard output, from now on in UTF-8 on every terminal: for what is a file of programs, as an export."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors=SHOWN)
    return sys.stdout


def _open_closed() -> None:
    """Open closed file descriptors of standard streams: else the next file that is opened, a journal, would be one."""
    for file in range(3):
        try:
            os.fstat(file)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number, which is this one


@cache
def _nowhere() -> int:
    return os.open(os.devnull, os.O_RDWR)


def _kept(stream: Any, given: Any, kind: type[Output]) -> io.TextIOWrapper | None:
    """Return the stream of a command in place of the given one; None where it was replaced."""
    if stream is not None and stream is not given:
        return None
    output = kind(_nowhere() if stream is None else stream.fileno(), "w", closefd=False)
    output.is_gone = stream is None
    is_by_line = kind is _Errors or (stream is not None and stream.line_buffering)
    encoding = "utf-8" if stream is None else stream.encoding
    return io.TextIOWrapper(io.BufferedWriter(output), encoding, SHOWN, line_buffering=is_by_line)


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def _shown(error: UnicodeError) -> tuple[str, int]:
    """Return the error handler `SHOWN`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join([_alike(each, error.encoding) for each in error.object[error.start : error.end]]), error.end


def _alike(letter: str, encoding: str) -> str:
    """Return a letter of this encoding, no wider than the one that it lacks."""
    folded = "".join([each for each in normalize("NFKD", letter) if not combining(each)])
    for each in (ALIKE.get(letter, ""), folded):
        with suppress(UnicodeEncodeError):
            each.encode(encoding)
            if each and len(each) <= 1 + (east_asian_width(letter) in "WF"):
                return each
    return "" if combining(letter) else "?"


def _in_json(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    return letter if letter.isascii() else "".join([f"\\u{units[n : n + 2].hex()}" for n in range(0, len(units), 2)])


def _in_toml(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if ord(letter) <= 0xFFFF else f"\\U{ord(letter):08x}"


codecs.register_error(SHOWN, _shown)
