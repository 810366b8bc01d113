"""Findings of `shoe-floor check` in a NATS cluster: nodes, stream, and the ingest's consumer."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from firmware_bridge.config.findings import Finding, judged
from firmware_bridge.errors import in_words
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.floor.config import NatsSection
from firmware_bridge.floor.source.nats.consumer import NatsError, Seen, seen
from firmware_bridge.floor.source.nats.subjects import STREAM

ANSWER_S: Final = 5.0
"""Longest wait for a monitoring address."""

MIB: Final = 1024 * 1024

MOST_READERS: Final = 1000
"""Most consumers of a stream if the account sets no limit (NATS 2.15)."""

BEHIND: Final = 10_000
"""Messages that wait only if no ingest runs, or its store is too slow."""


def findings(config: NatsSection, password: bytes | None) -> Iterator[Finding]:
    """Yield all findings of a cluster, one after the other."""
    last: Seen | None = None
    for server in config.servers:
        try:
            last = seen(config, password, server)
            yield Finding("OK", "nats", f"{server} accepts the login")
        except NatsError as error:
            yield Finding("FAIL", "nats", error.what, "check [nats] of floor.toml, and this node's log")
    if last is not None:
        yield _stream(config, last)
        yield _readers(last)
        yield from _consumer(config, last)
    for address in config.monitor:
        yield from _node(address, len(config.servers))


def _stream(config: NatsSection, cluster: Seen) -> Finding:
    """Return the finding on whether the stream has its copies, and does not grow without end."""
    of = f"{cluster.replicas} copies, led by {cluster.leader}" if cluster.leader else "one copy"
    what = f"the stream {STREAM}: {cluster.messages} messages, {cluster.bytes / MIB:.1f} MiB, {of}"
    if cluster.away:
        return Finding(
            "FAIL", "nats", f"{what}; {', '.join(cluster.away)} is not in sync", "start that node, check its log"
        )
    if cluster.replicas < len(config.servers):
        todo = f"set stream_replicas: {len(config.servers)} in mqtt of every node; it applies to new streams only"
        return Finding("FAIL", "nats", what, todo)
    if cluster.bytes > config.limit_mib * MIB:
        todo = "start the ingest; end unused MQTT sessions at QoS 1: each keeps every message (docs/nats.md)"
        return Finding("FAIL", "nats", f"{what}, above limit_mib = {config.limit_mib}", todo)
    return Finding("OK", "nats", what)


def _readers(found: Seen) -> Finding:
    """Return the finding on whether the cluster has consumers left for another table."""
    limit = found.limit if found.limit > 0 else MOST_READERS
    what = f"{found.readers} of at most {limit} consumers; a table uses two, and four for a minute after a reconnect"
    return judged("nats", found.readers < 0.8 * limit, what, "raise max_consumers of the account (docs/nats.md)")


def _consumer(config: NatsSection, cluster: Seen) -> Iterator[Finding]:
    """Yield whether the cluster keeps messages for the ingest, and how many wait."""
    if cluster.waiting is None:
        todo = "run shoe-floor prepare: until then messages are not kept, and must be asked for later"
        yield Finding("FAIL", "nats", f"there is no consumer {config.consumer}", todo)
        return
    what = f"the consumer {config.consumer}: {cluster.waiting} messages wait, {cluster.unacknowledged} are being stored"
    todo = "check that shoe-floor-ingest runs, and its log"
    yield judged("nats", cluster.waiting < BEHIND, f"{what}, {cluster.again} of them sent again", todo)


class _Config(Struct, frozen=True):
    sync_always: bool = False


class _Peer(Struct, frozen=True):
    name: str
    current: bool = False


class _Meta(Struct, frozen=True):
    leader: str = ""
    cluster_size: int = 1
    replicas: tuple[_Peer, ...] = ()


class _Jsz(Struct, frozen=True):
    """The fields of a node's `/jsz` that are read."""

    config: _Config = _Config()
    meta_cluster: _Meta | None = None


def _node(address: str, nodes: int) -> Iterator[Finding]:
    """Yield the findings of one node."""
    try:
        with urllib.request.urlopen(f"{address.rstrip('/')}/jsz", timeout=ANSWER_S) as answer:
            node = from_json(answer.read(), _Jsz)
    except (OSError, ValueError) as error:
        yield Finding(
            "FAIL",
            "nats",
            f"{address}: {in_words(error)}",
            "check [nats] monitor, and http in the node's configuration",
        )
        return
    todo = "set sync_interval: always in jetstream: otherwise a power cut loses acknowledged messages"
    flushed = "flushes each message to disk" if node.config.sync_always else "does not flush each message to disk"
    yield judged("nats", node.config.sync_always, f"{address} {flushed}", todo)
    if nodes > 1 or node.meta_cluster:
        yield _cluster(address, node.meta_cluster or _Meta(), nodes)


def _cluster(address: str, meta: _Meta, nodes: int) -> Finding:
    """Return the finding of one node about its cluster."""
    what = f"{address}: a cluster of {meta.cluster_size}"
    if not meta.leader:
        return Finding(
            "FAIL", "nats", f"{what} without a leader", "start the other nodes; check the cluster routes in their files"
        )
    if meta.cluster_size != nodes:
        return Finding("FAIL", "nats", what, f"floor.toml names {nodes} servers: name all nodes, or remove the peer")
    is_leader = meta.leader not in [each.name for each in meta.replicas]  # only the leader lists its followers
    if is_leader and (gone := [each.name for each in meta.replicas if not each.current]):
        return Finding("FAIL", "nats", f"{what}, {', '.join(gone)} not in sync", "start that node, check its log")
    return Finding("OK", "nats", f"{what}, led by {meta.leader}")
