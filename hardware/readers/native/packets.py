"""The packets of the native link, both directions: `pack` is the inverse of `unpack`."""

from collections.abc import Callable
from operator import attrgetter
from struct import Struct as Layout
from typing import Any, Final

from msgspec import Struct

from hardware.readers.messages import Beat, Done, Hello, Param, ReportNo, Sample, masked

FACE_UP, DOUBLE_FEED, BACKWARDS = 1, 2, 4  # bits of Card.flags


class Card(Struct, frozen=True, gc=False):
    """Numbered report: a card passed. Fields as in `hardware.readers.messages.Read`; `flags` are the bits above."""

    seq: int
    session: int
    code: int
    quality: int
    agreed: int
    taken: int
    transit_ms: int
    flags: int
    lost: int
    stamp_ms: int

    def __repr__(self) -> str:
        return masked(self)


class Fault(Struct, frozen=True, gc=False):
    """Numbered report: something passed and was not read; `reason` counts `REASONS` from 1."""

    seq: int
    session: int
    reason: int
    lost: int
    stamp_ms: int


class Ack(Struct, frozen=True, gc=False):
    """The host has the report `seq` of `session` and all before it (or, for HELLO, has heard it)."""

    seq: int
    kind: int
    session: int


class Get(Struct, frozen=True, gc=False):
    """Ask for a parameter; answered by Param."""

    id: int


class Set(Struct, frozen=True, gc=False):
    """Change a parameter until the next boot; answered by Param."""

    id: int
    value: int


class Save(Struct, frozen=True, gc=False):
    """Keep the parameters over a boot; answered by Done."""


class Raw(Struct, frozen=True, gc=False):
    """Raw samples on (1) or off (0); answered by Done."""

    on: int


class Selftest(Struct, frozen=True, gc=False):
    """Let the board test itself; answered by Done."""


Report = Card | Fault
Packet = Hello | Card | Fault | Beat | Sample | Param | Done | Ack | Get | Set | Save | Raw | Selftest

KINDS: Final[dict[type, int]] = {
    Hello: 0x01, Card: 0x02, Fault: 0x03, Beat: 0x04, Sample: 0x05, Param: 0x06, Done: 0x07,
    Ack: 0x81, Get: 0x82, Set: 0x83, Save: 0x84, Raw: 0x85, Selftest: 0x86,
}  # fmt: skip

_HELLO = Layout(">HBBB8sB")
_SAMPLE = Layout(">IB")
_CARD = Layout(">HHBBBHBBI")
_CARD_BODY = attrgetter("session", "code", "quality", "agreed", "taken", "transit_ms", "flags", "lost", "stamp_ms")
_FAULT = Layout(">HBBI")
_BEAT = Layout(">HIBBb")
_PARAM = Layout(">BH")
_DONE = Layout(">BB")
_ACK = Layout(">BH")
_BYTE = Layout(">B")


def pack(packet: Packet) -> bytes:
    """Type, seq and body of `packet`, without CRC or framing; struct.error if a field is out of range."""
    return bytes((KINDS[type(packet)], getattr(packet, "seq", 0))) + _body(packet)


def unpack(packet: bytes) -> Packet | None:
    """The packet in `packet` (CRC and framing taken off), or None if it is none of the protocol's."""
    if len(packet) < 2:
        return None
    length, make = _UNPACK.get(packet[0], (None, None))
    if make is None or length not in (None, len(packet) - 2):
        return None
    return make(packet[1], packet[2:])


def report_no(report: Report) -> ReportNo:
    """Where `report` stands in the board's numbering."""
    return ReportNo(report.session, report.seq)


def _body(packet: Packet) -> bytes:
    match packet:
        case Card():
            return _CARD.pack(*_CARD_BODY(packet))
        case Fault():
            return _FAULT.pack(packet.session, packet.reason, packet.lost, packet.stamp_ms)
        case Ack():
            return _ACK.pack(packet.kind, packet.session)
        case Beat(session, uptime_ms, lamp, ambient, temperature):
            return _BEAT.pack(session, uptime_ms, lamp, ambient, temperature)
        case Hello(session, protocol, firmware, serial, reset_cause):
            return _HELLO.pack(session, protocol, *firmware, serial.encode("latin-1"), reset_cause)
        case Sample(stamp_ms, levels):
            return _SAMPLE.pack(stamp_ms, len(levels)) + Layout(f">{len(levels)}H").pack(*levels)
        case Param(id_, value) | Set(id_, value):
            return _PARAM.pack(id_, value)
        case Done(command, status):
            return _DONE.pack(command, status)
        case Get(one) | Raw(one):
            return _BYTE.pack(one)
        case Save() | Selftest():
            return b""


def _hello(_seq: int, body: bytes) -> Hello:
    session, protocol, major, minor, serial, cause = _HELLO.unpack(body)
    return Hello(session, protocol, (major, minor), serial.rstrip(b"\0").decode("latin-1"), cause)


def _sample(_seq: int, body: bytes) -> Sample | None:
    if len(body) < _SAMPLE.size:
        return None
    stamp_ms, count = _SAMPLE.unpack_from(body)
    if len(body) != _SAMPLE.size + 2 * count:
        return None
    return Sample(stamp_ms, Layout(f">{count}H").unpack_from(body, _SAMPLE.size))


def _numbered(cls: Any, layout: Layout) -> tuple[int, Callable[[int, bytes], Packet]]:
    return layout.size, lambda seq, body: cls(seq, *layout.unpack(body))


def _plain(cls: Any, layout: Layout) -> tuple[int, Callable[[int, bytes], Packet]]:
    return layout.size, lambda _seq, body: cls(*layout.unpack(body))


_EMPTY = Layout(">")
# type -> length of the body (None: it says so itself), and how to read it
_UNPACK: Final[dict[int, tuple[int | None, Callable[[int, bytes], Packet | None]]]] = {
    KINDS[Hello]: (_HELLO.size, _hello),
    KINDS[Card]: _numbered(Card, _CARD),
    KINDS[Fault]: _numbered(Fault, _FAULT),
    KINDS[Beat]: _plain(Beat, _BEAT),
    KINDS[Sample]: (None, _sample),
    KINDS[Param]: _plain(Param, _PARAM),
    KINDS[Done]: _plain(Done, _DONE),
    KINDS[Ack]: _numbered(Ack, _ACK),
    KINDS[Get]: _plain(Get, _BYTE),
    KINDS[Set]: _plain(Set, _PARAM),
    KINDS[Save]: _plain(Save, _EMPTY),
    KINDS[Raw]: _plain(Raw, _BYTE),
    KINDS[Selftest]: _plain(Selftest, _EMPTY),
}
