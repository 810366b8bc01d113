"""The host's end of the native link: which reports are taken, in order and once."""

from collections.abc import Iterator

from msgspec.structs import replace

from hardware.readers.messages import REASONS, Beat, Done, Hello, Message, Param, Read, Repeat, ReportNo, Sample, Unread
from hardware.readers.native import framing
from hardware.readers.native.framing import Framing
from hardware.readers.native.packets import (
    BACKWARDS,
    DOUBLE_FEED,
    FACE_UP,
    KINDS,
    Ack,
    Card,
    Fault,
    Packet,
    Report,
    pack,
    report_no,
    unpack,
)
from hardware.readers.settings import ReaderSettings

BOARD_KEEPS = 32  # reports a board can still repeat
COPIES_WHEN_NOISY = 2  # a CRC-16 lets one damaged frame in 65,536 through
COPIES_OF_UNEXPECTED = 3  # a board repeats only its oldest report: what comes thrice has none before it
TRUST_AFTER = 8  # good frames in a row until a line that damaged one is believed again
_MOST_COPIES = 4 * BOARD_KEEPS


class NativeDecoder:
    """Yields each numbered report of the board once and in order; see `hardware.readers.Decoder`.

    Nothing is taken twice or skipped because `last` moves only in `acknowledge`: a report that was
    yielded but not acknowledged is yielded again when the board repeats it.
    """

    def __init__(self, settings: ReaderSettings | None = None) -> None:
        self.last: ReportNo | None = None
        self.good = 0
        self.bad = 0
        self._min_quality = (settings or ReaderSettings()).min_quality
        self._framing = Framing()
        self._opening = True  # the first frame after an open may have lost its head
        self._clean = TRUST_AFTER
        self._copies: dict[Report, int] = {}
        self._last_kind = KINDS[Card]

    @property
    def noisy(self) -> bool:
        """Whether the line damaged a frame lately: then a report must come twice to be believed."""
        return self._clean < TRUST_AFTER

    def feed(self, chunk: bytes) -> Iterator[Message]:
        """See `Decoder.feed`."""
        for frame in self._framing.feed(chunk):
            packet = self._checked(frame)
            message = None if packet is None else self._judged(packet)
            if message is not None:
                yield message

    def acknowledge(self, report: ReportNo) -> bytes:
        """See `Decoder.acknowledge`; an ACK is cumulative, so a repeat is answered with the newest."""
        if not self._taken(report):
            self._last_kind = next((KINDS[type(r)] for r in self._copies if _at(r, report)), KINDS[Card])
            self.last = report
            self._copies.clear()
        # A lost ACK costs a whole repeat, so it is said thrice where bytes get lost.
        return self._ack() * (3 if self.noisy else 1)

    def resume(self, report: ReportNo | None) -> bytes:
        """See `Decoder.resume`; the ACK lets the board repeat at once what it still holds."""
        self._framing.forget()
        self._opening = True
        if report is None:
            return b""
        if report != self.last:
            self.last, self._last_kind = report, KINDS[Card]
            self._copies.clear()
        return self._ack()

    def greet(self, hello: Hello) -> bytes:
        """See `Decoder.greet`."""
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
        at = report_no(report)
        if self._taken(at):
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

    def _taken(self, at: ReportNo) -> bool:
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
