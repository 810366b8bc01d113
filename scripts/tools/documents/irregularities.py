"""The page of irregularities: its tables of alarms and failures are made from the book; the rest is by hand."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from firmware_bridge.facts.book.alarms import BRIDGE, DISK, KEEP_ORDER, POLICIES, SHOE, AlarmRow
from firmware_bridge.facts.book.failures import DISK as OF_DISK
from firmware_bridge.facts.book.failures import FAILURES, PARTS, READER, REMEDIES
from firmware_bridge.facts.book.refusals import Values
from firmware_bridge.facts.house import Row
from firmware_bridge.topics.texts import alarms, known

PAGE: Final = Path(__file__).parents[3] / "docs/irregularities.md"

_TABLE: Final = r"(?<=\n{}\n)(.*?\n\|(?:---\|)+\n).*?(?=\n\n)"

_LOST: Final = "`broker_lost` `why`"
_FAULT: Final = "`broker_fault` `why`"
_DISK: Final = "`disk_full`, `disk_error` `why`"
_READER: Final = "`reader_lost` `why`"
_LIMIT: Final = "`reader_fault` `why`"
_KEYPAD: Final = "`keypad_lost` `why`"

BROKER_IN: Final = dict.fromkeys(FAILURES, _LOST) | {
    "not_given": _FAULT,
    "no_puback": f"{_FAULT}; {_LOST}",
    "no_suback": f"{_FAULT}; {_LOST}",
    "announced": f"{_FAULT}; {_LOST}",
    "shared_name": f"{_LOST}; `shared`",
    "broke_often": f"{_LOST}; `shared`",
    "same_table": f"{_LOST}; `shared`",
}
"""Failure of the broker -> alarm and value in which it is, or the field of the status."""

DISK_IN: Final = {
    "journal_unread": "`disk` (alarm `journal_unread`)",
    "wait_for_card": "refusal `lease_disk_out` `todo`",
    "disk_silent": "`disk_error` `why`",
    "wait_for_disk": "`disk_error` `hint`",
    "journal_unwritable": _DISK,
    "check_mount": "`disk_error` `hint`",
    "directory_unusable": _DISK,
    "correct_directory": "`disk_error` `hint`",
    "free_space": "`disk_full` `hint`",
    "card_failing": "`disk_error` `hint`",
    "folder_in_place": "`disk_error` `hint`",
    "unconfirmed": "`disk_error` `why`",
    "write_not_undone": "`disk_error` `why`",
    "file_not_removed": "`disk_error` `why`",
    "file_unconfirmed": "`disk_error` `why`",
    "replace_disk": "`disk_error` `hint`",
    "journal_missing": "`journal_missing` `what`",
    "journal_unreadable": "`journal_damaged` `what`",
    "journals_missing": "`journal_missing` `what`",
}
"""Failure of the disk, or what to do about it -> where it is."""

READER_IN: Final = dict.fromkeys(READER, _READER) | {
    "too_many_cards": _LIMIT,
    "too_many_reports": _LIMIT,
    "keypad_lost": _KEYPAD,
    "keypad_lost_often": _KEYPAD,
}
"""Failure of a port, a reader or a keypad -> where it is."""

PART_IN: Final = dict.fromkeys(PARTS, "`login_marks` `marks`") | {
    "user": "`login`, `login_marks` `user`",
    "no_user": "`login`, `login_marks` `user`",
    "retain_missing": "`announced` `limit`",
    "qos_missing": "`announced` `limit`",
    "packets_of": "`announced` `limit`",
    "readers_found": "`no_reader`, `no_serial_port` `found`",
    "no_usb_reader": "`no_reader`, `no_serial_port` `found`",
}
"""Value of a failure -> the failure and its value."""


def page() -> str:
    """The whole page, with the rows of each table of alarms and failures."""
    tables = {f"## `{policy}`": _of_policy(policy) for policy in POLICIES}
    tables |= {"## Alarms of the bridge": _of_bridge(), "## What an alarm says": _values()}
    tables |= {
        "### Failures of the broker": _failures(FAILURES, BROKER_IN),
        "### What to do at the broker": _failures(REMEDIES, {}),
        "### Failures of the journal's disk": _failures(OF_DISK, DISK_IN),
        "### Failures of ports, readers and keypads": _failures(READER, READER_IN),
        "### Values of failures": _failures(PARTS, PART_IN),
    }
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
                yield f"| `{id}` | {by} | {_named(row.values)} |"


def _named(values: Values) -> str:
    return ", ".join(f"`{name}` ({kind})" for name, kind in values.items())


def _failures(rows: dict[str, Values], places: dict[str, str]) -> Iterator[str]:
    """The failures of a book. places: where each is; empty for a table without that column."""
    for code, values in rows.items():
        place = f"{places[code]} | " if places else ""
        yield f"| `{code}` | {_named(values) or '-'} | {place}{known('en', f'failure.{code}')} |"
