"""Cards pass one by one on a bad cable: each is read, or told as unread before the next, and none is made up."""

from collections.abc import Iterator
from random import Random
from typing import Final

import pytest

from hardware.readers import READERS, ReaderSettings, ssi
from hardware.readers.angel_eye_frames import Frame, encode
from hardware.readers.messages import Message, Notice, Read, Unread
from tests.hardware.streams import FACES, LINES, Code, spoiled, taken
from tests.kit.nightly import share

CARDS: Final = 40  # of a shoe
FRAMES: Final = share(1_000_000, of=100)
PACE_S: Final = (0.6, 1.0, 2.0, 5.0)
REPEATED_S: Final = {"rdm6300": 0.05, "angel-eye": 0.02}
"""Protocol -> seconds from one copy of a frame to the next."""

EACH_NAMED: Final = ("rdm6300", "ssi")
"""Protocols that say one word for each damaged card: a line end that is lost makes two cards one, a number that is
missing may be of more than one."""

ENGINE_S, TRIES = 2.0, 3  # a scan engine sends a code again, this often at most


class Table:
    """A decoder on a virtual clock: it is told of quiet when it waits for that, as the reader does."""

    def __init__(self, protocol: str, rng: Random) -> None:
        self.now, self.frames, self.messages = 0.0, 0, list[Message]()
        self.protocol, self.rng = protocol, rng
        self.damage = rng.choice((0.0, 0.1, 0.5))
        settings = ReaderSettings(hold=0.5 if protocol == "rdm6300" else 0)
        self.decoder = READERS[protocol].decoder(settings)
        self.decoder._clock = lambda: self.now  # type: ignore[attr-defined]

    def hear(self, frame: bytes, since: int = 0) -> list[Message]:
        """Feeds a frame in portions; what it gave. since: where damage begins."""
        self.frames += 1
        sent = spoiled(frame, self.rng, since) if self.rng.random() < self.damage else frame
        said, cut = list[Message](), self.rng.randint(1, len(frame))
        for portion in (sent[:cut], sent[cut:]):
            if portion:
                said += taken(self.decoder, portion)
        self.messages += said
        return said

    def rest(self, seconds: float) -> None:
        until = self.now + seconds
        while (wait := self.decoder.waits_s) is not None and self.now + wait <= until:
            self.now += max(wait, 0.001)
            self.messages += taken(self.decoder, b"")
        self.now = max(until, self.now)

    def pass_card(self, n: int, code: Code) -> None:
        """Lets one card pass, and the time to the next."""
        line = LINES[self.protocol]
        frame = line.sent(n, code)
        frame = frame[: len(frame) // line.copies]
        if self.protocol == "ssi":
            self._scan(frame)
        else:
            every = REPEATED_S.get(self.protocol, 0.0)
            copies = line.copies if line.copies > 1 else self.rng.randint(1, 4) if every else 1
            for _ in range(copies):
                self.hear(frame)
                self.rest(every)
        self.rest(self.rng.choice(PACE_S) + (0.6 if self.protocol == "angel-eye" else 0))

    def _scan(self, frame: bytes) -> None:
        """Sends a code again until it is acknowledged, three times at most; the mark of a repeat is not damaged."""
        again = ssi.encode(ssi.Packet(ssi.DECODED, ssi.ENGINE, ssi.RETRANSMITTED, frame[4:-2]))
        for sent in (frame, *(TRIES - 1) * [again]):
            if any(isinstance(message, Read) for message in self.hear(sent, 4 if sent is again else 0)):
                break
            self.rest(ENGINE_S)


def mistakes(codes: list[Code], messages: list[Message], is_framed: bool, is_each: bool) -> Iterator[str]:
    """What must not be: a card out of its order or read twice, one missing without a word, or a word for none.

    is_each: each missing card has a word of its own.
    """
    at, words, is_gap = -1, 0, False
    for message in [*messages, None]:
        if message is None or (isinstance(message, Read) and message.code in codes):
            here = len(codes) if message is None else codes.index(message.code)
            missing = here - at - 1
            if missing < 0:
                yield f"{here} after {at}"
            is_gap = is_gap or getattr(message, "gap", False)
            if missing > 0 and words < (missing if is_each else 1) and not is_gap:
                yield f"{missing} missing before {here}, {words} told"
            if words > missing and is_framed:  # noise may end a line of text
                yield f"{words} told before {here}, {missing} missing"
            at, words, is_gap = here, 0, False
        elif isinstance(message, Read | Unread):
            words += 1  # a code that no book has, or none
        elif isinstance(message, Notice):
            is_gap = is_gap or message.gap


@pytest.mark.parametrize("protocol", [name for name in LINES if name != "native"])
def test_cards_in_are_cards_out_or_reported(protocol: str) -> None:
    """A native board keeps its cards until they are acknowledged: tests/hardware/test_native_damaged.py."""
    frames, seed, wrong = 0, 0, list[str]()
    while frames < FRAMES and len(wrong) < 10:
        rng = Random(f"{protocol} {seed}")
        codes: list[Code] = [*rng.sample(FACES, CARDS)]
        if protocol != "angel-eye":
            codes = list(LINES[protocol].codes(rng, CARDS))
        table = Table(protocol, rng)
        for n, code in enumerate(codes):
            table.pass_card(n, code)
        table.rest(20.0)
        table.messages += taken(table.decoder, b"\r\n")  # the end of a line that lost its own
        if protocol == "angel-eye":  # its next number shows what is missing
            cut_card = encode(Frame(str(CARDS % 10), "C"))
            table.messages += taken(table.decoder, 3 * cut_card)
        found = mistakes(codes, table.messages, LINES[protocol].checked, protocol in EACH_NAMED)
        wrong += [f"seed {seed}: {each}" for each in found]
        frames, seed = frames + table.frames, seed + 1
    assert wrong == []
