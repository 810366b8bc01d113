"""Angel Eye II-EX shoes: they read the cards, apply the rules themselves, and send each report three times."""

import re
import time
from collections.abc import Callable, Iterator
from typing import Final

from hardware.readers import protocol
from hardware.readers.angel_eye_frames import (
    BIT_7,
    CHECK,
    Frame,
    Frames,
    card_of,
    dealt_in,
    decode,
    encode,
)
from hardware.readers.messages import CutCard, Message, Notice, Outcome, Read, Unread, Verdict
from hardware.readers.protocol import MASKED, Decoder, Protocol, ReaderSettings, whole

SLOTS: Final = {0: "P", 1: "B"}
FIRST_PLACE: Final = BIT_7 | 1  # the player's first card
BURNED: Final = (2, 4)
"""Targets of burned cards: face down, and the exposed first one."""

OUTSIDE: Final = {0: "locked", 1: "in error", 2: "being set up"}
OUTCOMES: Final[dict[int, Outcome]] = {1: "player", 2: "tie", 4: "banker", 7: "forced"}
UNREAD: Final = {1: "unreadable", 4: "backwards", 5: "backwards", 6: "unreadable"}
"""Errors caused by a card; cards pulled after them are reported as drawn in error."""

ERRORS: Final = {2: "a card too many was drawn", 3: "a button was pressed out of turn", 7: "a card took too long"}

OVERDRAWN: Final = 2
"""The error of a card too many. The pit may use it: the shoe then reports it by R as the first of the next round."""

COPIES_TAKE_S: Final = 0.3
"""Within this time of its first copy no other card passes."""

COPIES_WITHIN_S: Final = 1.0
"""Longest time between two copies of a report; three copies take some 60 ms."""

REPEATABLE: Final = "PeLM"
"""Commands of reports that may come at any time and change nothing: a repeat is ignored."""

COMPARE: Final = "compare the cards with the dealer's screen or shoe watch"

DISPUTED: Final = f"the copies of a report differ: {COMPARE}"


class AngelEyeDecoder(Decoder):
    """Yields each report once. Nothing is ever sent to the shoe.

    A card's `code` is its name (`8s`), its `slot` P1..B3 or `burn`. A report lost in all three copies shows as a
    jump of the numbers (digits that count up by one): then `Notice(.., gap=True)` comes first. It also comes before
    a report that equals the last one after a pause: that may be a repeat, or ten reports later.
    The checksum is a plain XOR, which two flipped bits can pass: a report is accepted when two copies agree. If the
    third copy differs, the card is unread, or a notice with `gap` follows if it was accepted already. A card of
    which no copy is accepted is unread.
    A restarted shoe begins a new game even with cards on the table: that is a `gap` too.
    """

    def __init__(self, _settings: ReaderSettings | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._copy_at = self._heard_at = clock()
        self._has_paused = False  # since the last report
        self._frames = Frames()
        self._last: Frame | None = None
        self._recent: tuple[Frame, ...] = ()  # the last two
        self._after_nine = "01"  # the number that follows 9 in this shoe, known after the first time
        self._is_damaged = True  # the line, since the last report
        self._is_disputed = False  # the last report
        self._laid: dict[int, int] = {}  # place -> card of the round, both as raw bytes
        self._is_over = False  # that round
        self._believed_at = -COPIES_WITHIN_S
        self._doubted: str | None = None  # number of a card of which no copy is believed
        self._doubted_at = clock()
        self._doubted_card = b""  # what its first copy has for place and card
        self._announced: tuple[int, int] | None = None  # place and card of an R that may be a card of its own

    def feed(self, chunk: bytes) -> Iterator[Message]:
        now = self._clock()
        if now >= self._heard_at + COPIES_WITHIN_S:
            yield from self._quiet()
        self._heard_at = now if chunk else self._heard_at
        for frame in self._frames.feed(chunk):
            if isinstance(frame, bytes):
                yield from self._damaged(frame, now)
                continue
            self.good += 1
            if now - self._copy_at > COPIES_WITHIN_S:
                self._recent, self._has_paused = (), True
            self._copy_at = now
            yield from self._copy(frame, now)

    @property
    def waits_s(self) -> float | None:
        is_waiting = self._doubted is not None or self._frames.is_begun
        return max(0.0, self._heard_at + COPIES_WITHIN_S - self._clock()) if is_waiting else None

    def _quiet(self) -> Iterator[Message]:
        """End a frame that lost its end, and the doubt about a card."""
        if left := self._frames.end():
            yield from self._damaged(left, self._heard_at)
        if self._doubted is not None:
            yield from self._unread()

    def _copy(self, frame: Frame, now: float) -> Iterator[Message]:
        before, self._recent = self._recent, (*self._recent[-1:], frame)
        is_news = frame != self._last or (self._has_paused and frame.command not in REPEATABLE)
        if frame in before and is_news:
            yield from self._cleared(frame)
            self._believed_at = now
            yield from self._believed(frame, is_disputed=any(_differ(frame, other) for other in before))
        elif self._last and _differ(frame, self._last) and not self._is_disputed:
            self._is_disputed = True
            yield Notice(DISPUTED, gap=True)
        else:
            if before and before[-1] not in (frame, self._last):
                self._is_damaged = True
            if frame.command == "D" and is_news:
                yield from self._doubt(frame.seq, frame.payload, now)

    def _damaged(self, frame: bytes, at: float) -> Iterator[Message]:
        """Note a damaged frame; with the card of a copy before it, it is one too, though its number differs."""
        self.bad += 1
        self._is_damaged = True
        is_known = any(known.payload and encode(known)[2:-CHECK] in frame for known in self._recent)
        if (dealt := dealt_in(frame)) and not is_known:
            yield from self._doubt(*dealt, at)

    def _doubt(self, seq: str, card: bytes, now: float) -> Iterator[Message]:
        """Note a copy of a card that is not believed, unless it is of the last report."""
        is_recent = now < self._believed_at + COPIES_WITHIN_S
        if self._last and (seq == self._last.seq or (is_recent and not _follows(self._last.seq, seq))):
            return
        is_same = self._doubted is not None and card == self._doubted_card
        if self._doubted is not None and not is_same and _follows(self._doubted, seq):
            if now < self._doubted_at + COPIES_TAKE_S:
                return  # a copy of which the number is damaged
            yield from self._unread()
        if self._doubted is None:
            self._doubted_at = now
        if self._doubted is None or not self._doubted.isdecimal() or (is_same and self._is_next(seq)):
            self._doubted, self._doubted_card = seq, card

    def _is_next(self, seq: str) -> bool:
        return self._last is not None and _follows(self._last.seq, seq)

    def _cleared(self, frame: Frame) -> Iterator[Message]:
        """End the doubt about a card: it is this one, or was lost before it."""
        is_same = frame.payload == self._doubted_card
        if self._doubted is not None and not is_same and _follows(self._doubted, frame.seq):
            yield from self._unread()
        self._doubted = None

    def _unread(self) -> Iterator[Message]:
        """Yield the unread card of which no copy was believed; its number is known then."""
        assert self._doubted is not None
        seq, self._doubted = self._doubted, None
        yield from self._settled(Frame(seq, "E", bytes((BIT_7 | 1,))))
        if self._last is None or _follows(self._last.seq, seq):
            self._last, self._has_paused = Frame(seq, "D"), False
        yield Unread("unreadable")

    def forget(self) -> None:
        """Drop the unfinished frame; its copies still follow."""
        self._frames.forget()
        self._is_damaged = True

    def _believed(self, frame: Frame, is_disputed: bool) -> Iterator[Message]:
        missed = frame == self._last or self._missed(frame)
        self._last, self._is_damaged, self._is_disputed, self._has_paused = frame, False, is_disputed, False
        if missed:
            yield Notice("reports before this one were lost", gap=True)
        if is_disputed and frame.command == "D":
            yield Unread("unreadable")
        else:
            yield from self._messages(frame)

    def _missed(self, frame: Frame) -> bool:
        last = self._last
        if last is None or frame.command == "S" or not (last.seq.isdigit() and frame.seq.isdigit()):
            return False
        if last.command == "S" and frame.seq in "01":  # the count may restart there
            return False
        if last.seq != "9":
            return frame.seq != str(int(last.seq) + 1)
        return self._missed_after_nine(frame.seq)

    def _missed_after_nine(self, seq: str) -> bool:
        """Return whether reports were lost after number 9; 0 or 1 follows it, as the shoe shows the first time."""
        known, is_clear = self._after_nine, seq == "0" or not self._is_damaged
        if seq in "01" and is_clear:
            self._after_nine = seq
        return seq not in known or not (is_clear or seq == known)

    def _messages(self, frame: Frame) -> Iterator[Message]:
        command, length = frame.command, len(frame.payload)
        if length < _LENGTHS.get(command, 0) or (length > 2 and command in "DR"):
            yield Notice(f"a report {command} of another length than known", gap=command in "DdR")
        elif command == "D":
            yield from self._settled(frame)
            yield self._dealt(*frame.payload)
        elif command == "R":
            yield from self._settled(frame)
            yield self._again(*frame.payload)
        else:
            yield from self._settled(frame)
            self._is_over = self._is_over or command in "SG"
            yield _MEANINGS.get(command, _strange)(frame)

    def _dealt(self, place: int, face: int) -> Message:
        target, index, code = place >> 4 & 7, place & 15, card_of(face)
        if target == 5:
            return Notice("the shoe counts the burn")
        if self._is_over:
            self._laid, self._is_over = {}, False
        self._laid[place] = face
        if code and target in BURNED:
            return Read(code, slot="burn")
        if code and target in SLOTS and 1 <= index <= 3:
            return Read(code, slot=f"{SLOTS[target]}{index}")
        return Unread("unreadable")

    def _again(self, place: int, face: int) -> Message:
        """Return the notice of a card reported by R: a repeat, or one of its own that waits for what follows."""
        if self._laid.get(place) == face and not self._is_first(place):
            return Notice("a card was reported again, the same")
        is_next = self._is_first(place) or (self._laid and not self._is_over and place not in self._laid)
        if is_next and card_of(face) and place >> 4 & 7 in SLOTS:
            self._announced = place, face
            return Notice("a card was announced: the next report shows whether it is one of its own")
        return Notice(f"a card was reported again, and it differs: {COMPARE}", gap=True)

    def _is_first(self, place: int) -> bool:
        """Return whether a card in this place would be the first of the next round."""
        return self._is_over and place == FIRST_PLACE

    def _settled(self, frame: Frame) -> Iterator[Message]:
        """Yield the card announced by R, which public users take for a card drawn too early or for a deal again.

        The next report of a card shows which: it comes to that place again, or behind it. So does a result, or
        another card that must come behind it.
        """
        if self._announced is None or not _settles(frame):
            return
        (place, face), self._announced = self._announced, None
        if frame.command == "S":
            yield Notice(f"the shoe was started after a card was announced: {COMPARE}", gap=True)
        elif frame.command not in "DR" or frame.payload[0] != place:
            yield self._dealt(place, face)
        elif frame.payload[1] == face:
            yield Notice("a card was announced, and reported again, the same")
        else:
            yield Notice(f"a card was announced, and it differs: {COMPARE}", gap=True)


def _settles(frame: Frame) -> bool:
    """Return whether a report shows what a card announced before it was."""
    return frame.command in "DRGdCS" or (frame.command == "E" and frame.payload[0] & 63 in UNREAD)


def _follows(seq: str, after: str) -> bool:
    """Return whether the second number can be the next one."""
    return (seq + after).isdecimal() and (int(after) == int(seq) + 1 or (seq == "9" and after in "01"))


def _differ(one: Frame, other: Frame) -> bool:
    return one.seq == other.seq and one != other and "S" not in (one.command, other.command)


def _outside(frame: Frame) -> Message:
    return Unread(f"drawn while {OUTSIDE.get(frame.payload[0] >> 4 & 7, 'no game is on')}")


def _verdict(frame: Frame) -> Message:
    outcome, pairs = OUTCOMES.get(frame.payload[0] >> 4 & 7), frame.payload[0] & 15
    if outcome is None or pairs > 3:
        return Notice("a result that is none", gap=True)
    return Verdict(outcome, bool(pairs & 1), bool(pairs & 2))


def _error(frame: Frame) -> Message:
    number = frame.payload[0] & 63
    if number in UNREAD:
        return Unread(UNREAD[number])
    return Notice(f"error {number}: {ERRORS.get(number, 'unknown')}", overdrawn=number == OVERDRAWN)


def _lock(frame: Frame) -> Message:
    return Notice("locked" if frame.payload[0] & 1 else "unlocked")


def _strange(frame: Frame) -> Message:
    return Notice(f"a report {frame.command} that is not known")


_LENGTHS: Final = {"D": 2, "R": 2, "d": 1, "G": 1, "E": 1, "L": 1}
"""Command -> shortest payload, in bytes."""

_MEANINGS: Final[dict[str, Callable[[Frame], Message]]] = {
    "S": lambda _: Notice("the shoe starts", gap=True),  # it saw nothing while it was off
    "P": lambda _: Notice("the shoe stands by"),
    "d": _outside,
    "G": _verdict,
    "C": lambda _: CutCard(),
    "E": _error,
    "e": lambda _: Notice("an error was cancelled"),
    "L": _lock,
    "M": lambda _: Notice("a preset value was changed"),
}


CLEAR: Final = "SPCEeL"
"""Commands of reports without a card or a result."""

_FRAME: Final = re.compile(rb"(\x05[^\x03\x05]*\x03[0-9A-F]{2})")


class AngelEyeFrames(protocol.Frames):
    """Frames from the start byte to the checksum."""

    def split(self, seen: bytes) -> tuple[list[bytes], bytes]:
        *ended, begun = _FRAME.split(seen)
        return whole(ended, begun)

    def masked(self, frame: bytes) -> str:
        known = decode(frame)
        if known is None:
            return MASKED
        return frame.hex(" ") if known.command in CLEAR else f"{frame[:3].hex(' ')} {MASKED}"


PROTOCOL: Final = Protocol(
    AngelEyeDecoder,
    baud=4_800,
    board="hardware.sim.angel_eye:AngelEyeShoe",
    mode="its shoe is loaded and started; some of them speak at 9600 baud",
    suspects="[reader] baud: 4800 from the factory, 9600 at some",
    speaks="press a key at the shoe, or draw a card; if nothing comes, check its RS-232 cable",
    frames=AngelEyeFrames(),
    has_fixed_codes=True,
    judges=True,
)
