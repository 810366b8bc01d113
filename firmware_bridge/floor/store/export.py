"""What a store holds as JSON lines or CSV."""

from __future__ import annotations

import csv
import os
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

import msgspec

from firmware_bridge.floor.store import Store, StoreError, What

BODIES: Final = ("body", "other_body")
"""Columns that hold messages: objects in JSON, texts in CSV."""


def export(store: Store, what: What, table: str | None, journal: str | None, target: Path | None, form: str) -> int:
    """Write rows to a file, which appears whole or not at all, or to stdout; how many. Raises StoreError.

    form: `jsonl`, an object a line, or `csv`, with a line of names first. Bytes that are no message are in base64.
    """
    columns, count = store.columns(what), 0
    with _output(target) as out:
        sheet = csv.writer(out)
        if form == "csv":
            sheet.writerow(columns)
        for row in store.rows(what, table, journal):
            values = dict(zip(columns, row, strict=True))
            if form == "csv":
                sheet.writerow(_as_text(each) for each in values.values())
            else:
                out.write(
                    msgspec.json.encode({name: _as_json(name, each) for name, each in values.items()}).decode() + "\n"
                )
            count += 1
    return count


def _as_json(name: str, value: Any) -> Any:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if name in BODIES and isinstance(value, str) and "\n" not in value:
        return msgspec.Raw(value.encode())
    return value


def _as_text(value: Any) -> Any:
    return b64encode(value).decode() if isinstance(value, bytes) else value


@contextmanager
def _output(target: Path | None) -> Iterator[TextIO]:
    if target is None:
        yield sys.stdout
        return
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8", newline="") as out:
            yield out
        fresh.replace(target)
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(f"{target} cannot be written ({error.strerror})", "name another place with -o") from None
    finally:
        fresh.unlink(missing_ok=True)
