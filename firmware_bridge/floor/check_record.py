"""The part of `shoe-floor check` about records: keys, incidents, and with `--record` every stored row."""

from collections.abc import Iterator
from contextlib import closing

from firmware_bridge.config.findings import Finding, judged
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.store import Store, StoreError
from firmware_bridge.floor.store.open import open_store
from firmware_bridge.floor.verified.audit import Audit


def findings(store: Store, *, whole: bool) -> Iterator[Finding]:
    """Findings of the records in a store. whole: verify every row, and keep what is wrong as incidents."""
    if whole:
        yield from _verified(store)
    seen = sorted({each.table for each in store.record_keys() if each.trust == "seen"} - _enrolled(store))
    if seen:
        todo = "compare the key with the table's (shoe key show), then shoe-floor record enrol TABLE VKEY"
        yield Finding("WARN", "record", f"seen, not enrolled: {', '.join(seen)}", todo)
    count = len(store.incidents())
    todo = "they follow below; what each means: docs/incidents.md"
    yield judged("record", not count, f"{count} open incidents", todo)


def open_incidents(config: FloorConfig) -> Iterator[str]:
    """A line for each open incident; none without a store."""
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
    return {each.table for each in store.record_keys() if each.trust != "seen"}
