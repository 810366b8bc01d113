"""Events of the devices around the cards."""

from __future__ import annotations

from firmware_bridge.facts.event import Event


class ReaderSession(Event, frozen=True, kw_only=True):
    """A reader board session began: reports are counted from 0 again."""

    session: int


class ReaderLent(Event, frozen=True, kw_only=True):
    """A technician has the reader, until it is back: what passes it is no card of a shoe."""

    to: str


class LidTurned(Event, frozen=True, kw_only=True):
    """The lid of the shoe was opened or closed."""

    open: bool


OfDevices = ReaderSession | ReaderLent | LidTurned
"""An event of a device."""
