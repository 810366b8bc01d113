"""Did you mean: which of the known words somebody meant who wrote another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

PART: Final = 3
"""One letter in so many may be wrong."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word with the fewest mistakes, None where all have too many; the first of several."""
    few = [(count, each) for each in known if (count := mistakes(word, each)) <= max(len(word), len(each)) // PART]
    return min(few, key=lambda found: found[0])[1] if few else None


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """The question that a wrong word deserves; `otherwise` where no known word is near."""
    return f"did you mean {near}?" if (near := nearest(word, known)) else otherwise


def mistakes(word: str, meant: str) -> int:
    """Letters that are missing, too many or others, and neighbours that are swapped; capitals are none."""
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
