"""Serial keypads at the seats: keys become marks, and each pad shows the marks that its seats may give."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from firmware_bridge.config.pins import KeypadConfig
from firmware_bridge.daemon.devices.hearing import Hearing
from firmware_bridge.daemon.devices.losses import Losses
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.fair_turns import Turns, Window
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.book.measures import Heard
from firmware_bridge.facts.book.refusals import Phrase, phrase
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.prompts import Between, Choice, MarkDue, Offer, Target, Whole, in_words
from firmware_bridge.shoe import Phase, Shoe, phase
from firmware_bridge.shoe.round import asked, coming
from hardware.errors import PortError
from hardware.keypads import NEXT, PROTOCOL, UNMARK, WORDS, Beat, Hello, KeypadLink, Mark, Turn, encode_turns, greeting
from hardware.ports import Port


def turns(shoe: Shoe, pad: KeypadConfig) -> list[Turn]:
    """Return a packet for each seat of the pad that may or must mark now; one for seat 0 if none may; and NEXT."""
    if pad.dealer:
        words = (NEXT, UNMARK) if shoe.last_mark and not shoe.last_mark.followed else (NEXT,)
        return [Turn(coming(shoe).turn, 0, words), *_marks(shoe, pad.seats)]
    return _marks(shoe, pad.seats) or [Turn(coming(shoe).turn, 0)]


def _marks(shoe: Shoe, seats: tuple[int, ...]) -> list[Turn]:
    """Return one packet for each of these seats that must or may give a mark now."""
    shoe = coming(shoe)
    question = asked(shoe) if phase(shoe) in (Phase.READY, Phase.DEALING) else None
    if not isinstance(question, MarkDue):
        return []
    packets = []
    for seat in seats:
        offers: dict[str, Offer] = {}
        for may in (question.anytime, question.act):
            for slot, words in may.items():
                if slot.partition(".")[0] == f"S{seat}" or (slot == LOT and seat == seats[0]):
                    offers |= words
        known = {word: offer for word, offer in offers.items() if word in WORDS}
        if known:
            packets.append(Turn(shoe.turn, seat, tuple(known), *_limits(known)))
    return packets


def asked_hand(shoe: Shoe, seat: int) -> int | None:
    """Return the number of the hand of a seat that is asked now; None where none is, or the seat has only one."""
    question = asked(coming(shoe))
    slots = question.act if isinstance(question, MarkDue) else ()
    hands = [slot.partition(".")[2] for slot in slots if slot.partition(".")[0] == f"S{seat}"]
    return int(hands[0]) if hands and hands[0] else None


def _limits(offers: dict[str, Offer]) -> tuple[str, str]:
    """Return the least and the most value of the first word that takes an amount or a seat."""
    for offer in offers.values():
        match offer:
            case Between(least=least, most=most):
                return in_words(least), in_words(most)
            case Whole(least=least, most=most):
                return str(least), str(most)
            case Choice(values=values) | Target(seats=values) if values:
                return values[0], values[-1]
    return "", ""


log = logging.getLogger(__name__)

BAUD: Final = 115_200
SILENT_AFTER_S: Final = 3.5
"""Seconds without a message after which a pad is lost: it beats every second."""

SHOW_S: Final = 1.0
"""Seconds after which a pad is sent its display again."""

DEALERS: Final[dict[str, orders.Order]] = {NEXT: orders.Next(), UNMARK: orders.Unmark()}
"""Word of a key of the dealer's pad -> its order."""

LOST: Final = "keypad_lost"
"""The alarm for lost pads."""

NOT_UNDERSTOOD: Final = "keypad_not_understood"
"""The alarm for pads that are not understood."""

MARKS_A_SECOND: Final = 10
"""Marks of a seat that are judged within any second at most: no hand is faster, but a bouncing contact is."""


class MarkLimit:
    """Limits the marks of each seat to `MARKS_A_SECOND`; those beyond are not judged."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._seats = defaultdict[int, Window](partial(Window, MARKS_A_SECOND, 1.0))

    def admits(self, seat: int) -> bool:
        """Return whether a mark of this seat may be judged now."""
        return self._seats[seat].admits(self._loop.time())


class Keypads:
    """Owns the ports of all pads from `start` to `close`. For a lost pad the dealer gives the marks."""

    def __init__(self, pads: tuple[KeypadConfig, ...], table: Table, loop: asyncio.AbstractEventLoop) -> None:
        self._table, self._loop = table, loop
        self._lost: dict[str, Phrase] = {}
        self._pads = [_Keypad(pad, table, loop, self._is_lost, self._heard) for pad in pads]
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Open every port, now or when it appears."""
        for pad in self._pads:
            pad.port.start()
        if self._pads:
            self._tick()

    def close(self) -> None:
        """Close the ports."""
        if self._timer:
            self._timer.cancel()
        for pad in self._pads:
            pad.close()

    def status(self) -> list[dict[str, Any]]:
        """Return each pad for a technician: its place, its port, and what was heard (see `Hearing`)."""
        return [pad.status() for pad in self._pads]

    def heard(self) -> dict[str, Heard]:
        """Return the place of each pad -> whether it was understood, for `health`."""
        return {pad.where: pad.hearing.state for pad in self._pads}

    def changed(self) -> None:
        """Send every pad its display, if it changed."""
        for pad in self._pads:
            pad.show()

    def _tick(self) -> None:
        self._timer = self._loop.call_later(SHOW_S, self._tick)
        for pad in self._pads:
            pad.listen()
            pad.show(again=True)

    def _is_lost(self, target: str, why: Phrase | None) -> None:
        """Renew the alarm with all lost pads; `why` is None for one that is back."""
        before = dict(self._lost)
        self._lost.pop(target, None)
        if why:
            self._lost[target] = why
        if self._lost == before:
            return
        self._table.unwarn(LOST)
        if self._lost:
            self._table.warn(LOST, why=tuple(self._lost.values()))

    def _heard(self) -> None:
        """Renew the alarm with all pads that are not understood."""
        self._table.unwarn(NOT_UNDERSTOOD)
        wrong = [pad for pad in self._pads if pad.hearing.fault]
        if wrong:
            self._table.warn(NOT_UNDERSTOOD, keypads=tuple(pad.where for pad in wrong))


class _Keypad:
    """One pad and its port."""

    def __init__(
        self,
        config: KeypadConfig,
        table: Table,
        loop: asyncio.AbstractEventLoop,
        lost: Callable[[str, Phrase | None], None],
        heard: Callable[[], None],
    ) -> None:
        self._table, self._loop, self._config, self._on_change = table, loop, config, lost
        self._link = KeypadLink()
        self._heard_at = loop.time()
        self._shown = b""
        self._limit, self._losses = MarkLimit(loop), Losses()
        self.where = config.where
        self.port = Port(config.port, BAUD, loop, self._on_bytes, self._on_lost, self._on_open)
        self._turns = Turns[Hello | Mark | Beat](self._on_packet, self.port.hold, loop)
        self.hearing = Hearing(loop, lambda: self._link.good, lambda: self._turns.are_due, lambda _: heard())

    def close(self) -> None:
        """Close the port."""
        self.port.close()
        self.hearing.closed()

    def status(self) -> dict[str, Any]:
        """Return the pad's state for a technician."""
        heard = self.hearing.status()
        return {"where": self.where, "port": self.port.target, "open": self.port.is_open, "heard": heard}

    def show(self, again: bool = False) -> None:
        """Send the pad its display, if it changed or `again`."""
        if not self.port.is_open or not self._table.begun:
            return
        chunk = encode_turns(turns(self._table.shoe, self._config))
        if again or chunk != self._shown:
            self._shown = chunk
            self.port.write(chunk)

    def listen(self) -> None:
        """Report a pad that is silent while its port is open."""
        silent = self._loop.time() - self._heard_at
        if self.port.is_open and silent > SILENT_AFTER_S:
            if self._losses.is_lost:
                self._losses.silent(self._loop.time())
            else:
                self._lost(TimeoutError, f"nothing received from the keypad at {self.port.target} for {silent:.0f} s")

    def _on_open(self) -> None:
        self._heard_at, self._shown = self._loop.time(), b""
        self.hearing.opened()
        self._link.reopened()
        self.show()

    def _on_lost(self, why: PortError) -> None:
        self.hearing.closed()
        self._lost(type(why), f"the keypad at {self.port.target}: {why}")

    def _lost(self, kind: type[Exception], why: str) -> None:
        if not self._losses.lost(kind, self._loop.time()):
            return
        where, count = self._config.where, self._losses.count
        log.warning("%s%s", why, f", lost {count} times" if count > 1 else "")
        often = phrase("keypad_lost_often", where=where, count=count)
        self._on_change(self.port.target, often if count > 1 else phrase("keypad_lost", where=where))

    def _on_bytes(self, chunk: bytes) -> None:
        self._turns.receive(self._link.feed(chunk))
        if chunk:
            self.hearing.received()

    def _on_packet(self, packet: Hello | Mark | Beat) -> None:
        self._heard_at = self._loop.time()
        self.port.understood()
        if self._losses.is_lost and self._losses.may_be_back(self._heard_at, self.port.cut_short):
            self._losses.back()
            self._on_change(self.port.target, None)
        match packet:
            case Hello(protocol=version) if version == PROTOCOL:
                self.port.write(greeting(packet))
                self.show(again=True)
            case Mark() if self._link.is_acknowledged(packet):
                self.port.write(self._link.acknowledge(packet))
            case Mark() if self._limit.admits(packet.seat if packet.seat in self._config.seats else 0):
                self._give_mark(packet)  # else it is not acknowledged: the pad repeats the oldest

    def _give_mark(self, mark: Mark) -> None:
        """Give the mark, or the dealer's order, to the table; it is acknowledged once it is on disk, or refused."""
        shoe, by = self._table.shoe, f"keypad {mark.seat}"
        if mark.word in DEALERS:
            order, by = _dealers(mark, self._config, coming(shoe).turn), orders.KEYPAD
        else:
            order = _order(mark, self._config.seats, asked_hand(shoe, mark.seat))
        self._table.handle(inputs.Ordered(**now(), order=order, by=by, nonce=nonce()))
        if not self._table.disk:
            self.port.write(self._link.acknowledge(mark))


def _dealers(mark: Mark, pad: KeypadConfig, turn: int) -> orders.Order:
    """Return the order of a dealer's key; a refused one from a guest's pad, and for one pressed too early."""
    if not pad.dealer:
        return orders.malformed(mark.word, "not_dealers_pad")
    if mark.turn != turn:
        return orders.malformed(mark.word, "late", now=(phrase("press_again", key=mark.word.upper()),))
    return DEALERS[mark.word]


def _order(mark: Mark, seats: tuple[int, ...], asked: int | None) -> orders.Order:
    """Return the order for a mark; a refused one for a seat that is not its pad's, or a hand that is not asked."""
    if mark.seat not in seats:
        return orders.malformed("mark", "not_your_turn", now=(phrase("pad_of_seats", seats=tuple(map(str, seats))),))
    if mark.hand and asked is not None and mark.hand != asked:
        return orders.malformed("mark", "late", now=(phrase("hand_asked", hand=asked, seat=mark.seat),))
    seat = None if mark.word == "lot" else mark.seat
    return orders.Mark(mark.word, seat, mark.value or None, turn=mark.turn)
