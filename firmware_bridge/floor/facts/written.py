"""Writes exported facts as JSON lines, CSV or Parquet."""

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, Literal, NamedTuple, TextIO

import msgspec

from firmware_bridge.floor.cells import FORMULA, cell

Kind = Literal["text", "integer", "time", "bool", "json", "net"]
"""Kind of a column. time: RFC 3339; json: its text; net: of a bet, in millionths of its unit."""

BET: Final = "bet."
"""Beginning of the column of a bet."""

GROUP: Final = 50_000
"""Rows of a part of a Parquet file: what is held in memory."""


class Column(NamedTuple):
    """A column of an export."""

    name: str
    kind: Kind


class Written(NamedTuple):
    """An export. change: the number of the last change of a round that can be in it, the next cursor."""

    columns: list[Column]
    rows: Iterator[tuple[object, ...]]
    change: int


def write_json(written: Written, out: TextIO) -> int:
    """Write an object a line; return how many."""
    names = [each.name for each in written.columns]
    raw = [at for at, each in enumerate(written.columns) if each.kind == "json"]
    count = 0
    for row in written.rows:
        values = dict(zip(names, row, strict=True))
        for at in raw:
            if isinstance(text := row[at], str):
                values[names[at]] = msgspec.Raw(text.encode())
        out.write(f"{msgspec.json.encode(values).decode()}\n")
        count += 1
    return count


def write_csv(written: Written, out: TextIO) -> int:
    """Write a line of names, and one for each row, with no text that a spreadsheet calculates; return how many rows."""
    sheet = csv.writer(out)
    sheet.writerow(each.name for each in written.columns)
    texts = [at for at, each in enumerate(written.columns) if each.kind == "text"]
    bools = [at for at, each in enumerate(written.columns) if each.kind == "bool"]
    count = 0
    for row in written.rows:
        values = list(row)
        for at in texts:
            if isinstance(text := values[at], str) and text.startswith(FORMULA):
                values[at] = cell(text)
        for at in bools:
            values[at] = None if values[at] is None else int(bool(values[at]))
        sheet.writerow(values)
        count += 1
    return count


def write_parquet(written: Written, path: Path) -> int:
    """Write a Parquet file, some thousand rows at a time; return how many rows."""
    import pyarrow as arrow
    from pyarrow.parquet import ParquetWriter

    types = {
        "text": arrow.string(),
        "integer": arrow.int64(),
        "time": arrow.timestamp("ms", tz="UTC"),
        "bool": arrow.bool_(),
        "json": arrow.string(),
        "net": arrow.int64(),
    }
    schema = arrow.schema([(each.name, types[each.kind]) for each in written.columns])
    count = 0
    with ParquetWriter(path, schema, compression="zstd") as file:
        while rows := list(islice(written.rows, GROUP)):
            count += len(rows)
            columns = [
                arrow.array(values, arrow.string()).cast(field.type)
                if kind == "time"
                else arrow.array(values, field.type)
                for values, field, (_, kind) in zip(zip(*rows, strict=True), schema, written.columns, strict=True)
            ]
            file.write_table(arrow.Table.from_arrays(columns, schema=schema))
    return count
