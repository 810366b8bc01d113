"""Checks and escapes texts from outside, and finds the known name that a wrong one is nearest to."""

import re
from collections.abc import Iterable
from typing import Any, Final

CLASS: Final = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
"""Characters that move a cursor, begin a line or change the text direction, as the class of a pattern."""

PATTERN: Final = rf"^[^{CLASS}]*$"
"""A text without such a character, for JSON Schema."""

REMEDY: Final = "write one short line of printable characters"
"""What to do about a `fault`."""

_CONTROL: Final = re.compile(rf"[{CLASS}\ud800-\udfff]")


def fault(text: str, most: int) -> str | None:
    """Return the fault of a text of at most `most` characters, a phrase that follows its name; None for none."""
    if len(text) > most:
        return f"is too long: at most {most} characters"
    if found := _CONTROL.search(text):
        return f"contains the character {escaped(found[0])}"
    return None


def escaped(text: str) -> str:
    r"""Return the text in one line, control characters written as `\n`, `\x1b` or `\u2028`."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def escaped_json(document: str) -> str:
    """Return the same for a JSON document of one line; its value stays the same."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


def harmless(value: Any) -> Any:
    """Return a JSON value with every text in it `escaped`."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, dict):
        return {name: harmless(each) for name, each in value.items()}
    return [harmless(each) for each in value] if isinstance(value, list) else value


PART: Final = 3
"""Letters of a word for each one that may be wrong."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word with the fewest mistakes, None where all have too many; the first of several."""
    most = {each: max(len(word), len(each)) // PART for each in known}
    alike = [each for each in most if abs(len(word) - len(each)) <= most[each]]  # each letter more is a mistake
    few = [(count, each) for each in alike if (count := mistakes(word, each)) <= most[each]]
    return min(few, key=lambda found: found[0])[1] if few else None


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """Return a "did you mean" question for a wrong word; `otherwise` where no known word is near."""
    return f"did you mean {near}?" if (near := nearest(word, known)) else otherwise


def mistakes(word: str, meant: str) -> int:
    """Return the edit distance with swaps of neighbours, capitals ignored."""
    a, b = word.casefold(), meant.casefold()
    rows = [list(range(len(b) + 1))]
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            least = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and (letter, a[i - 2]) == (b[j - 2], other):
                least = min(least, rows[-2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]
