"""Converts MQTT topics to NATS subjects: `shoe/T07/event` is `shoe.T07.event`, kept in `$MQTT.msgs.shoe.T07.event`."""

from __future__ import annotations

from typing import Final

STREAM: Final = "$MQTT_msgs"
"""The stream in which NATS keeps every message of QoS 1 that a consumer or a session still needs."""

KEPT: Final = "$MQTT.msgs."
"""Prefix of the subjects of that stream."""

AT_QOS_1: Final = {"Nmqtt-Pub": "1"}
"""Header of a message in that stream; without it, sessions never get the message and NATS never deletes it."""


def subject(topic: str) -> str:
    """Return the subject of an MQTT topic or filter; a `.` in it becomes `//`."""
    return "".join({"/": ".", ".": "//", "+": "*"}.get(letter, letter) for letter in topic)


def topic(subject: str) -> str:
    """Return the MQTT topic of a subject, with or without the prefix of the stream."""
    plain = subject.removeprefix(KEPT)
    return plain.replace("//", "\0").replace(".", "/").replace("\0", ".")
