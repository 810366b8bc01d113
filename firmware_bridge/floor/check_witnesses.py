"""The part of `shoe-floor check` about witnesses: asks each of them now, and says what the quorum is worth."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from time import time
from typing import Final

from firmware_bridge.config.findings import Finding, judged
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.record.message import now
from firmware_bridge.floor.record.state import Log
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.verified import quorum
from firmware_bridge.floor.verified.compare import Comparison, compare
from firmware_bridge.floor.verified.feeding import StoredLeaves, enrolled_keys, enrolled_logs, incident
from firmware_bridge.floor.verified.proofs import Proofs
from firmware_bridge.floor.verified.standing import Standing, day_before, of_records
from firmware_bridge.floor.verified.witnesses import Client, asked

ANSWER_S: Final = 5.0
"""Longest wait for a witness."""


def findings(config: FloorConfig, store: Store) -> Iterator[Finding]:
    """Yield the findings of all witnesses. What they saw otherwise than the store has is kept as an incident."""
    logs = enrolled_logs(store)
    if not config.witness:
        if logs:
            yield Finding("OK", "witnesses", "records are signed; nobody outside this house has seen them")
        return
    yield _of_the_quorum(config)
    yield from _of_the_answers(config, store, logs)
    stands, longest = of_records(store), store.longest_windows(day_before(time()))
    for each in logs:
        yield _of_the_window(each, stands[each.origin], longest.get(each.origin, 0.0))


def _of_the_quorum(config: FloorConfig) -> Finding:
    found = quorum.policy(config)
    if found.quorum == "none":
        return Finding("WARN", "quorum", "the policy asks for no witness", "name a quorum in the file of its policy")
    words = "more than half" if config.record.policy is None else "as the policy says"
    liars = f"two histories need the lies of {found.liars()} of {len(found.witnesses)} witnesses"
    return Finding("OK", "quorum", f"{words} of the witnesses: {liars}, beside the table's key")


def _of_the_answers(config: FloorConfig, store: Store, logs: Sequence[Log]) -> Iterator[Finding]:
    found = _compared(config, store, logs)
    for each in quorum.fed(config):
        same = [one for one in found if each.key.name in one.same]
        words = f"{each.key.name} has seen {len(same)} of {len(logs)} records as the store has them"
        whys = sorted({why for one in found for why in one.unknown if why.startswith(f"{each.key.name}: ")})
        if whys:
            yield Finding("WARN", "witness", f"{words}; {whys[0]}", "see docs/witness.md")
        else:
            yield Finding("OK", "witness", words)
    tables = {each.origin: each.table for each in logs}
    splits = [split for one in found for split in one.differs]
    for split in splits:
        store.put_evidence(incident(split, tables[split.origin], now()), split.evidence)
    todo = "stop nothing, keep the store as it is, and compare (docs/witness.md)"
    yield judged("witnesses", not splits, f"{len(splits)} of their notes are of another history", todo)


def _compared(config: FloorConfig, store: Store, logs: Sequence[Log]) -> list[Comparison]:
    """Return what all witnesses answer about all records, compared."""
    witnesses = quorum.fed(config)
    with closing(Client(witnesses, ANSWER_S)) as client:
        asking = {each.origin: asked(client, witnesses, each.origin) for each in logs}
        replies = {
            origin: {key: future.result() for key, future in futures.items()} for origin, futures in asking.items()
        }
    leaves, keys = StoredLeaves(store), enrolled_keys(store)
    leaves.sizes = {each.origin: each.size for each in store.logs()}  # read after they answered: it only grows
    sizes = {(each.origin, each.witness): each.size for each in store.cosignatures()}
    proofs = Proofs(leaves)
    made = []
    for origin, answers in replies.items():
        own = {key: sizes.get((origin, key.vkey), 0) for key in answers}
        made.append(compare(origin, keys.get(origin, []), answers, own, leaves, proofs))
    return made


def _of_the_window(record: Log, standing: Standing, longest: float) -> Finding:
    """Return how long the entries of a record stood under no quorum: the longest time of a day in seconds, and now."""
    words = f"{record.table}: witnessed to {record.witnessed} of {record.size}, longest window in a day {longest:.0f} s"
    if not standing.witnessed_at:
        return Finding("WARN", "window", f"{words}; no quorum has cosigned it yet", "see the log of shoe-floor-ingest")
    now_s = time()
    if standing.delay(now_s):
        words += f"; below the quorum for {standing.waits_s(now_s) / 60:.0f} min"
        return Finding("WARN", "window", words, "see the log of shoe-floor-ingest")
    return Finding("OK", "window", words)
