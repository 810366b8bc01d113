"""A store of format 8, journals of formats 3 and 4, and messages of `v` 1; how the versions of then made them.

`git worktree add OLD dc0f51a4; PYTHONPATH=OLD python tests/kit/kept_formats.py FOLDER 4 --keep` made them: tables of
all games with shifts, voids and corrections, signed records, blocks, and summaries of refused orders that name ANNA.
The messages of T00 came before names were replaced, all others with the key `KEY`. `postgres-8.sql.xz` is what
`pg_dump --schema-only --no-owner` wrote of a store that the same version had made. `entries-3.schema.json.xz` says what
the version before format 4 (56fb9700) reads of an entry, as JSON Schema made from its own types: in a tree of it,
`PYTHONPATH=OLD python tests/kit/kept_formats.py --schema`. `shoe-verify-3.py.xz` is the verifier of that version, as an
auditor may have it. `journals-4.tar.xz` are tables of all games with alarms, refused keys and orders too, made by the
first version of format 4: `python -m tests.kit.kept_formats --journals`.
"""

from __future__ import annotations

import json
import lzma
import shutil
import sqlite3
import sys
import tarfile
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from jsonschema import Draft202012Validator

VECTORS: Final = Path(__file__).parents[1] / "vectors/formats"
KEY: Final = b"k" * 32
ENROLLED: Final = "T01"
BATCH: Final = 500
RECORDS: Final = ("names", "log", "record_key", "incident", "evidence")
"""Tables that name records, of which a copy has none."""

MOST: Final = 1_000_000
"""More than the changes of a store that is copied."""


def store(folder: Path) -> Path:
    """The store of format 8."""
    path = folder / "floor.db"
    path.write_bytes(lzma.decompress((VECTORS / "store-8.db.xz").read_bytes()))
    return path


def schema_of_postgres() -> str:
    """What makes the tables of a store of format 8 in PostgreSQL."""
    return lzma.decompress((VECTORS / "postgres-8.sql.xz").read_bytes()).decode()


def multiply(path: Path, copies: int) -> int:
    """Add copies of all tables to a store under other names; returns how many rounds it has then."""
    with closing(sqlite3.connect(path)) as db, db:
        tables = [name for (name,) in db.execute("select name from sqlite_master where type = 'table'")]
        columns = {each: [column for _, column, *_ in db.execute(f"pragma table_info({each})")] for each in tables}
        for table in (each for each in tables if "tbl" in columns[each] and each not in RECORDS):
            taken = {"tbl": "tbl || '-' || k", "changed": f"changed + k * {MOST}"}
            names, values = (
                ", ".join(f'"{each}"' for each in columns[table]),
                ", ".join(taken.get(each, f'"{each}"') for each in columns[table]),
            )
            numbers = f"with recursive n(k) as (select 1 union all select k + 1 from n where k < {copies})"
            db.execute(f"{numbers} insert into {table} ({names}) select {values} from {table} cross join n")
        db.execute(f"update fact_change set changed = {(copies + 1) * MOST}")
        return int(db.execute("select count(*) from fact_round where status <> 'open'").fetchone()[0])


def journals(folder: Path, number: int = 3) -> list[Path]:
    """The folders of the journals of a format, of each table, T00 first."""
    with tarfile.open(VECTORS / f"journals-{number}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return sorted(folder.glob("T0*"))


def verifier_before(folder: Path) -> Path:
    """The file `shoe-verify.py` of the version before format 4."""
    path = folder / "shoe-verify.py"
    path.write_bytes(lzma.decompress((VECTORS / "shoe-verify-3.py.xz").read_bytes()))
    return path


def messages() -> list[tuple[str, str, dict[str, Any]]]:
    """Table, topic and payload of each message of the scenes of all games, retained ones too, in order."""
    lines = lzma.decompress((VECTORS / "messages-1.jsonl.xz").read_bytes()).splitlines()
    return [tuple(json.loads(line)) for line in lines]


def make(folder: Path, rounds: int) -> None:
    """Make both in a folder, with so many rounds of each game."""
    from firmware_bridge.facts import inputs, orders
    from firmware_bridge.floor.record.message import now
    from firmware_bridge.floor.record.names import Names
    from firmware_bridge.floor.record.state import TrustedKey
    from firmware_bridge.games import GAMES
    from firmware_bridge.record.signer import signer
    from tests.floor.facts.dealing import Dealing
    from tests.floor.house import CompactingHouse, House

    def summary(dealing: Any, count: int) -> None:
        what = f"{count} more orders were answered within a minute, the last one: void by ANNA: no round is open"
        order = orders.Malformed("orders", what, "find out what sends so many")
        dealing._take(inputs.Ordered(at=0, order=order, by="orders", nonce=dealing._memory.nonce()))

    house = House(folder / "floor.db")
    vkey = signer(f"shoe.invalid/{ENROLLED}/b007", bytes(range(32))).key.vkey
    house.store.put_key(TrustedKey(ENROLLED, vkey, "enrolled", "ANNA", "BO", now()))
    house.wait(10)
    for number, game in enumerate(GAMES):
        table = f"T{number:02}"
        dealing = Dealing(table, game, folder, 1)
        for part in range(2):
            if part:
                dealing._order(orders.CloseShoe("worn"))
            dealing.play((part + 1) * rounds // 2)
            summary(dealing, part + 5)
        sent = ((f"shoe/{table}/{each.topic}", each.payload) for each in published(folder / table))
        while batch := list(islice(sent, BATCH)):
            house.send(*batch)
        CompactingHouse.compact(house)  # type: ignore[arg-type]
        house.store.close()
        house = House(folder / "floor.db", names=Names(KEY))
    house.send(("shoe/T00/event", b'{"what":"8 more orders, the last one: void by ANNA: no round is open"}'))
    house.store._db.execute("vacuum")
    house.store.close()


def deal(folder: Path) -> None:
    """Deal rounds of each game into journals of the present format, with all that is refused and goes wrong."""
    from firmware_bridge.facts import inputs, orders
    from firmware_bridge.facts.book.refusals import phrase
    from firmware_bridge.games import GAMES
    from tests.floor.facts.dealing import Dealing

    for number, game in enumerate(GAMES):
        dealing = Dealing(f"T{number:02}", game, folder, 1)
        for part in range(2):
            if part:
                dealing._order(orders.CloseShoe("worn"))
            dealing.play((part + 1) * 2)
            dealing._order(orders.Correct(99, ("2c",), "no such round"))
            dealing._order(
                orders.malformed("void", "field_unknown", name="wy", todo=phrase("did_you_mean", word="why"))
            )
            dealing._take(inputs.Pressed(at=0, key="reveal", nonce=dealing._memory.nonce()))
            dealing._take(inputs.RefusalsCounted(at=0, why={"old_count": 5}, counts={}))
        dealing._take(inputs.ReaderFaulted(at=0, why="E7"))
        dealing._take(inputs.CardUnread(at=0, reason="unreadable", nonce=dealing._memory.nonce()))


@cache
def _read_before() -> tuple[dict[str, Draft202012Validator], Draft202012Validator]:
    """What checks an event, by its type, and a sealed part, as the version before format 4 decodes them."""
    known = json.loads(lzma.decompress((VECTORS / "entries-3.schema.json.xz").read_bytes()))
    parts = known["$defs"]
    named = {each["$ref"].rsplit("/", 1)[-1]: each for each in known["events"]["anyOf"]}
    types = {parts[name]["properties"]["type"]["enum"][0]: ref for name, ref in named.items()}
    events = {kind: Draft202012Validator(ref | {"$defs": parts}) for kind, ref in types.items()}
    return events, Draft202012Validator(known["sealed"] | {"$defs": parts})


def unread_before(data: bytes) -> list[str]:
    """What the version before format 4 cannot read of a line, in words."""
    events, sealed = _read_before()
    _, _, _, public, hidden, _ = data.split(b"\t")
    shown = json.loads(public)["events"]
    faults = [fault for each in shown for fault in events[each["type"]].iter_errors(each)]
    return [each.message for each in (*faults, *sealed.iter_errors(json.loads(hidden)))]


def keep_schema() -> None:
    """Keep what the version whose tree this runs in reads of an entry."""
    import msgspec
    from msgspec import _json_schema

    from firmware_bridge.facts.events import AnyEvent
    from firmware_bridge.journal.line import Sealed

    plain = vars(_json_schema)["to_builtins"]  # of itself it has no way for a default of raw JSON
    vars(_json_schema)["to_builtins"] = lambda value, **how: plain(
        value, enc_hook=lambda raw: json.loads(bytes(raw)), **how
    )
    (events, sealed), parts = msgspec.json.schema_components([AnyEvent, Sealed])
    kept = json.dumps({"events": events, "sealed": sealed, "$defs": parts}, separators=(",", ":")).encode()
    packed = lzma.compress(kept, preset=9 | lzma.PRESET_EXTREME)
    (VECTORS / "entries-3.schema.json.xz").write_bytes(packed)


def published(folder: Path) -> Iterator[Any]:
    """Every message that the journals in a folder make."""
    from firmware_bridge.journal.files import journal_files
    from firmware_bridge.journal.messages import messages
    from firmware_bridge.journal.reader import Place, read_lines

    for path in journal_files(folder):
        for line, _ in read_lines(Place(path, 0)):
            yield from messages(line)


def sent_by_scenes() -> Iterator[tuple[str, str, Any]]:
    """Table, topic and payload of each message of the scenes of documents, as the version before plays them."""
    old, scenes = (import_module(f"tests.tools.messages.{name}") for name in ("played", "scenes"))
    for number, scene in enumerate((*scenes.GAMES, *scenes.MORE)):
        for moment in old.played(scene):
            yield from ((f"S{number:02}", each.topic, each.payload) for each in moment.sent)


def keep(folder: Path) -> None:
    """Keep what is in a folder as vectors."""
    (VECTORS / "store-8.db.xz").write_bytes(
        lzma.compress((folder / "floor.db").read_bytes(), preset=9 | lzma.PRESET_EXTREME)
    )
    lines = b"".join(json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in sent_by_scenes())
    (VECTORS / "messages-1.jsonl.xz").write_bytes(lzma.compress(lines, preset=9 | lzma.PRESET_EXTREME))
    keep_journals(folder, 3)


def keep_journals(folder: Path, number: int) -> None:
    """Keep the journals of a format that are in a folder."""
    with tarfile.open(VECTORS / f"journals-{number}.tar.xz", "w:xz", preset=9) as archive:
        for each in sorted(folder.glob("T0*")):
            archive.add(each, each.name)


if __name__ == "__main__" and sys.argv[1:] == ["--schema"]:
    keep_schema()
elif __name__ == "__main__" and sys.argv[1:] == ["--journals"]:
    with TemporaryDirectory() as made:
        deal(Path(made))
        keep_journals(Path(made), 4)
elif __name__ == "__main__":
    into = Path(sys.argv[1])
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    make(into, int(sys.argv[2]))
    if "--keep" in sys.argv:
        keep(into)
