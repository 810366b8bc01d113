"""MQTT topics as NATS names them: `shoe/T07/event` is `shoe.T07.event`, kept as `$MQTT.msgs.shoe.T07.event`."""

from __future__ import annotations

from typing import Final

STREAM: Final = "$MQTT_msgs"
"""The stream that NATS keeps every message of QoS 1 in, as long as a consumer or a session wants it."""

KEPT: Final = "$MQTT.msgs."
"""How the subjects of that stream begin."""

AT_QOS_1: Final = {"Nmqtt-Pub": "1"}
"""The header of a message in that stream; without it the sessions never get it, and never let it go."""


def subject(topic: str) -> str:
    """The subject of an MQTT topic, or of a filter of topics; a `.` in it is `//`."""
    return "".join({"/": ".", ".": "//", "+": "*"}.get(letter, letter) for letter in topic)


def topic(subject: str) -> str:
    """The MQTT topic of a subject, of the stream or not."""
    plain = subject.removeprefix(KEPT)
    return plain.replace("//", "\0").replace(".", "/").replace("\0", ".")
