"""The part of `shoe-floor check` about records: keys, incidents, and with `--record` every stored row."""

from collections.abc import Iterator
from contextlib import closing
from typing import Final

from firmware_bridge.config.findings import Finding, judged
from firmware_bridge.facts.names import unfit
from firmware_bridge.facts.orders import LONGEST_NAME
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.record.message import seconds
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.open import open_store
from firmware_bridge.floor.verified.audit import Audit

CLOCK_S: Final = 300.0
"""Seconds between the time in an entry and that of its cosignature from which a table's clock is wrong."""


def findings(store: Store, *, whole: bool) -> Iterator[Finding]:
    """Yield the findings of the records in a store. whole: verify every row, and keep what is wrong as incidents."""
    if whole:
        yield from _verified(store)
    seen = sorted({each.table for each in store.record_keys() if not each.was_enrolled} - _enrolled(store))
    if seen:
        todo = "compare the key with the table's (shoe key show), then shoe-floor record enrol TABLE VKEY"
        yield Finding("WARN", "record", f"seen, not enrolled: {', '.join(seen)}", todo)
    yield from _of_clocks(store)
    for name in sorted({name for each in store.record_keys() for name in (each.by, each.second) if name}):
        if wrong := unfit(name, LONGEST_NAME):
            what = f"a key of a table was enrolled or revoked by {name}: the name {wrong}"
            yield Finding("WARN", "names", what, "find out who did it, and enrol the key again by two people")
    count = len(store.incidents())
    todo = "they follow below; what each means: docs/incidents.md"
    yield judged("record", not count, f"{count} open incidents", todo)


def _of_clocks(store: Store) -> Iterator[Finding]:
    """Yield a finding for each table with a clock that differs from the witnesses' by `CLOCK_S` or more.

    Ahead is sure. An entry from long ago may also have come late, to this machine or to a witness: behind is said where
    both say so.
    """
    tables = {each.origin: each.table for each in store.logs()}
    worst: dict[str, float] = {}
    for origin, cosigned_at, made_at, received_at in store.clocks():
        at = seconds(made_at)
        ahead, behind = at - cosigned_at, min(cosigned_at, seconds(received_at)) - at
        found = ahead if ahead >= CLOCK_S else -behind if behind >= CLOCK_S else 0.0
        worst[origin] = max(worst.get(origin, 0.0), found, key=abs)
    for origin, off in worst.items():
        if off:
            side = "ahead of" if off > 0 else "behind"
            what = f"{tables.get(origin, origin)}: its clock is {abs(off) / 60:.0f} min {side} that of witnesses"
            yield Finding("WARN", "clock", what, "set the table's clock: shoe check names what it is set by")


def open_incidents(config: FloorConfig) -> Iterator[str]:
    """Yield a line for each open incident; none without a store."""
    try:
        with closing(open_store(config)) as store:
            found = store.incidents()
    except StoreError:
        return
    for each in found:
        yield f"wrong   {each.table}: {each.kind}: {each.text}"


def _verified(store: Store) -> Iterator[Finding]:
    audit = Audit(store)
    found = [each for each in audit.run(whole=True) if each]
    if found:
        store.put_incidents(found)
    words = f"{audit.entries} entries verified against the checkpoints of their tables"
    if audit.hidden:
        words += f", {audit.hidden} of them by their head alone, as names are replaced"
    if found:
        words += f"; {len(found)} differ"
    yield judged("store", not found, words, "the store was changed: keep it as it is, and compare (docs/incidents.md)")


def _enrolled(store: Store) -> set[str]:
    return {each.table for each in store.record_keys() if each.was_enrolled}
