"""GM65 and GM861 barcode modules: codes as text, mixed with answers to commands."""

import time
from binascii import crc_hqx
from collections.abc import Callable, Iterator
from typing import Final

from hardware.readers.line import TextDecoder, cannot_be_text
from hardware.readers.messages import Message
from hardware.readers.protocol import Protocol, ReaderSettings

COMMAND, ANSWER = b"\x7e\x00", b"\x02\x00"
READ, WRITE, SAVE = 0x07, 0x08, 0x09
ANY_CRC = b"\xab\xcd"  # accepted by the module in place of a CRC
LONGEST_CODE = 256  # bytes; more than any barcode
LONGEST_ANSWER = 16  # bytes of data; a zone read in one go is shorter
TAIL = b"\r\n"  # factory setting
_HEAD = 4  # bytes of an answer: mark (2), type, length


def command(kind: int, address: int, arguments: bytes, checked: bool = True) -> bytes:
    """Return the bytes of a command: READ, WRITE or SAVE at a zone's address. checked: with a CRC-16/XMODEM."""
    body = bytes((kind, len(arguments))) + address.to_bytes(2, "big") + arguments
    return COMMAND + body + (crc_hqx(body, 0).to_bytes(2, "big") if checked else ANY_CRC)


def answer(data: bytes, kind: int = 0) -> bytes:
    """Return the bytes of the module's answer; kind 0 is success."""
    body = bytes((kind, len(data))) + data
    return ANSWER + body + crc_hqx(body, 0).to_bytes(2, "big")


TRIGGER = command(WRITE, 0x0002, b"\x01", checked=False)
"""The command to read one code now, for a module in triggered mode."""


class GrowDecoder(TextDecoder):
    """Yields each code as text without a checksum; a text too long or not printable is an unreadable card."""

    def __init__(self, settings: ReaderSettings | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(settings or ReaderSettings(), clock)

    def feed(self, chunk: bytes) -> Iterator[Message]:
        self._opening.feed(chunk)
        self._begun += chunk
        while found := self._answer() or self._line():
            length, is_line = found
            item, self._begun = self._begun[:length], self._begun[length:]
            if not is_line:
                self._opening.cuts()  # the first bytes were an answer
            elif message := self._message(self._tail.sub(b"", item).strip()):
                yield message

    def _answer(self) -> tuple[int, bool] | None:
        """Return the length of the answer at the start of the buffer, and False; None if there is none."""
        begun = self._begun
        if len(begun) < _HEAD or not begun.startswith(ANSWER) or begun[3] > LONGEST_ANSWER:
            return None
        end = _HEAD + begun[3] + 2
        whole, crc = begun[2 : end - 2], begun[end - 2 : end]
        if len(begun) < end or crc != crc_hqx(whole, 0).to_bytes(2, "big"):
            return None
        self.good += 1
        return end, False

    def _line(self) -> tuple[int, bool] | None:
        """Return the length of the line at the start of the buffer, and True; None if unfinished or maybe an answer."""
        found = self._tail.search(self._begun)
        if found and not self._may_answer():
            return found.end(), True
        if len(self._begun) > LONGEST_CODE:  # keep enough to report an unreadable code, and a possible tail
            self._begun = self._begun[: LONGEST_CODE // 2 + 1] + self._begun[-self._keep :]
        return None

    def _may_answer(self) -> bool:
        begun = self._begun
        if not begun.startswith(ANSWER) or (len(begun) >= _HEAD and begun[3] > LONGEST_ANSWER):
            return False
        return len(begun) < _HEAD or len(begun) < _HEAD + begun[3] + 2

    def _code(self, line: bytes) -> str | None:
        text = line.decode("latin-1")
        return text if len(line) <= LONGEST_CODE // 2 and text.isascii() and text.isprintable() else None


INDUCTION: Final = command(WRITE, 0x0000, b"\xd7", checked=False) + command(SAVE, 0x0000, b"\0")
"""The commands that set induction mode, and keep it: the module then reads once when something moves before it."""

REPEATS_S: Final = 2.0
"""Seconds: in its factory mode, continuous, the module reads what lies before it again each second."""

ONCE: Final = (
    f"its induction or trigger mode: scan its code in the module's manual, or send {INDUCTION.hex(' ').upper()}"
)


def cannot_send(code: str, _: ReaderSettings) -> str:
    """Return why no line of a module is a code, "" if one can be."""
    if not code.isascii() or not code.isprintable():
        return "the module's codes have only the letters of ASCII"
    return cannot_be_text(code, LONGEST_CODE // 2)


PROTOCOL: Final = Protocol(
    GrowDecoder,
    baud=9_600,
    board="hardware.sim.code_boards:GrowBoard",
    mode="it reads by itself, continuous or by induction, not on a command; serial, not as a keyboard",
    suspects="[reader] baud (9600 from the factory), and that the module sends CR LF behind each code",
    speaks="between two shoes, hold a code before it, or draw a card; if nothing comes, see that it reads by itself",
    repeats=REPEATS_S,
    report_once=ONCE,
    cannot_send=cannot_send,
)
