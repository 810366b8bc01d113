"""Keypads at the seats of a table: their packets (`pack` is the inverse of `unpack`), and the host's end of their link.

A packet is its type, a number and a body; `hardware.framing` adds the CRC, COBS and the 00 that ends it.
"""

from collections.abc import Iterator
from struct import Struct as Layout
from typing import Final

from msgspec import Struct

from hardware import framing
from hardware.framing import Framing

PROTOCOL: Final = 1
WORDS: Final = ("S", "H", "DD", "SP", "SU", "look", "fold", "call", "raise", "compare", "grab", "bet", "lot")
"""The words of marks; on the link a word is its place here, from 1, or a bit of a mask, from the lowest."""

LONGEST_VALUE: Final = 16
"""Characters of the longest value of a mark."""

_HELLO = Layout(">HBBB")
_MARK = Layout(">HHBBB")
_BEAT = Layout(">H")
_ACK = Layout(">BH")
_TURN = Layout(">HBH")

PAD_KEEPS = 32
"""Marks a pad can still repeat."""

COPIES_OF_UNEXPECTED = 3
"""A pad repeats only its oldest mark: what comes thrice has none before it."""


class Hello(Struct, frozen=True, gc=False):
    """A pad that was switched on: a new `session`, for `seats` seats from number `first` on."""

    session: int
    protocol: int
    first: int
    seats: int


class Mark(Struct, frozen=True, gc=False):
    """Numbered report: a key at `seat` while the pad showed `turn`. hand: 0 for the one asked. value: "" for none."""

    seq: int
    session: int
    turn: int
    seat: int
    hand: int
    word: str
    value: str = ""


class Beat(Struct, frozen=True, gc=False):
    """The pad is there: every second."""

    session: int


class Ack(Struct, frozen=True, gc=False):
    """The host has the report `seq` of `session`, or with `kind` HELLO has heard it."""

    seq: int
    kind: int
    session: int


class Turn(Struct, frozen=True, gc=False):
    """What a seat (0: none of this pad) may say now, and the `least` and `most` amount that may come with a word."""

    turn: int
    seat: int
    words: tuple[str, ...] = ()
    least: str = ""
    most: str = ""


Packet = Hello | Mark | Beat | Ack | Turn
KINDS: Final[dict[type, int]] = {Hello: 0x10, Mark: 0x11, Beat: 0x12, Ack: 0x81, Turn: 0x91}


def pack(packet: Packet) -> bytes:
    """Type, number and body of a packet, without CRC and framing; struct.error, ValueError if a field does not fit."""
    return bytes((KINDS[type(packet)], getattr(packet, "seq", 0))) + _body(packet)


def unpack(packet: bytes) -> Packet | None:
    """The packet in `packet` (CRC and framing taken off), or None if it is none of the protocol's."""
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
    """Yields what a pad says; a mark that was yielded and not acknowledged comes again when the pad repeats it."""

    def __init__(self) -> None:
        self._framing = Framing()
        self._last: tuple[int, int] | None = None
        self._unexpected: tuple[Mark | None, int] = (None, 0)

    def feed(self, chunk: bytes) -> Iterator[Hello | Mark | Beat]:
        """What arrives in `chunk`; a mark that was acknowledged before comes too: acknowledge it again."""
        for frame in self._framing.feed(chunk):
            match None if frame is None else unpack(frame):
                case Mark() as mark if not self._is_next(mark):
                    pass  # one before it was damaged on its way, and comes again
                case Hello() | Mark() | Beat() as packet:
                    yield packet

    def _is_next(self, mark: Mark) -> bool:
        """Whether no mark can have come before it that was not acknowledged."""
        last = self._last
        expected = 0 if last is None or last[0] != mark.session else (last[1] + 1) % 256
        if mark.seq == expected or self.is_acknowledged(mark):
            return True
        before, copies = self._unexpected
        self._unexpected = mark, copies + 1 if before == mark else 1
        return self._unexpected[1] >= COPIES_OF_UNEXPECTED

    def is_acknowledged(self, mark: Mark) -> bool:
        last = self._last
        return last is not None and last[0] == mark.session and (last[1] - mark.seq) % 256 < PAD_KEEPS

    def acknowledge(self, mark: Mark) -> bytes:
        """What tells the pad that the mark, and all before it, is on disk."""
        if not self.is_acknowledged(mark):
            self._last = (mark.session, mark.seq)
        return _framed(Ack(mark.seq, KINDS[Mark], mark.session))

    def reopened(self) -> None:
        """The port was opened again: the frame that was begun is lost."""
        self._framing.forget()


def greeting(hello: Hello) -> bytes:
    """What tells a pad that it was heard."""
    return _framed(Ack(0, KINDS[Hello], hello.session))


def encode_turns(turns: list[Turn]) -> bytes:
    """What a pad is to show."""
    return b"".join(map(_framed, turns))


def _framed(packet: Packet) -> bytes:
    return framing.encode(pack(packet))
