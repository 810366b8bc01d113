"""Zebra and Honeywell scan engines in SSI packet mode: each code is repeated until acknowledged."""

import re
import time
from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from hardware.readers.line import cannot_be_text, says_unread
from hardware.readers.messages import Message, Read, Repeat, ReportNo, Unread, masked
from hardware.readers.protocol import Decoder, Protocol, ReaderSettings, Sightings

ENGINE, HOST = 0x00, 0x04  # sources
ACK, NAK, START, STOP, DECODED = 0xD0, 0xD1, 0xE4, 0xE5, 0xF3  # opcodes
RETRANSMITTED = 1  # bit of `status`
LONGEST = 96  # bytes of a packet without its checksum; more than a code of a card
STALE_S = 0.5  # a packet comes in one go: after this time its end is lost
REPEATS_WITHIN_S = 10.0  # an engine's longest time-out is 9.9 s: a repeat comes no later
GIVEN_UP_S = (
    2.5  # an engine sends a code again 2 s after it (factory setting); one that came damaged alone is lost then
)
LONGEST_RUN = 2 * LONGEST  # bytes that are no packet, kept until the next one or quiet shows what they were
SESSION = 0  # engines have no numbers: the decoder counts, and continues over restarts
WAKE: Final = bytes(60)  # 62 ms of a byte that wakes an engine: asleep, it loses what comes within 50 ms of it
_HEAD, _CHECK = 4, 2
_TEXT: Final = re.compile(rb"[!-~]{2}")


class Packet(Struct, frozen=True, gc=False):
    """One packet; `body` of a decode is the symbology and then the code."""

    op: int
    source: int = HOST
    status: int = 0
    body: bytes = b""

    def __repr__(self) -> str:
        return masked(self, "body")


def encode(packet: Packet) -> bytes:
    """Return the packet with its length and checksum; ValueError if its body is too long."""
    length = _HEAD + len(packet.body)
    if length > LONGEST:
        raise ValueError(f"a packet has at most {LONGEST} bytes, this one {length}")
    whole = bytes((length, packet.op, packet.source, packet.status)) + packet.body
    return whole + (-sum(whole) % 0x10000).to_bytes(_CHECK, "big")


def decode(frame: bytes) -> Packet | None:
    """Return the packet in exactly these bytes, None if damaged."""
    if not _HEAD <= len(frame) - _CHECK <= LONGEST or frame[0] != len(frame) - _CHECK:
        return None
    if (sum(frame[:-_CHECK]) + int.from_bytes(frame[-_CHECK:], "big")) % 0x10000:
        return None
    return Packet(frame[1], frame[2], frame[3], frame[_HEAD:-_CHECK])


def _is_part(body: bytes, run: bytes) -> bool:
    """Return whether four bytes in a row of the code are in a damaged one, or it is too short to tell."""
    return len(body) < 5 or any(body[at : at + 4] in run for at in range(1, len(body) - 3))


def remains(run: bytes) -> int | None:
    """Return the status of a damaged code among bytes that hold no whole packet, None if they are noise.

    A code shows by the bytes after its length, with text behind; or by its length and two of those three.
    """
    for at in range(len(run) - _HEAD):
        length, op, source, status = run[at : at + _HEAD]
        has = (op == DECODED) + (source == ENGINE) + (status in (0, RETRANSMITTED))
        is_whole = _HEAD < length == len(run) - at - _CHECK
        if (has == 3 and _TEXT.search(run, at + _HEAD)) or (has == 2 and is_whole and _TEXT.search(run, at + _HEAD)):
            return status & RETRANSMITTED
    return None


class SsiDecoder(Decoder):
    """Yields each code once and in order.

    A code that came damaged is an unread card once the engine has given it up: it sends another one for the first time,
    or none for `GIVEN_UP_S`.

    The engine repeats a code, marked as a repeat, until it is acknowledged; only then it sends the next. If the first
    sending may have been lost (in a restart, a reconnect or noise), a repeat may be of the last card or of a new one:
    it is yielded with `gap`, so that people compare the cards. A code sent again, unmarked, within `hold` seconds of
    its last sighting is the same card.
    """

    def __init__(self, settings: ReaderSettings | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        settings = settings or ReaderSettings()
        self._sightings: Sightings = Sightings(settings.hold, clock, repeats=settings.repeats)
        self._not_read = settings.not_read
        self._begun = b""
        self._begun_at = 0.0
        self._last: ReportNo | None = None  # the last one on disk
        self._waiting: ReportNo | None = None  # yielded, not yet on disk
        self._body: bytes | None = None
        self._seq = 0
        self._decoded_at = 0.0  # time of the last good code
        self._is_doubtful = False
        self._run = b""  # bytes that are no packet, since the last one
        self._has_noise = False  # whether unknown bytes came since the last good code
        self._damaged_at: float | None = None  # time of a code that came damaged and was not sent again yet
        self._may_have_missed = False  # whether a first sending was lost since the last good code

    def feed(self, chunk: bytes) -> Iterator[Message]:
        now = self._clock()
        if (self._begun or self._run) and now >= self._begun_at + STALE_S:
            yield from self._messages(now, is_stale=True)
            yield from self._end_run(now)
        if self._damaged_at is not None and now >= self._damaged_at + GIVEN_UP_S:
            yield from self._give_up()
        if chunk:
            self._begun += chunk
            self._begun_at = now
            yield from self._messages(now)

    @property
    def waits_s(self) -> float | None:
        ends = [self._begun_at + STALE_S] if self._begun or self._run else []
        if self._damaged_at is not None:
            ends.append(self._damaged_at + GIVEN_UP_S)
        return max(0.0, min(ends) - self._clock()) if ends else None

    def acknowledge(self, report: ReportNo) -> bytes:
        """Return the bytes of an ACK; none for an older report: the engine would apply them to its current code."""
        is_current = report == (self._waiting or self._last)
        self._last = report
        if not is_current:
            return b""
        self._waiting = None
        return encode(Packet(ACK))

    def resume(self, report: ReportNo | None) -> bytes:
        """Return the bytes that start the engine.

        The next new code gets the number after `report`, 255 away from any that could count as a repeat. A code
        that was yielded and is not yet on disk keeps its number, unless another program read cards from this
        engine since then and counted on from there.
        """
        self.forget()
        self.unanswered = 1
        if report is not None:
            if report != self._last:
                self._waiting = self._body = None
            if self._waiting is None:
                self._last, self._seq = report, (report.seq + 1) % 256
        return encode(Packet(START))

    def again(self) -> bytes:
        """Return the bytes that start an engine which has said nothing since; every second time they wake it before."""
        if not self.unanswered:
            return b""
        self.unanswered += 1
        return (b"" if self.unanswered % 2 else WAKE) + encode(Packet(START))

    def forget(self) -> None:
        self._begun = b""
        self._may_have_missed = True

    def _messages(self, now: float, is_stale: bool = False) -> Iterator[Message]:
        while packet := self._next(is_stale):
            yield from self._end_run(now)
            if packet.op != DECODED:
                continue
            if not packet.status & RETRANSMITTED:
                yield from self._give_up()
            self._damaged_at = None
            yield self._judged(packet, now)

    def _end_run(self, now: float) -> Iterator[Message]:
        """Look for a damaged code among the bytes that were no packet. One that was sent before is not new."""
        run, self._run = self._run, b""
        status = remains(run)
        if status is None:
            self._has_noise = self._has_noise or bool(run)
            if run and self._damaged_at is not None:
                self._damaged_at = now  # it is sent again, and damaged beyond recognition
            return
        if not status:
            yield from self._give_up()
        elif (
            self._damaged_at is None
            and self._body is not None
            and not self._has_noise
            and _is_part(self._body, run)
            and now - self._decoded_at <= REPEATS_WITHIN_S
        ):
            return
        self._damaged_at = now

    def _give_up(self) -> Iterator[Message]:
        """Yield the unread card of a code that came damaged and is not sent again."""
        if self._damaged_at is not None:
            self._damaged_at = None
            yield Unread("unreadable")

    def _next(self, is_stale: bool) -> Packet | None:
        """Remove and return the first whole packet; drop bytes that start none, if stale unfinished ones too."""
        while self._begun:
            length = self._begun[0]
            if not _HEAD <= length <= LONGEST or self._begun[2:3] not in (b"", bytes((ENGINE,))):
                self._skip()
            elif len(self._begun) < length + _CHECK and not is_stale:
                return None
            elif packet := decode(self._begun[: length + _CHECK]):
                self._begun = self._begun[length + _CHECK :]
                self.good += 1
                self.unanswered = 0
                return packet
            else:
                self._skip()
        return None

    def _skip(self) -> None:
        self.bad += not self._run
        self._run = (self._run + self._begun[:1])[-LONGEST_RUN:]
        self._begun = self._begun[1:]
        self._may_have_missed = True

    def _judged(self, packet: Packet, now: float) -> Message:
        repeated = bool(packet.status & RETRANSMITTED)
        missed = self._may_have_missed or now - self._decoded_at > GIVEN_UP_S
        self._may_have_missed, self._has_noise, self._decoded_at = False, False, now
        if repeated:
            is_known = self._waiting is not None or not missed
        else:
            seen = self._sightings.seen(packet.body.decode("latin-1"))
            is_known, self._is_doubtful = seen == "same", seen == "again"
        if is_known and packet.body == self._body:
            return self._again()
        self._body, self._waiting = packet.body, ReportNo(SESSION, self._seq)
        self._seq = (self._seq + 1) % 256
        return self._read(gap=repeated)

    def _again(self) -> Message:
        """Return the message for a repeat of the last packet: a Repeat if it is on disk, else the card again."""
        if self._waiting is None:
            assert self._last is not None
            return Repeat(self._last)
        return self._read()

    def _read(self, gap: bool = False) -> Read | Unread:
        """Return the card of the last packet; a symbology without a code is an unreadable one."""
        assert self._body is not None
        if len(self._body) < 2:
            return Unread("unreadable", self._waiting, gap=gap)
        code = self._body[1:].decode("latin-1")
        if says_unread(code, self._not_read):
            return Unread("unreadable", self._waiting, gap=gap)
        return Read(code, self._waiting, gap=gap, again=self._is_doubtful)


def cannot_send(code: str, _: ReaderSettings) -> str:
    """Return why no packet has a code, "" if one can."""
    return cannot_be_text(code, LONGEST - _HEAD - 1)


PROTOCOL: Final = Protocol(
    SsiDecoder,
    baud=9_600,
    board="hardware.sim.code_boards:SsiBoard",
    mode="SSI packets; from the factory it prints lines, which are for `line`",
    suspects="[reader] baud, and that the engine is in SSI packet mode: from the factory it prints lines, for `line`",
    speaks="between two shoes, hold a code before it, or draw a card; if nothing comes, check its power and cable",
    repeats_within_s=REPEATS_WITHIN_S,
    cannot_send=cannot_send,
)
