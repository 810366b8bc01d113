"""The page of what readers and keypads do when something is wrong, each kind of trouble at each protocol."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from tests.kit.reader_plays import ENDED_BY, FOREIGN, KINDS, NOT_READ, PROTOCOLS, cells, play
from tests.kit.reader_stage import Seen

LAMPS: Final = {"dark": "dark", "steady": "steady", "blocked": "fast blink", "confirm": "slow blink"}

CANNOT_KNOW: Final = {(kind, protocol) for (kind, _), protocols in ENDED_BY.items() for protocol in protocols}
"""Cells in which no device can know which card it was; the row behind them has what ends it."""

COMPARES: Final = {
    *("reader_gap", "reader_lost", "reader_back", "reader_not_understood", "reader_unanswered"),
    *("keypad_lost", "keypad_not_understood"),
}
"""Alarms at which people look at the table, or take over: what is missing before them is seen."""

SAME: Final = {"read_again", "duplicate"}
"""Alarms at which people say that a card which waits is the one before."""

BEGIN, END = "<!-- played: begin -->\n", "<!-- played: end -->\n"


def mistakes(seen: Seen) -> list[str]:
    """What must not be: a card that was not drawn, one too many, or one that is missing without a word of its own."""
    rest, before = [*seen.drawn], ""
    is_compared, may_be_same = COMPARES & {*seen.alarms}, SAME & {*seen.alarms}
    found = list[str]()
    for n, card in enumerate(seen.line):
        if n >= len(seen.dealt) and rest[:1] in ([FOREIGN], [NOT_READ]):
            card = rest[0]  # as it waits
        if is_compared and card in rest:
            del rest[: rest.index(card)]
        if rest and (card == rest[0] or (card is None and not is_compared)):
            before = rest.pop(0)
        elif n < len(seen.dealt) or not ((may_be_same and card == before) or (is_compared and card is None)):
            found.append(f"{card} is wrong or one too many")
    if rest and not is_compared:
        found.append(f"{rest} without a word")
    return found


def row(cell: tuple[str, str], seen: Seen) -> str:
    """The cells of a play: cards or keys, lamp, what a technician reads."""
    cards = f"{len(seen.dealt)} of {len(seen.drawn)} dealt" if seen.drawn else "none passes"
    if seen.dealt == seen.drawn and seen.drawn:
        cards = "all dealt"
    elif seen.drawn and len(seen.dealt) == len(seen.drawn):
        cards = "one dealt as another"
    elif len(seen.dealt) > len(seen.drawn):
        cards = f"{len(seen.dealt)} dealt of {len(seen.drawn)}"
    cards += f", {seen.waiting} held" if seen.waiting else ""
    cards += "; **cannot know**" if cell in CANNOT_KNOW else ""
    alarms = ", ".join(f"`{each}`" for each in seen.alarms) or "-"
    return f"{cards} | {LAMPS[seen.lamp]} | {alarms} | {seen.check}"


def table(played: dict[tuple[str, str], Seen]) -> str:
    """The rows of the page; protocols of a kind with the same cells share one."""
    lines = ["| trouble | `protocol` | cards | lamp `fault` | alarms | `shoe check` |", "|---|---|---|---|---|---|"]
    for kind in KINDS:
        rows: dict[str, list[str]] = {}
        for cell, seen in played.items():
            if cell[0] == kind:
                rows.setdefault(row(cell, seen), []).append(f"`{cell[1]}`")
        for text, protocols in rows.items():
            who = "all" if len(protocols) == len(PROTOCOLS) else ", ".join(protocols)
            lines.append(f"| {kind} | {who} | {text} |")
    return "\n".join(lines) + "\n"


def rows_of(page: str) -> dict[tuple[str, str], str]:
    """What the page says of each cell."""
    found = {}
    for line in page.partition(BEGIN)[2].partition(END)[0].splitlines()[2:]:
        kind, who, text = line.strip("| ").split(" | ", 2)
        for protocol in PROTOCOLS if who == "all" else who.replace("`", "").split(", "):
            found[kind, protocol] = text
    return found


def placed(page: str, rows: str) -> str:
    """The page with these rows between its marks."""
    head, begin, rest = page.partition(BEGIN)
    return head + begin + rows + END + rest.partition(END)[2]


def main() -> None:
    """Play all, and write docs/readers.md."""
    page = Path(__file__).parents[2] / "docs/readers.md"
    played = {}
    for cell in cells():
        with tempfile.TemporaryDirectory() as folder:
            played[cell] = play(Path(folder), *cell)
    page.write_text(placed(page.read_text("utf-8"), table(played)))


if __name__ == "__main__":
    main()
