"""Link to the keypads at the seats: packets (`pack` is the inverse of `unpack`) and the host's protocol state.

A packet is its type, a number and a body; `hardware.framing` adds the CRC, COBS and the 00 that ends it.
"""

from collections.abc import Iterator
from struct import Struct as Layout
from typing import Final

from msgspec import Struct

from hardware import framing
from hardware.framing import Framing

PROTOCOL: Final = 1
WORDS: Final = (
    *("S", "H", "DD", "SP", "SU", "look", "fold", "call", "raise", "compare", "grab", "bet", "lot", "next"),
    "unmark",
)
"""Words of marks: a word is sent as its index here, from 1, or as a bit of a mask, lowest first."""

NEXT: Final = "next"
"""The word of the dealer's key NEXT: of no seat (0), on the dealer's pad."""

UNMARK: Final = "unmark"
"""The word of the dealer's key that takes back the last mark: of no seat (0), on the dealer's pad."""

LONGEST_VALUE: Final = 16
"""Longest value of a mark, in characters."""

_HELLO = Layout(">HBBB")
_MARK = Layout(">HHBBB")
_BEAT = Layout(">H")
_ACK = Layout(">BH")
_TURN = Layout(">HBH")

PAD_KEEPS = 32
"""Marks that a pad keeps and can repeat."""

COPIES_WHEN_NOISY = 2
"""A CRC-16 lets one damaged frame in 65,536 through."""

COPIES_OF_UNEXPECTED = 3
"""A pad repeats only its oldest mark: a mark received three times is the oldest."""

TRUST_AFTER = 32
"""Good packets in a row after which a line that damaged one is trusted again: half a minute of beats."""


class Hello(Struct, frozen=True, gc=False):
    """Sent by a pad after power-on: a new `session`, for `seats` seats from number `first` on."""

    session: int
    protocol: int
    first: int
    seats: int


class Mark(Struct, frozen=True, gc=False):
    """Numbered report: a key at `seat` while the pad showed `turn`. hand: 0 is the hand in turn. value: "" for none."""

    seq: int
    session: int
    turn: int
    seat: int
    hand: int
    word: str
    value: str = ""


class Beat(Struct, frozen=True, gc=False):
    """Heartbeat of a pad, every second."""

    session: int


class Ack(Struct, frozen=True, gc=False):
    """The host has the report `seq` of `session`; with `kind` HELLO, it has the Hello of `session`."""

    seq: int
    kind: int
    session: int


class Turn(Struct, frozen=True, gc=False):
    """The words a seat may give now (seat 0: no seat of this pad), and the `least` and `most` amount with a word."""

    turn: int
    seat: int
    words: tuple[str, ...] = ()
    least: str = ""
    most: str = ""


Packet = Hello | Mark | Beat | Ack | Turn
KINDS: Final[dict[type, int]] = {Hello: 0x10, Mark: 0x11, Beat: 0x12, Ack: 0x81, Turn: 0x91}


def pack(packet: Packet) -> bytes:
    """Return type, number and body of a packet, without CRC or framing. Raises struct.error, ValueError on overflow."""
    return bytes((KINDS[type(packet)], getattr(packet, "seq", 0))) + _body(packet)


def unpack(packet: bytes) -> Packet | None:
    """Return the decoded packet (CRC and framing removed), or None if the protocol has no such packet."""
    if len(packet) < 2:
        return None
    kind, seq, body = packet[0], packet[1], packet[2:]
    if kind == KINDS[Hello] and len(body) == _HELLO.size:
        return Hello(*_HELLO.unpack(body))
    if kind == KINDS[Beat] and len(body) == _BEAT.size:
        return Beat(*_BEAT.unpack(body))
    if kind == KINDS[Ack] and len(body) == _ACK.size:
        return Ack(seq, *_ACK.unpack(body))
    if kind == KINDS[Mark] and _MARK.size <= len(body) <= _MARK.size + LONGEST_VALUE:
        return _mark(seq, body)
    if kind == KINDS[Turn] and len(body) > _TURN.size:
        return _turn(body)
    return None


def _body(packet: Packet) -> bytes:
    match packet:
        case Hello():
            return _HELLO.pack(packet.session, packet.protocol, packet.first, packet.seats)
        case Beat():
            return _BEAT.pack(packet.session)
        case Ack():
            return _ACK.pack(packet.kind, packet.session)
        case Mark():
            head = _MARK.pack(packet.session, packet.turn, packet.seat, packet.hand, WORDS.index(packet.word) + 1)
            return head + packet.value.encode("ascii")
        case Turn():
            bits = sum(1 << WORDS.index(word) for word in packet.words)
            amounts = f"{packet.least}\0{packet.most}".encode("ascii")
            return _TURN.pack(packet.turn, packet.seat, bits) + amounts


def _mark(seq: int, body: bytes) -> Mark | None:
    session, turn, seat, hand, word = _MARK.unpack_from(body)
    value = body[_MARK.size :]
    if not 1 <= word <= len(WORDS) or not all(0x20 <= byte < 0x7F for byte in value):
        return None
    return Mark(seq, session, turn, seat, hand, WORDS[word - 1], value.decode("ascii"))


def _turn(body: bytes) -> Turn | None:
    turn, seat, bits = _TURN.unpack_from(body)
    least, split, most = body[_TURN.size :].partition(b"\0")
    if not split or not (least + most).isascii():
        return None
    words = tuple(word for n, word in enumerate(WORDS) if bits >> n & 1)
    return Turn(turn, seat, words, least.decode("ascii"), most.decode("ascii"))


class KeypadLink:
    """Receives a pad's packets; a mark is yielded again at each repeat until it is acknowledged.

    good: whole packets so far. On a line that damaged a packet lately a mark must come twice.
    """

    def __init__(self) -> None:
        self.good = 0
        self._framing = Framing()
        self._opening = True  # the first packet after an open may have lost its head
        self._clean = TRUST_AFTER
        self._last: tuple[int, int] | None = None
        self._copies: tuple[Mark | None, int] = (None, 0)

    def feed(self, chunk: bytes) -> Iterator[Hello | Mark | Beat]:
        """Yield the packets in `chunk`, also marks acknowledged before: acknowledge those again."""
        for frame in self._framing.feed(chunk):
            packet = None if frame is None else unpack(frame)
            opening, self._opening = self._opening, False
            if not isinstance(packet, Hello | Mark | Beat):
                self._clean = self._clean if opening else 0
                continue
            self.good += 1
            self._clean += 1
            if not isinstance(packet, Mark) or self._is_next(packet):
                yield packet  # else an earlier mark was damaged and will be repeated first

    def _is_next(self, mark: Mark) -> bool:
        """Return whether every earlier mark has been acknowledged, and this one came often enough to be believed."""
        if self.is_acknowledged(mark):
            return True
        before, copies = self._copies
        self._copies = mark, copies + 1 if before == mark else 1
        last = self._last
        expected = 0 if last is None or last[0] != mark.session else (last[1] + 1) % 256
        if mark.seq != expected:
            return self._copies[1] >= COPIES_OF_UNEXPECTED
        return self._clean >= TRUST_AFTER or self._copies[1] >= COPIES_WHEN_NOISY

    def is_acknowledged(self, mark: Mark) -> bool:
        """Return whether the mark is among the last `PAD_KEEPS` acknowledged ones of its session."""
        last = self._last
        return last is not None and last[0] == mark.session and (last[1] - mark.seq) % 256 < PAD_KEEPS

    def acknowledge(self, mark: Mark) -> bytes:
        """Return the bytes that acknowledge the mark and all before it; send them once it is on disk."""
        if not self.is_acknowledged(mark):
            self._last = (mark.session, mark.seq)
        return _framed(Ack(mark.seq, KINDS[Mark], mark.session))

    def reopened(self) -> None:
        """Drop the unfinished frame: call it after each reopen of the port."""
        self._framing.forget()
        self._opening = True


def greeting(hello: Hello) -> bytes:
    """Return the bytes that acknowledge a Hello."""
    return _framed(Ack(0, KINDS[Hello], hello.session))


def encode_turns(turns: list[Turn]) -> bytes:
    """Return the bytes that make a pad show these turns."""
    return b"".join(map(_framed, turns))


def _framed(packet: Packet) -> bytes:
    return framing.encode(pack(packet))
