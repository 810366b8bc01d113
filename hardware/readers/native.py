"""Native link: boards that number and keep their reports, and can be calibrated."""

from collections.abc import Iterator
from struct import Struct as Layout
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple, replace

from hardware import framing
from hardware.framing import Framing
from hardware.readers.messages import (
    REASONS,
    Beat,
    Done,
    Hello,
    Message,
    Param,
    Read,
    Repeat,
    ReportNo,
    Sample,
    Unread,
    masked,
)
from hardware.readers.protocol import MASKED, Decoder, Frames, Protocol, ReaderSettings, whole

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
    """The host has the report `seq` of `session` and all before it; with `kind` HELLO, the Hello of `session`."""

    seq: int
    kind: int
    session: int


class Get(Struct, frozen=True, gc=False):
    """Reads a parameter; answered by Param."""

    id: int


class Set(Struct, frozen=True, gc=False):
    """Changes a parameter until the next boot; answered by Param."""

    id: int
    value: int


class Save(Struct, frozen=True, gc=False):
    """Stores the parameters over a boot; answered by Done."""


class Raw(Struct, frozen=True, gc=False):
    """Switches raw samples on (1) or off (0); answered by Done."""

    on: int


class Selftest(Struct, frozen=True, gc=False):
    """Runs the board's self-test; answered by Done."""


Report = Card | Fault
Packet = Hello | Card | Fault | Beat | Sample | Param | Done | Ack | Get | Set | Save | Raw | Selftest

KINDS: Final[dict[type, int]] = {
    Hello: 0x01, Card: 0x02, Fault: 0x03, Beat: 0x04, Sample: 0x05, Param: 0x06, Done: 0x07,
    Ack: 0x81, Get: 0x82, Set: 0x83, Save: 0x84, Raw: 0x85, Selftest: 0x86,
}  # fmt: skip
_KIND_OF: Final[dict[int, Any]] = {number: kind for kind, number in KINDS.items()}

_HELLO = Layout(">HBBB8sB")
_SAMPLE = Layout(">IB")

_FIXED: Final[dict[type, tuple[Layout, int]]] = {
    Card: (Layout(">HHBBBHBBI"), 1), Fault: (Layout(">HBBI"), 1), Ack: (Layout(">BH"), 1),
    Beat: (Layout(">HIBBb"), 0), Param: (Layout(">BH"), 0), Done: (Layout(">BB"), 0),
    Get: (Layout(">B"), 0), Set: (Layout(">BH"), 0), Raw: (Layout(">B"), 0),
    Save: (Layout(">"), 0), Selftest: (Layout(">"), 0),
}  # fmt: skip
"""Layout of a packet's body, and the number of fields before it: 1 (`seq`) or 0."""


def pack(packet: Packet) -> bytes:
    """Return type, seq and body of `packet`, without CRC or framing; struct.error if a field is out of range."""
    return bytes((KINDS[type(packet)], getattr(packet, "seq", 0))) + _body(packet)


def unpack(packet: bytes) -> Packet | None:
    """Return the decoded packet (CRC and framing removed), or None if the protocol has no such packet."""
    if len(packet) < 2 or (kind := _KIND_OF.get(packet[0])) is None:
        return None
    body = packet[2:]
    if kind is Hello:
        return _hello(body)
    if kind is Sample:
        return _sample(body)
    layout, before = _FIXED[kind]
    if len(body) != layout.size:
        return None
    made: Packet = kind(*packet[1 : 1 + before], *layout.unpack(body))
    return made


def _body(packet: Packet) -> bytes:
    match packet:
        case Hello(session, protocol, firmware, serial, reset_cause):
            return _HELLO.pack(session, protocol, *firmware, serial.encode("latin-1"), reset_cause)
        case Sample(stamp_ms, levels):
            return _SAMPLE.pack(stamp_ms, len(levels)) + Layout(f">{len(levels)}H").pack(*levels)
    layout, before = _FIXED[type(packet)]
    return layout.pack(*astuple(packet)[before:])


def _hello(body: bytes) -> Hello | None:
    if len(body) != _HELLO.size:
        return None
    session, protocol, major, minor, serial, cause = _HELLO.unpack(body)
    return Hello(session, protocol, (major, minor), serial.rstrip(b"\0").decode("latin-1"), cause)


def _sample(body: bytes) -> Sample | None:
    if len(body) < _SAMPLE.size:
        return None
    stamp_ms, count = _SAMPLE.unpack_from(body)
    if len(body) != _SAMPLE.size + 2 * count:
        return None
    return Sample(stamp_ms, Layout(f">{count}H").unpack_from(body, _SAMPLE.size))


BOARD_KEEPS = 32  # reports a board can still repeat
COPIES_WHEN_NOISY = 2  # a CRC-16 lets one damaged frame in 65,536 through
COPIES_OF_UNEXPECTED = 3  # a board repeats only its oldest report: one received three times is the oldest
TRUST_AFTER = 8  # good frames in a row after which a noisy line is trusted again
_MOST_COPIES = 4 * BOARD_KEEPS


class NativeDecoder(Decoder):
    """Yields each numbered report of the board in order; again at each repeat until it is acknowledged."""

    def __init__(self, settings: ReaderSettings | None = None) -> None:
        self.last: ReportNo | None = None
        self._min_quality = (settings or ReaderSettings()).min_quality
        self._framing = Framing()
        self._opening = True  # the first frame after an open may have lost its head
        self._clean = TRUST_AFTER
        self._copies: dict[Report, int] = {}
        self._last_kind = KINDS[Card]

    @property
    def noisy(self) -> bool:
        """Whether the line damaged a frame lately: then a report must come twice to be accepted."""
        return self._clean < TRUST_AFTER

    def feed(self, chunk: bytes) -> Iterator[Message]:
        for frame in self._framing.feed(chunk):
            packet = self._checked(frame)
            message = None if packet is None else self._judged(packet)
            if message is not None:
                yield message

    def acknowledge(self, report: ReportNo) -> bytes:
        """Return the bytes of a cumulative ACK of the newest report."""
        if not self._is_acknowledged(report):
            self._last_kind = next((KINDS[type(r)] for r in self._copies if _at(r, report)), KINDS[Card])
            self.last = report
            self._copies.clear()
        # A lost ACK costs a whole repeat: on a noisy line it is sent three times.
        return self._ack() * (3 if self.noisy else 1)

    def resume(self, report: ReportNo | None) -> bytes:
        """Return the bytes of an ACK, after which the board repeats at once the reports it still holds."""
        self.forget()
        if report is None:
            return b""
        if report != self.last:
            self.last, self._last_kind = report, KINDS[Card]
            self._copies.clear()
        return self._ack()

    def forget(self) -> None:
        self._framing.forget()
        self._opening = True

    def greet(self, hello: Hello) -> bytes:
        return framing.encode(pack(Ack(0, KINDS[Hello], hello.session)))

    def _ack(self) -> bytes:
        if self.last is None:
            return b""
        return framing.encode(pack(Ack(self.last.seq, self._last_kind, self.last.session)))

    def _checked(self, frame: bytes | None) -> Packet | None:
        packet = None if frame is None else unpack(frame)
        opening, self._opening = self._opening, False
        if packet is not None:
            self.good += 1
            self._clean += 1
        elif not opening:
            self.bad += 1
            self._clean = 0
        return packet

    def _judged(self, packet: Packet) -> Message | None:
        match packet:
            case Card() | Fault():
                return self._report(packet)
            case Hello() | Beat() | Sample() | Param() | Done():
                return packet
            case _:
                return None  # our own commands, echoed by a looped cable

    def _report(self, report: Report) -> Message | None:
        at = ReportNo(report.session, report.seq)
        if self._is_acknowledged(at):
            return Repeat(at)
        expected = at.seq == self._next_seq(at.session)
        if expected and not self.noisy:
            self._copies = {report: 1}
            return self._message(report, at, gap=False)
        needed = COPIES_WHEN_NOISY if expected else COPIES_OF_UNEXPECTED
        if expected:
            self._copies = {r: n for r, n in self._copies.items() if _at(r, at)}
        if self._count(report) < needed:
            return None
        return self._message(report, at, gap=not expected)

    def _is_acknowledged(self, at: ReportNo) -> bool:
        last = self.last
        return last is not None and last.session == at.session and (last.seq - at.seq) % 256 < BOARD_KEEPS

    def _next_seq(self, session: int) -> int:
        last = self.last
        return 0 if last is None or last.session != session else (last.seq + 1) % 256

    def _count(self, report: Report) -> int:
        if len(self._copies) >= _MOST_COPIES:
            self._copies.clear()
        # `lost` is the one field that may differ between copies.
        same = replace(report, lost=0) if report.lost else report
        self._copies[same] = self._copies.get(same, 0) + 1
        return self._copies[same]

    def _message(self, report: Report, at: ReportNo, gap: bool) -> Read | Unread:
        match report:
            case Card() if report.quality >= self._min_quality and 2 * report.agreed > report.taken:
                return Read(
                    code=report.code,
                    report=at,
                    quality=report.quality,
                    agreed=report.agreed,
                    taken=report.taken,
                    transit_ms=report.transit_ms,
                    face_up=bool(report.flags & FACE_UP),
                    double_feed=bool(report.flags & DOUBLE_FEED),
                    backwards=bool(report.flags & BACKWARDS),
                    lost=report.lost,
                    stamp_ms=report.stamp_ms,
                    gap=gap,
                )
            case Card():
                reason = "unreadable"
            case Fault():
                reason = REASONS[report.reason - 1] if 1 <= report.reason <= len(REASONS) else "unreadable"
        return Unread(reason, at, report.lost, report.stamp_ms, gap)


def _at(report: Report, at: ReportNo) -> bool:
    return report.seq == at.seq and report.session == at.session


CLEAR: Final = tuple(KINDS[kind] for kind in (Hello, Fault, Beat, Param, Ack))
"""Types of packets without a card's face; raw samples and damaged packets might contain one."""


class NativeFrames(Frames):
    """Frames shown decoded and without their CRC."""

    def split(self, seen: bytes) -> tuple[list[bytes], bytes]:
        """Split at each 00."""
        *ended, begun = seen.split(b"\0")
        return whole(ended, begun)

    def clear(self, frame: bytes) -> str:
        packet = framing.decode(frame)
        return frame.hex(" ") + " damaged" if packet is None else packet.hex(" ")

    def masked(self, frame: bytes) -> str:
        packet = framing.decode(frame)
        if packet is None or unpack(packet) is None:
            return MASKED
        return packet.hex(" ") if packet[0] in CLEAR else f"{packet[:2].hex(' ')} {MASKED}"


PROTOCOL: Final = Protocol(
    NativeDecoder,
    baud=115_200,
    board="hardware.sim.board:NativeBoard",
    mode="a board with the link `native`",
    suspects="that it is a board with the link `native` at 115200 baud",
    speaks="it beats every second: check its power and cable",
    frames=NativeFrames(),
    keeps_reports=True,
    has_fixed_codes=True,
    has_signal=True,
)
