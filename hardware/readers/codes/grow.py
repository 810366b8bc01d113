"""GM65 and GM861 barcode modules: codes as text, and answers to commands in between."""

import time
from binascii import crc_hqx
from collections.abc import Callable, Iterator
from typing import Final

from hardware.readers.codes.first_line import Opening
from hardware.readers.codes.line_ends import tail_pattern
from hardware.readers.codes.one_way import Deaf
from hardware.readers.codes.sightings import Sightings
from hardware.readers.messages import Message, Read, Unread
from hardware.readers.protocol import Protocol
from hardware.readers.settings import ReaderSettings

COMMAND, ANSWER = b"\x7e\x00", b"\x02\x00"
READ, WRITE, SAVE = 0x07, 0x08, 0x09
ANY_CRC = b"\xab\xcd"  # the module takes it for any CRC
UNCHECKED = b"\x33\x31"  # what it puts in place of a CRC in answers to such commands
LONGEST_CODE = 256  # bytes; more than any barcode
LONGEST_ANSWER = 16  # bytes of data; a zone read in one go is shorter
TAIL = b"\r\n"  # as the module leaves the factory
_HEAD = 4  # bytes of an answer: mark (2), type, length


def command(kind: int, address: int, arguments: bytes, checked: bool = True) -> bytes:
    """A command to the module: READ, WRITE or SAVE at a zone's address; `checked`: with its CRC-16/XMODEM."""
    body = bytes((kind, len(arguments))) + address.to_bytes(2, "big") + arguments
    return COMMAND + body + (crc_hqx(body, 0).to_bytes(2, "big") if checked else ANY_CRC)


def answer(data: bytes, kind: int = 0, checked: bool = True) -> bytes:
    """What the module answers; kind 0 is success."""
    body = bytes((kind, len(data))) + data
    return ANSWER + body + (crc_hqx(body, 0).to_bytes(2, "big") if checked else UNCHECKED)


TRIGGER = command(WRITE, 0x0002, b"\x01", checked=False)
"""Read one code now, for a module that does not look by itself."""


class GrowDecoder(Deaf):
    """Yields each code as text; see `hardware.readers.Decoder`.

    A code has no checksum of its own: a damaged one is text that no code book holds. Text that is too long or
    not printable was a card nobody can name: `Unread("unreadable")`; so is a code that may have begun before the
    port was opened, as what is left of it may be another card's.
    """

    def __init__(self, settings: ReaderSettings | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.good = 0
        self.bad = 0
        settings = settings or ReaderSettings()
        self._tail = tail_pattern(settings.line_end)
        self._keep = len(settings.line_end)  # bytes that show a tail which came in two portions
        self._sightings = Sightings(settings.hold, clock)
        self._opening = Opening()
        self._begun = b""

    def feed(self, chunk: bytes) -> Iterator[Message]:
        """See `Decoder.feed`."""
        self._opening.hear(chunk)
        self._begun += chunk
        while taken := self._answer() or self._code():
            length, is_code = taken
            item, self._begun = self._begun[:length], self._begun[length:]
            is_cut = self._opening.cuts()
            message = self._message(self._tail.sub(b"", item).strip(), is_cut) if is_code else None
            if message:
                yield message

    def forget(self) -> None:
        """Drop what was begun before the port closed; the next code may have begun too."""
        self._begun = b""
        self._opening.begin()

    def _answer(self) -> tuple[int, bool] | None:
        """Bytes of the answer the buffer begins with, and that it is no code; None if it begins with none."""
        begun = self._begun
        if len(begun) < _HEAD or not begun.startswith(ANSWER) or begun[3] > LONGEST_ANSWER:
            return None
        end = _HEAD + begun[3] + 2
        whole, crc = begun[2 : end - 2], begun[end - 2 : end]
        if len(begun) < end or crc not in (UNCHECKED, crc_hqx(whole, 0).to_bytes(2, "big")):
            return None
        self.good += 1
        return end, False

    def _code(self) -> tuple[int, bool] | None:
        """Bytes of the code the buffer begins with; None if it has no end yet, or may still become an answer."""
        found = self._tail.search(self._begun)
        if found and not self._may_answer():
            return found.end(), True
        if len(self._begun) > LONGEST_CODE:  # keep what shows that a code was there, and its tail if it is near
            self._begun = self._begun[: LONGEST_CODE // 2 + 1] + self._begun[-self._keep :]
        return None

    def _may_answer(self) -> bool:
        begun = self._begun
        if not begun.startswith(ANSWER) or (len(begun) >= _HEAD and begun[3] > LONGEST_ANSWER):
            return False
        return len(begun) < _HEAD or len(begun) < _HEAD + begun[3] + 2

    def _message(self, code: bytes, is_cut: bool) -> Message | None:
        if not code:
            return None
        text = code.decode("latin-1")
        if is_cut or len(code) > LONGEST_CODE // 2 or not (text.isascii() and text.isprintable()):
            self.bad += not is_cut
            return Unread("unreadable")
        self.good += 1
        return None if self._sightings.again(text) else Read(text)


PROTOCOL: Final = Protocol(GrowDecoder, baud=9_600, board="hardware.sim.code_boards:GrowBoard")
