"""Makes `firmware_bridge/facts/letters.json` from the tables in ICU: `python -m scripts.tools.letters`.

ICU (libicu of Debian) carries the data of Unicode and of Unicode TS 39, and is kept by the Unicode Consortium.
"""

from __future__ import annotations

import ctypes
import json
import unicodedata
from collections.abc import Callable, Iterator
from ctypes.util import find_library
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from firmware_bridge.facts import names

FILE: Final = Path(names.__file__).with_name("letters.json")

IGNORABLE: Final = 5
"""UCHAR_DEFAULT_IGNORABLE_CODE_POINT of uchar.h."""

SURROGATES: Final = range(0xD800, 0xE000)
LETTERS: Final = tuple(each for each in range(0x110000) if each not in SURROGATES)

WIDTH: Final = 118


class Icu:
    """The functions of ICU that are needed. Raises OSError where it is not installed."""

    def __init__(self) -> None:
        found = find_library("icuuc"), find_library("icui18n")
        if not all(found):
            raise OSError("ICU is missing: sudo apt install libicu-dev")
        self._version = str(found[0]).rpartition(".")[2]
        self._common, self._spoof = map(ctypes.CDLL, found)
        checker = self._of(self._spoof, "uspoof_open", ctypes.c_void_p)
        self._checker = ctypes.c_void_p(checker(ctypes.byref(ctypes.c_int())))
        self._skeleton = self._of(self._spoof, "uspoof_getSkeletonUTF8")
        self._scripts = self._of(self._common, "uscript_getScriptExtensions")
        self._short = self._of(self._common, "uscript_getShortName", ctypes.c_char_p)
        self._has = self._of(self._common, "u_hasBinaryProperty")

    def _of(self, library: ctypes.CDLL, name: str, gives: Any = ctypes.c_int) -> Callable[..., Any]:
        function = library[f"{name}_{self._version}"]
        function.restype = gives
        return function

    def unicode(self) -> str:
        """Return the version of Unicode, as `15.0`."""
        version = (ctypes.c_uint8 * 4)()
        self._of(self._common, "u_getUnicodeVersion", None)(version)
        return f"{version[0]}.{version[1]}"

    def skeleton(self, text: str) -> str:
        """Return the skeleton of a text (Unicode TS 39)."""
        given, out = text.encode(), ctypes.create_string_buffer(1_000)
        length = self._skeleton(self._checker, 0, given, len(given), out, len(out), ctypes.byref(ctypes.c_int()))
        return out.raw[:length].decode()

    def scripts(self, letter: int) -> str:
        """Return the scripts in which a letter is used, with a blank between."""
        found = (ctypes.c_int * 64)()
        count = self._scripts(letter, found, len(found), ctypes.byref(ctypes.c_int()))
        return " ".join(sorted(self._short(each).decode() for each in found[:count]))

    def is_ignorable(self, letter: int) -> bool:
        """Return whether nothing is shown for a letter."""
        return bool(self._has(letter, IGNORABLE))


def made(icu: Icu) -> str:
    """Return the file."""
    scripts = [(next(same), name) for name, same in groupby(range(0x110000), icu.scripts)]
    unseen = [each for _, same in groupby(LETTERS, icu.is_ignorable) for each in _ends(list(same), icu)]
    looks: dict[str, str] = {}
    for letter in LETTERS:
        shown = chr(letter)
        if unicodedata.normalize("NFKD", shown) != shown or icu.is_ignorable(letter):
            continue  # names are normalised before they are compared
        if (like := icu.skeleton(shown)) != shown:
            looks[like] = looks.get(like, "") + shown
    parts = {
        "scripts": {
            name: [first for first, each in scripts if each == name] for name in sorted({n for _, n in scripts})
        },
        "unseen": unseen,
        "looks": dict(sorted(looks.items())),
    }
    head = f"of Unicode {icu.unicode()}, by scripts/tools/letters.py"
    rows = [f'"made": "{head}"', *(f'"{name}":\n{_wrapped(part)}' for name, part in parts.items())]
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _ends(same: list[int], icu: Icu) -> Iterator[tuple[int, int]]:
    if icu.is_ignorable(same[0]):
        yield same[0], same[-1]


def _wrapped(value: Any) -> str:
    """Return JSON in lines; a line ends only behind a comma."""
    lines = [""]
    for part in json.dumps(value, separators=(",\n", ":")).split("\n"):
        if len(lines[-1]) + len(part) > WIDTH:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


if __name__ == "__main__":
    FILE.write_text(made(Icu()), "ascii")
