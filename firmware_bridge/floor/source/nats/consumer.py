"""Makes and inspects the durable consumer that keeps messages for the ingest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, TypeVar

import nats.js.errors
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, ConsumerInfo

from firmware_bridge.errors import BridgeError
from firmware_bridge.floor.config import NatsSection
from firmware_bridge.floor.source.nats.connection import AWAY, CONNECT_S, Worker, connected, words
from firmware_bridge.floor.source.nats.subjects import KEPT, STREAM, subject

ACK_WAIT_S: Final = 4.0
"""Time without an acknowledgement after which a message is redelivered; less than `ledger.SETTLE_S`."""

UNACKED: Final = 20_000
"""Most messages without an acknowledgement; more than the largest batch."""

Answer = TypeVar("Answer")


class NatsError(BridgeError, ConnectionError):
    """The cluster refuses what a floor needs."""


class Seen(NamedTuple):
    """State of the stream, and of the consumer in it.

    leader: the node that leads the stream; None for a single node. away: nodes that do not follow it. replicas: copies.
    readers: consumers of it, one for each topic that an MQTT session reads at QoS 1. limit: most of them, -1 if unset.
    waiting: messages that the ingest has not fetched. unacknowledged: fetched, and not stored yet. again: those of them
    that were redelivered. All three are None without the consumer.
    """

    leader: str | None
    replicas: int
    away: tuple[str, ...]
    messages: int
    bytes: int
    readers: int
    limit: int
    waiting: int | None = None
    unacknowledged: int | None = None
    again: int | None = None


async def info(js: JetStreamContext, name: str) -> ConsumerInfo | None:
    """Return the cluster's state of a consumer; None if there is none."""
    try:
        return await js.consumer_info(STREAM, name)
    except nats.js.errors.NotFoundError:
        return None


async def made(js: JetStreamContext, name: str, topics: Sequence[str]) -> str:
    """Make or change the consumer of these topics; return what was done, in words."""
    wanted = ConsumerConfig(
        durable_name=name,
        description="what shoe-floor ingest has not stored",
        ack_policy=AckPolicy.EXPLICIT,
        ack_wait=ACK_WAIT_S,
        max_ack_pending=UNACKED,
        filter_subjects=[KEPT + subject(each) for each in topics],
    )
    there = await info(js, name)
    if there is not None and _is_same(there.config, wanted):
        return f"the consumer {name} already exists"
    await js.add_consumer(STREAM, wanted)
    return f"the consumer {name} {'was changed' if there else 'was created'}"


def prepare(config: NatsSection, password: bytes | None, topics: Sequence[str]) -> str:
    """Make or change the consumer; return what was done, in words. Raises NatsError."""
    return _asked(config, password, lambda js: made(js, config.consumer, topics))


def seen(config: NatsSection, password: bytes | None, server: str) -> Seen:
    """Read the state of stream and consumer from a node. Raises NatsError."""

    async def look(js: JetStreamContext) -> Seen:
        stream = await js.stream_info(STREAM)
        group = stream.cluster
        away = tuple(each.name or "?" for each in (group.replicas or ()) if not each.current) if group else ()
        found = Seen(
            group.leader if group else None,
            stream.config.num_replicas or 1,
            away,
            stream.state.messages,
            stream.state.bytes,
            stream.state.consumer_count,
            (await js.account_info()).limits.max_consumers or -1,
        )
        consumer = await info(js, config.consumer)
        if consumer is None:
            return found
        return found._replace(
            waiting=consumer.num_pending, unacknowledged=consumer.num_ack_pending, again=consumer.num_redelivered
        )

    return _asked(config, password, look, [server])


def _asked(
    config: NatsSection,
    password: bytes | None,
    question: Callable[[JetStreamContext], Awaitable[Answer]],
    servers: Sequence[str] | None = None,
) -> Answer:
    """Return the answer of the first node that gives one. Raises NatsError if none does."""
    worker, faults = Worker(), []
    reasons: list[str] = []

    async def note(error: Exception) -> None:
        if not reasons or not isinstance(error, ConnectionResetError):  # a reset follows a refusal
            reasons.append(words(error))

    async def ask(server: str) -> Answer:
        client = await connected(config, password, server, note)
        try:
            return await question(client.jetstream(timeout=CONNECT_S))
        finally:
            await client.close()

    try:
        for server in servers or config.servers:
            reasons.clear()
            try:
                return worker.do(ask(server))
            except AWAY as error:  # nats-py reports more than it raises
                faults.append(f"{server}: {reasons[-1] if reasons else words(error)}")
    finally:
        worker.close()
    raise NatsError("; ".join(faults), "check [nats] of floor.toml, and the nodes")


def _is_same(one: ConsumerConfig, other: ConsumerConfig) -> bool:
    parts = ("ack_policy", "ack_wait", "max_ack_pending")
    same = all(getattr(one, part) == getattr(other, part) for part in parts)
    return same and set(one.filter_subjects or ()) == set(other.filter_subjects or ())
