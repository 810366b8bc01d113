"""A reader on the technician's bench: its parameters, its raw signal and its cards, over any link to it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from hardware import framing
from hardware.calibrate.figures import Refusal
from hardware.calibrate.levels import FULL_SCALE, Dark, cards_in, dark_level
from hardware.readers import Decoder
from hardware.readers.messages import Beat, CutCard, Done, Hello, Message, Param, Read, Repeat, ReportNo, Sample, Unread
from hardware.readers.native import KINDS, Get, Packet, Raw, Save, Selftest, Set, pack

ANSWER_S = 0.5
TRIES = 4
PATIENT_MESSAGES = 1000  # others that may come before an answer: a raw signal is in full flow
DARK_S = 0.8  # raw samples without a card
LOOK_S = 0.25  # how often the raw samples are searched for cards

Passed = Read | Unread | CutCard
Seen = Callable[[float, int], None]
"""Told while cards come: the level (0..1) or rate now, and how many cards there were."""


class Link(Protocol):
    """The link from a bench to a reader."""

    decoder: Decoder

    def write(self, chunk: bytes) -> object:
        """Bytes for the reader."""

    async def next(self, seconds: float) -> Message | None:
        """The reader's next message, None if none comes for `seconds`. Raises PortError."""

    def now(self) -> float:
        """The clock that `seconds` are of."""


@dataclass(slots=True)
class Bench:
    """Takes the reader's messages, and acknowledges each card: `passed(report)` is called before that.

    beat, hello: the last of each.
    """

    link: Link
    passed: Callable[[ReportNo], None] = lambda _: None
    beat: Beat | None = None
    hello: Hello | None = None
    _samples: list[int] = field(default_factory=list)

    async def params(self) -> dict[int, int]:
        """Parameters 1 to 6 of the board. Raises Refusal if it does not answer."""
        return {id_: await self._param(Get(id_)) for id_ in range(1, 7)}

    async def set(self, params: dict[int, int]) -> None:
        """Change parameters, until the next boot of the board. Raises Refusal if it does not take them."""
        for id_, value in params.items():
            if await self._param(Set(id_, value)) != value:
                raise Refusal(f"the board does not take parameter {id_} = {value}", "update its firmware")

    @staticmethod
    def restoring(params: dict[int, int]) -> bytes:
        """Bytes that end the raw signal and set these parameters, for whoever uses the board next."""
        packets: list[Packet] = [Raw(0), *(Set(id_, value) for id_, value in params.items())]
        return b"".join(framing.encode(pack(packet)) for packet in packets)

    async def save(self) -> None:
        """Let the board keep its parameters. Raises Refusal if it cannot."""
        if await self._done(Save()):
            raise Refusal("the board cannot keep its parameters", "its memory is worn: replace the board")

    async def selftest(self) -> None:
        """Let the board test itself. Raises Refusal if it is not well."""
        if status := await self._done(Selftest()):
            raise Refusal(f"the board's self-test failed ({status})", "look at its lamp and plugs, else replace it")

    async def raw(self, on: bool) -> None:
        """Raw samples on or off."""
        await self._done(Raw(int(on)))
        self._samples.clear()

    async def dark(self) -> Dark:
        """The level with no card before the sensor; raw samples must be on. Raises Refusal."""
        self._samples.clear()
        await self._listen(DARK_S)
        return dark_level(self._samples)

    async def raw_cards(self, count: int, dark: Dark, patience_s: float, seen: Seen) -> list[list[int]]:
        """The raw samples of `count` cards, fewer if none passes for `patience_s`; raw samples must be on."""
        self._samples.clear()
        cards: list[list[int]] = []
        idle = 0.0
        while len(cards) < count and idle < patience_s:
            await self._listen(LOOK_S)
            found = cards_in(self._samples, dark)
            idle = 0.0 if len(found) > len(cards) else idle + LOOK_S
            cards = found
            seen(max(self._samples[-400:], default=0) / FULL_SCALE, len(cards))
        return cards[:count]

    async def next_card(self, patience_s: float) -> Passed | None:
        """The next card, None if none passes for `patience_s`; it is acknowledged. Raises PortError."""
        until = self.link.now() + patience_s
        while (left := until - self.link.now()) > 0:
            message = await self.link.next(left)
            if message and (card := self._take(message)):
                return card
        return None

    async def drain(self) -> int:
        """Take what still waits in the reader from before; how many cards that was."""
        count = 0
        while await self.next_card(LOOK_S):
            count += 1
        return count

    async def _param(self, packet: Get | Set) -> int:
        answer = await self._answer(packet, lambda said: isinstance(said, Param) and said.id == packet.id)
        assert isinstance(answer, Param)
        return answer.value

    async def _done(self, packet: Packet) -> int:
        answer = await self._answer(packet, lambda said: isinstance(said, Done) and said.command == KINDS[type(packet)])
        assert isinstance(answer, Done)
        return answer.status

    async def _answer(self, packet: Packet, fits: Callable[[Message], bool]) -> Message:
        """What the board answers; it is asked again when it does not, as bytes may get lost."""
        for _ in range(TRIES):
            self.link.write(framing.encode(pack(packet)))
            for _ in range(PATIENT_MESSAGES):
                message = await self.link.next(ANSWER_S)
                if message is None:
                    break
                if fits(message):
                    return message
                self._take(message)
        raise Refusal("the reader board does not answer", "check its cable, its power and [reader] protocol")

    async def _listen(self, seconds: float) -> None:
        """Take raw samples for so long by the board's clock, or until it falls silent."""
        start: int | None = None
        while (message := await self.link.next(ANSWER_S)) is not None:
            self._take(message)
            if isinstance(message, Sample):
                start = message.stamp_ms if start is None else start
                if message.stamp_ms - start >= 1000 * seconds:
                    return

    def _take(self, message: Message) -> Passed | None:
        match message:
            case Read() | Unread():
                if message.report:
                    self.passed(message.report)
                    self.link.write(self.link.decoder.acknowledge(message.report))
                return message
            case CutCard():
                return message
            case Repeat(report=report):
                self.link.write(self.link.decoder.acknowledge(report))
            case Sample():
                self._samples += message.levels
            case Beat():
                self.beat = message
            case Hello():
                self.hello = message  # not greeted: the daemon is to hear of a new session too
        return None
