"""Simulated native reader board: bytes in, bytes out, with the clock of `tick`."""

from collections import deque
from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace

from hardware import framing
from hardware.framing import Framing
from hardware.readers import native
from hardware.readers.messages import REASONS, Beat, Done, Hello, Param, Sample
from hardware.sim.optics import MIN_QUALITY, Optics
from hardware.sim.pty import Papers

KEEPS = 32  # unacknowledged reports
REPEAT_MS = 100
HELLO_MS = 500
BEAT_MS = 1000
SAMPLE_MS = 50
RAW_US, RAW_AT_ONCE = 250, 24  # a raw sample, and how many go into a packet (a packet has at most 64 bytes)
RAW_BACKLOG_MS = 100  # of raw samples kept for a late `tick`
_IN_FLIGHT_MS = 20  # a younger report may still be in flight: an ACK does not repeat it
_FACTORY_PARAMS = {1: 512, 2: 32, 3: 4, 4: 180, 5: 60, 6: 8}
_REPORT_KINDS = (native.KINDS[native.Card], native.KINDS[native.Fault])


@dataclass(slots=True)
class _Kept:
    report: native.Report
    sent_ms: int | None = None


class NativeBoard:
    """Peer of `NativeDecoder`: keeps its last 32 reports until acknowledged; its clock is that of `tick`.

    optics: simulated reading with the board's parameters; None: each card is read as pulled.
    """

    papers: ClassVar[Papers] = "lots"
    misreads: ClassVar[bool] = True

    def __init__(
        self,
        session: int = 1,
        serial: str = "SIM00001",
        firmware: tuple[int, int] = (1, 0),
        optics: Optics | None = None,
    ) -> None:
        self.serial = serial
        self.firmware = firmware
        self.optics = optics
        self.params = dict(_FACTORY_PARAMS)
        self.acknowledged = 0  # reports acknowledged by the host, over all sessions
        self._saved = dict(_FACTORY_PARAMS)
        self._now = 0
        self._boot(session, cause=1)

    def _boot(self, session: int, cause: int) -> None:
        self.session = session
        self.lost = 0
        self._cause = cause
        self._booted = self._now
        self._next_seq = 0
        self._kept: deque[_Kept] = deque()
        self._framing = Framing()
        self._answers = bytearray()
        self._greeted = False
        self._hello_due = self._now
        self._beat_due = self._now + BEAT_MS
        self._sample_due: int | None = None
        self.params = dict(self._saved)

    @property
    def waiting(self) -> int:
        """Reports not yet acknowledged, 0..32."""
        return len(self._kept)

    def pull(
        self,
        code: int,
        *,
        quality: int = 220,
        agreed: int = 8,
        taken: int = 8,
        transit_ms: int = 45,
        face_up: bool = False,
        double_feed: bool = False,
        backwards: bool = False,
    ) -> None:
        """Pass a card with `code` (u16, else ValueError); its report leaves with the next tick."""
        if not 0 <= code <= 0xFFFF:
            raise ValueError("a code of the native link is 0 to 65535")
        if self.optics:
            reading = self.optics.read(code, self.params, self._now)
            if reading.code is None or reading.quality < self.params[MIN_QUALITY]:
                return self.fault("unreadable")
            code, quality, transit_ms = reading.code, reading.quality, reading.transit_ms
            agreed, taken = reading.agreed, reading.taken
        flags = native.FACE_UP * face_up | native.DOUBLE_FEED * double_feed | native.BACKWARDS * backwards
        seq = self._numbered()
        stamp = self._now - self._booted
        return self._keep(native.Card(seq, self.session, code, quality, agreed, taken, transit_ms, flags, 0, stamp))

    def fault(self, reason: str) -> None:
        """Report something unreadable; `reason` is one of `hardware.readers.messages.REASONS`."""
        number = REASONS.index(reason) + 1
        self._keep(native.Fault(self._numbered(), self.session, number, 0, self._now - self._booted))

    def reset(self, session: int | None = None) -> None:
        """Reboot the board: another session; unacknowledged reports are lost."""
        self._boot((self.session + 1) % 65536 if session is None else session, cause=2)

    def receive(self, chunk: bytes) -> None:
        """Handle bytes from the host; answers leave with the next tick."""
        for frame in self._framing.feed(chunk):
            packet = None if frame is None else native.unpack(frame)
            match packet:
                case None:
                    pass
                case native.Ack():
                    self._on_ack(packet)
                case _:
                    self._on_command(packet)

    def tick(self, now_ms: int) -> bytes:
        """Return the bytes sent up to `now_ms`, which never decreases."""
        self._now = now_ms
        out, self._answers = self._answers, bytearray()
        if not self._greeted and now_ms >= self._hello_due:
            self._hello_due = now_ms + HELLO_MS
            out += _framed(Hello(self.session, 1, self.firmware, self.serial, self._cause))
        if now_ms >= self._beat_due:
            self._beat_due = now_ms + BEAT_MS
            out += _framed(self._beat())
        if self._sample_due is not None and now_ms >= self._sample_due:
            out += self._samples(self._sample_due)
        for kept in self._due_reports():
            kept.sent_ms = now_ms
            out += _framed(replace(kept.report, lost=min(self.lost, 255)))
        return bytes(out)

    def _beat(self) -> Beat:
        uptime = (self._now - self._booted) % 2**32
        if self.optics is None:
            return Beat(self.session, uptime, 200, 12, 31)
        lamp, ambient = self.optics.lamp(self._now), self.optics.light.ambient
        degrees = round(self.optics.degrees(self._now))
        return Beat(self.session, uptime, min(255, round(200 * lamp)), min(255, round(ambient / 16)), degrees)

    def _samples(self, due_ms: int) -> bytes:
        """Return the raw samples from `due_ms` until now; fixed ones without optics."""
        if self.optics is None:
            self._sample_due = self._now + SAMPLE_MS
            return _framed(Sample((self._now - self._booted) % 2**32, (310, 2040, 3105, 296)))
        out, step = bytearray(), RAW_US * RAW_AT_ONCE // 1000
        due_ms = max(due_ms, self._now - RAW_BACKLOG_MS)
        while due_ms + step <= self._now:
            times = range(due_ms * 1000, (due_ms + step) * 1000, RAW_US)
            levels = tuple(self.optics.level(at, self.params) for at in times)
            out += _framed(Sample((due_ms - self._booted) % 2**32, levels))
            due_ms += step
        self._sample_due = due_ms
        return bytes(out)

    def _due_reports(self) -> list[_Kept]:
        due = [kept for kept in self._kept if kept.sent_ms is None]
        oldest = self._kept[0] if self._kept else None
        if oldest and oldest.sent_ms is not None and self._now - oldest.sent_ms >= REPEAT_MS:
            due.insert(0, oldest)
        return due

    def _numbered(self) -> int:
        seq, self._next_seq = self._next_seq, (self._next_seq + 1) % 256
        return seq

    def _keep(self, report: native.Report) -> None:
        if len(self._kept) == KEEPS:
            self._kept.popleft()
            self.lost += 1
        self._kept.append(_Kept(report))

    def _on_ack(self, ack: native.Ack) -> None:
        if ack.session != self.session:
            return
        if ack.kind == native.KINDS[Hello]:
            self._greeted = True
        elif ack.kind in _REPORT_KINDS:
            self._confirm(ack.seq)

    def _confirm(self, seq: int) -> None:
        sent = [kept.report.seq for kept in self._kept if kept.sent_ms is not None]
        done = sent.index(seq) + 1 if seq in sent else 0
        self.acknowledged += done
        for _ in range(done):
            self._kept.popleft()
        oldest = self._kept[0] if self._kept else None
        if oldest and oldest.sent_ms is not None and self._now - oldest.sent_ms >= _IN_FLIGHT_MS:
            oldest.sent_ms = None

    def _on_command(self, packet: native.Packet) -> None:
        match packet:
            case native.Get(id=id_) if id_ in self.params:
                self._answer(Param(id_, self.params[id_]))
            case native.Set(id_, value) if id_ in self.params:
                self.params[id_] = value
                self._answer(Param(id_, value))
            case native.Save():
                self._saved = dict(self.params)
                self._answer(Done(native.KINDS[native.Save], 0))
            case native.Raw(on):
                self._sample_due = self._now if on else None
                self._answer(Done(native.KINDS[native.Raw], 0))
            case native.Selftest():
                self._answer(Done(native.KINDS[native.Selftest], 0))
            case native.Get() | native.Set():
                self._answer(Done(native.KINDS[type(packet)], 1))
            case _:
                pass  # an echoed packet of the board

    def _answer(self, packet: native.Packet) -> None:
        self._answers += _framed(packet)


def _framed(packet: native.Packet) -> bytes:
    return framing.encode(native.pack(packet))
