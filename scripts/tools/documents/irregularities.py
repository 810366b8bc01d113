"""The page of irregularities: its tables of alarms are made from the book; the rest is written by hand."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from firmware_bridge.facts.book.alarms import BRIDGE, DISK, KEEP_ORDER, POLICIES, SHOE, AlarmRow
from firmware_bridge.facts.house import Row
from firmware_bridge.topics.texts import alarms

PAGE: Final = Path(__file__).parents[3] / "docs/irregularities.md"

_TABLE: Final = r"(?<=\n## {}\n)(.*?\n\|(?:---\|)+\n).*?(?=\n\n)"


def page() -> str:
    """The whole page, with the rows of each table of alarms."""
    tables = {f"`{policy}`": _of_policy(policy) for policy in POLICIES}
    tables |= {"Alarms of the bridge": _of_bridge(), "What an alarm says": _values()}
    text = PAGE.read_text("utf-8")
    for title, rows in tables.items():
        text = _with_rows(text, title, rows)
    return text


def _with_rows(text: str, title: str, rows: Iterator[str]) -> str:
    table = re.compile(_TABLE.format(re.escape(title)), re.S)
    return table.sub(lambda found: found[1] + "\n".join(rows), text, count=1)


def _of_policy(policy: str) -> Iterator[str]:
    """The alarms of a policy; of any but the default those in which it differs."""
    for id, row in POLICIES[policy].items():
        if policy == "keep-order" or row != KEEP_ORDER[id]:
            choices = ", ".join(f"`{choice}`" for choice in row.choices) or "-"
            yield f"| `{id}` | {alarms.todo('en', id, policy)} | {_blocked(row)} | {choices} |"


def _of_bridge() -> Iterator[str]:
    for id, row in BRIDGE.items():
        yield _named_row(id, row, row.values)
    for id, row in DISK.items():
        yield _named_row(id, row, {})


def _named_row(id: str, row: AlarmRow, values: dict[str, Any]) -> str:
    name, todo = alarms.name("en", id, values), alarms.todo("en", id, "", values)
    return f"| `{id}` | {name} | {todo} | {_blocked(row.house)} | {row.house.severity} |"


def _blocked(row: Row) -> str:
    return ("yes" if row.blocks else "no") + (", confirm" if row.confirm else "")


def _values() -> Iterator[str]:
    for by, book in (("shoe", SHOE), ("bridge", BRIDGE), ("bridge, stopped", DISK)):
        for id, row in book.items():
            if row.values:
                yield f"| `{id}` | {by} | {_named(row)} |"


def _named(row: AlarmRow) -> str:
    return ", ".join(f"`{name}` ({kind})" for name, kind in row.values.items())
