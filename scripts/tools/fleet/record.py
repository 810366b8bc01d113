"""Records of a fleet in its store: `python -m scripts.tools.fleet.record FLOOR.TOML keys|enrol|look OUT` writes JSON.

`keys` are those that the tables showed, `enrol` lets them count, and `look` says how all records stand. It is a process
of its own, which may wait for the store.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from firmware_bridge.floor.config import load
from firmware_bridge.floor.record.message import seconds
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.open import open_store
from firmware_bridge.floor.verified.commands import enrol
from firmware_bridge.floor.verified.standing import standings
from scripts.tools.fleet.windows import Look, Round

_ROUNDS: Final = """
select tbl, at, case when witnessed is null then (
  select max(e.received_at) from message e
  where e.topic = 'event' and e.tbl = r.tbl and e.journal = r.journal and e.seq <= r.seq) end, received_at, witnessed
from (
  select m.tbl, m.journal, m.seq, m.at, m.received_at,
    (select min(w.at) from witnessed w where w.origin = f.origin and w.size > f.idx) as witnessed
  from message m left join leaves f on f.tbl = m.tbl and f.journal = m.journal and f.seq = m.seq
  where m.topic = 'round') r order by at
"""


def main() -> None:
    """Carry out what the command line says."""
    _, config, what, out = sys.argv
    with closing(open_store(load(Path(config)))) as store:
        made = looked(store) if what == "look" else _keys(store, enrols=what == "enrol")
    Path(out).write_bytes(msgspec.json.encode(made))


def _keys(store: Store, *, enrols: bool) -> dict[str, str]:
    """Return table -> key of all that showed one."""
    keys = {each.table: each.vkey for each in store.record_keys()}
    for table, vkey in keys.items() if enrols else ():
        enrol(store, table, vkey, "Anna", "Bo")
    return keys


def looked(store: Store) -> Look:
    """Return how the records stand."""
    rounds = [
        Round(table, seconds(at), seconds(whole or came), seconds(witnessed) if witnessed else None)
        for table, at, whole, came, witnessed in store._db.execute(_ROUNDS)  # no service asks for this
    ]
    waits = {table: seconds(each.waits_since) for table, each in standings(store).items() if each.waits_since}
    return Look(rounds, waits, [f"{each.table} {each.kind}: {each.text}" for each in store.incidents()])


if __name__ == "__main__":
    main()
