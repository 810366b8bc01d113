"""What each protocol's reader puts on the wire for a row of cards, for tests of all decoders alike."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from hardware import framing
from hardware.readers import READERS, Decoder, ReaderSettings, grow, native, rdm6300, ssi
from hardware.readers.angel_eye_frames import RANKS, Frame, card_bytes, encode
from hardware.readers.messages import Message, Read, Unread

Code = int | str
SESSION = 7  # of the native board


def _native(n: int, code: Code) -> bytes:
    card = native.Card(n % 256, SESSION, int(code), 220, 8, 8, 45, 0, 0, 100 * n)
    return framing.encode(native.pack(card))


def _angel_eye(n: int, code: Code) -> bytes:
    target, index = "PB".index(slot(n)[0]), int(slot(n)[1])
    return 3 * encode(Frame(str(n % 10), "D", card_bytes(target, index, str(code))))


def slot(n: int) -> str:
    """Where a reader that names slots says the n-th card goes."""
    return ("P1", "B1", "P2", "B2")[n % 4]


def _ssi(n: int, code: Code) -> bytes:
    return ssi.encode(ssi.Packet(ssi.DECODED, ssi.ENGINE, 0, b"\x01" + str(code).encode()))


def _distinct(rng: Random, count: int, letters: str, length: int) -> list[str]:
    """Codes of which no two are near each other, as a printed book with check letters has them."""
    return ["".join(rng.choices(letters, k=length)) for _ in range(count)]


@dataclass(frozen=True)
class Line:
    """A protocol's wire: `sent(n, code)` is what the n-th card puts on it, `copies` of it.

    `rounds`: how often a reader that waits for acknowledgements says all of it again. `checked`: by a sum.
    `numbered`: so that what is missing shows; then no two codes of a stream are the same.
    """

    sent: Callable[[int, Code], bytes]
    codes: Callable[[Random, int], Sequence[Code]]
    copies: int = 1
    checked: bool = True
    weak: bool = False  # that sum lets a damaged frame in some hundreds through
    rounds: int = 1
    numbered: bool = False


FACES = [rank + suit for rank in RANKS for suit in "dcsh"]
HEX, LETTERS = "0123456789ABCDEF", "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
LINES = {
    "native": Line(_native, lambda rng, count: rng.sample(range(65_536), count), rounds=3, numbered=True),
    "angel-eye": Line(_angel_eye, lambda rng, count: rng.sample(FACES, count), 3, numbered=True),
    "grow": Line(lambda _, code: str(code).encode() + grow.TAIL, lambda r, n: _distinct(r, n, LETTERS, 10), 1, False),
    "ssi": Line(_ssi, lambda rng, count: _distinct(rng, count, LETTERS, 10), weak=True),
    "rdm6300": Line(lambda _, code: rdm6300.encode(str(code)), lambda r, n: _distinct(r, n, HEX, 10), 1, weak=True),
    "line": Line(lambda _, code: f"{code}\r\n".encode(), lambda r, n: _distinct(r, n, LETTERS, 10), 1, False),
}


def decoder(protocol: str) -> Decoder:
    """A decoder that takes equal codes for two cards: these streams have no time."""
    return READERS[protocol].decoder(ReaderSettings(hold=0))


def taken(decoder: Decoder, chunk: bytes) -> list[Message]:
    """What a bridge is told that puts everything on disk at once."""
    messages = []
    for message in decoder.feed(chunk):
        messages.append(message)
        if isinstance(message, Read | Unread) and message.report:
            decoder.acknowledge(message.report)
    return messages


def spoiled(frame: bytes, rng: Random, since: int = 0) -> bytes:
    """The frame after one damage behind its first bytes: a bit, a byte, or some bytes lost or added."""
    at = rng.randrange(since, len(frame))
    match rng.randrange(4):
        case 0:
            return frame[:at] + bytes((frame[at] ^ 1 << rng.randrange(8),)) + frame[at + 1 :]
        case 1:
            return frame[:at] + rng.randbytes(1) + frame[at + 1 :]
        case 2:
            return frame[:at] + frame[at + rng.randint(1, 3) :]
    return frame[:at] + rng.randbytes(rng.randint(1, 3)) + frame[at:]


def reads(messages: Sequence[Message]) -> list[Code]:
    """The cards among messages."""
    return [message.code for message in messages if isinstance(message, Read)]


def held(decoder: object, depth: int = 3) -> int:
    """Bytes a decoder keeps for later, its parts' included."""
    parts = [getattr(decoder, name, None) for name in getattr(decoder, "__dict__", {})]
    own = sum(len(part) for part in parts if isinstance(part, bytes | bytearray))
    return own + (sum(held(part, depth - 1) for part in parts) if depth else 0)
