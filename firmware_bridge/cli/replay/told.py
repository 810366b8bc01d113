"""What a journal line says over MQTT, as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_bridge.demo.memory_table import Retained
from firmware_bridge.journal.line import Line
from firmware_bridge.shoe import Shoe
from firmware_bridge.topics.event_and_round import messages


def told(line: Line, shoe: Shoe | None, retained: Retained) -> Iterator[bytes]:
    """Its messages, and the states that it changed; no states where nobody knows the shoe."""
    for message in messages(line):
        yield _json_line(message.topic, b"false", message.payload)
    for topic, payload in retained.changed(line, shoe) if shoe else ():
        yield _json_line(topic, b"true", payload)


def _json_line(topic: str, retain: bytes, payload: bytes) -> bytes:
    """A message as a JSON line: the payload's bytes as they are sent."""
    return b'{"topic":"%b","retain":%b,"payload":%b}\n' % (topic.encode(), retain, payload)
