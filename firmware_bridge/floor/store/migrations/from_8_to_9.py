"""Format 9: in a store with pseudonyms no summary of refused orders names a person.

Until then the sentence `8 more orders were answered within a minute, the last one: void by ANNA: ..` kept the name.
Other names of such a message were replaced when it came. Messages from before the key was set are left as they are.
"""

from collections.abc import Generator, Iterator
from time import monotonic
from typing import Final

import msgspec

from firmware_bridge.facts.decoding import from_json
from firmware_bridge.floor.record.before_codes import in_summaries
from firmware_bridge.floor.record.message import Key, Row
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.store.blocks import packed, unpacked
from firmware_bridge.floor.store.errors import DamagedBlock, StoreError
from firmware_bridge.floor.store.migrations.step import Database, Size, Step
from firmware_bridge.floor.store.records import as_bytes

MARK: Final = b", the last one: "
"""Bytes in each summary, and in few other messages."""

SAMPLE: Final = 20_000
"""Messages that are read for an estimate."""

SAMPLED_BLOCKS: Final = 20

_PLACE: Final = ("topic", "tbl", "journal", "seq", "n")
_OF_FACT: Final = _PLACE[1:]
_HIDDEN: Final = "digest is not null"
"""Condition of messages of which a name was replaced as they came."""

_HIDDEN_BLOCKS: Final = "from block where hidden_seq > 0"
_OF_BLOCK: Final = "tbl = ? and journal = ?"
_SUMMED: Final = """
from fact_order f where f.what = 'orders' and not exists (
  select 1 from message m where m.topic = 'event' and m.tbl = f.tbl and m.journal = f.journal and m.seq = f.seq
    and m.n = f.n and m.digest is null)
and not exists (select 1 from block b where b.tbl = f.tbl and b.journal = f.journal and b.hidden_seq < f.seq)
"""
"""Facts of summaries, but for those of messages from before the key was set."""


def verify(db: Database, names: Names | None) -> None:
    """Raise StoreError for a store with pseudonyms if their key is not named."""
    if names is not None:
        return
    if db.all(f"select 1 {_HIDDEN_BLOCKS} limit 1") or db.all(f"select 1 from message where {_HIDDEN} limit 1"):
        hint = "set [ingest] pseudonym_key_file of floor.toml as the ingest has it, then run this again"
        raise StoreError("names of people in this store are replaced, and floor.toml names no key for that", hint)


def measure(db: Database, names: Names | None) -> Size:
    """Count what is read, and read some of it."""
    if names is None:
        return Size("no message is read, for floor.toml names no key of pseudonyms", 0.0)
    [(messages,)], [(blocks,)] = db.all("select count(*) from message"), db.all(f"select count(*) {_HIDDEN_BLOCKS}")
    began = monotonic()
    db.all(f"select 1 from (select body from message limit {SAMPLE}) sample where {db.contains('body')}", MARK)
    read_s, began = monotonic() - began, monotonic()
    sample = db.all(f"select tbl, journal, body, digest {_HIDDEN_BLOCKS} limit {SAMPLED_BLOCKS}")
    for tbl, journal, body, digest in sample:
        _events(Key(tbl, journal), body, digest)
    estimate_s = read_s * messages / min(messages or 1, SAMPLE)
    estimate_s += (monotonic() - began) * blocks / max(len(sample), 1)
    return Size(f"{messages} messages and {blocks} blocks of events are read", estimate_s)


def run(db: Database, names: Names | None) -> Iterator[str]:
    """Replace the names."""
    if names is None:
        return
    with db.changing("message", "block"):
        count = _messages(db, names, "message", *_PLACE) + _messages(db, names, "pending", *_PLACE, "came")
        count += yield from _blocks(db, names)
    _again(db, names, "conflict", *_PLACE, "received_at", "digest")
    _again(db, names, "quarantine", "topic", "received_at", "reason", "digest")
    _facts(db, names)
    yield f"{count} summaries of refused orders name a pseudonym now"


STEP: Final = Step("names of people in summaries of refused orders become pseudonyms", verify, measure, run)


def _messages(db: Database, names: Names, table: str, *key: str) -> int:
    found = db.all(f"select {', '.join(key)}, body from {table} where {_HIDDEN} and {db.contains('body')}", MARK)
    where, count = " and ".join(f"{each} = ?" for each in key), 0
    for *place, body in found:
        if (hidden := in_summaries(as_bytes(body), names.word)) != body:
            count += db.write(f"update {table} set body = ? where {where}", hidden, *place)
    return count


def _blocks(db: Database, names: Names) -> Generator[str, None, int]:
    count = 0
    for key in (Key(*each) for each in db.all(f"select tbl, journal {_HIDDEN_BLOCKS} order by tbl, journal")):
        [block] = db.all(f"select body, digest from block where {_OF_BLOCK}", *key)
        if (rows := _events(key, *block)) is None:
            what = f"the events of journal {key.journal} of table {key.table}"
            yield f"{what} are damaged in their block, and left as they are"
            continue
        hidden = [each._replace(body=in_summaries(each.body, names.word)) if each.digest else each for each in rows]
        if hidden != rows:
            made = packed(hidden)
            db.write(
                "update block set body = ?, digest = ? where tbl = ? and journal = ?", made.body, made.digest, *key
            )
            count += sum(one != other for one, other in zip(rows, hidden, strict=True))
    return count


def _events(key: Key, body: bytes, digest: bytes) -> list[Row] | None:
    try:
        return unpacked(key, body, digest)
    except DamagedBlock:
        return None


def _again(db: Database, names: Names, table: str, *columns: str) -> None:
    """Insert rows again with another body, under which there may be one. Their digest stays, for closings name it."""
    for *values, body in db.all(f"select {', '.join(columns)}, body from {table} where {db.contains('body')}", MARK):
        if (hidden := in_summaries(as_bytes(body), names.word)) != body:
            where = " and ".join(f"{each} = ?" for each in (*columns, "body"))
            db.write(f"delete from {table} where {where}", *values, body)
            made = f"insert into {table} ({', '.join(columns)}, body) values ({', '.join('?' * (len(values) + 1))})"
            db.write(f"{made} on conflict do nothing", *values, hidden)


def _facts(db: Database, names: Names) -> None:
    """Replace the names in facts too: they outlive the events that they were made of."""
    where = " and ".join(f"{each} = ?" for each in _OF_FACT)
    for *key, error in db.all(f"select {', '.join(f'f.{each}' for each in _OF_FACT)}, f.error {_SUMMED}"):
        hidden = from_json(in_summaries(msgspec.json.encode(error), names.word), str)
        if hidden != error:
            db.write(f"update fact_order set error = ? where {where}", hidden, *key)
