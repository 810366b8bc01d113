"""Limits of what a reader may send: restarts that are journaled, cards that can be drawn, words of a server."""

import asyncio
import logging
from collections import deque
from typing import Any, Final

from firmware_bridge.daemon.table.fair_turns import Turns, Window
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.refusals import Phrase, phrase
from firmware_bridge.games.house import size_of
from firmware_bridge.shoe.handlers.devices import is_card
from firmware_bridge.shoe.state import Shoe, cards_left
from hardware.connections import SOCKET
from hardware.ports import QUIET, Port
from hardware.readers import messages
from hardware.readers.protocol import Decoder

log = logging.getLogger(__name__)

NOTED: Final = 3
WITHIN_S: Final = 30.0
"""At most `NOTED` restarts are journaled within this time: a loop of restarts must not fill the disk."""


class RestartLimiter:
    """Limits the restarts that are journaled; a board repeats its hello until it is greeted, so none is lost."""

    def __init__(self) -> None:
        self._noted: deque[float] = deque(maxlen=NOTED)
        self._is_loop = False

    def may_note(self, session: int, table: Table, now_s: float) -> bool:
        """Return whether this restart may be journaled and greeted now; not while the disk is out."""
        known = table.shoe.device.reader
        if table.disk or (known is not None and known.session == session):
            return table.disk is None
        is_loop = len(self._noted) == NOTED and now_s - self._noted[0] < WITHIN_S
        if is_loop and not self._is_loop:
            log.warning("the reader board keeps restarting: check its power and cable")
        self._is_loop = is_loop
        if not is_loop:
            self._noted.append(now_s)
        return not is_loop


FLOOD_S: Final = 10.0
"""Seconds of more than `[reader] most_a_second` reports after which the reader is at fault."""

SURPLUS: Final = 20
"""Cards beyond those of the packs after which the reader is at fault: taken back, they are read again."""


class FloodLimit:
    """Notices a reader that sends more than cards can be drawn: more than the packs hold, or faster than a hand."""

    def __init__(self, most_a_second: int, loop: asyncio.AbstractEventLoop) -> None:
        self._most_a_second, self._loop = most_a_second, loop
        self._window = Window(int(most_a_second * FLOOD_S), FLOOD_S)
        self._of: tuple[int, bool] | None = None
        self._cards = self._most_cards = 0
        self._last: inputs.ReportNo | None = None

    def begin(self, shoe: Shoe) -> None:
        """Begin with the cards that this shoe has seen."""
        self._of = shoe.number, shoe.status == "open"
        self._cards = _size(shoe) - cards_left(shoe) if shoe.status == "open" else 0
        self._most_cards = max(_size(shoe), self._cards) + SURPLUS

    def fault(self, fact: inputs.AnyInput, shoe: Shoe) -> Phrase | None:
        """Count a report for this shoe; return why the reader is at fault now, None where it is not.

        A repeat is not counted: a board repeats what is not acknowledged, for as long as the disk is out.
        """
        report = inputs.report_of(fact)
        if report is not None and report == self._last:
            return None
        self._last = report
        if (of := (shoe.number, shoe.status == "open")) != self._of:
            self._of, self._cards, self._most_cards = of, 0, _size(shoe) + SURPLUS
        self._cards += is_card(fact) and not fact.again
        if self._cards > self._most_cards:
            return phrase("too_many_cards", count=self._cards, size=_size(shoe))
        if not self._window.admits(self._loop.time()):
            return phrase("too_many_reports", most=self._most_a_second, seconds=round(FLOOD_S))
        return None

    def forgive(self) -> None:
        """Begin again: the pit has looked, and `SURPLUS` cards more may come."""
        self._most_cards = max(self._most_cards, self._cards + SURPLUS)
        self._window.clear()


GREETING_S: Final = 0.5
"""Seconds after an opening within which words come that are no card."""


class Greetings:
    """Recognizes words of a serial server's own by their time: in the network, or after an opening was cut short.

    Every such opening is an interruption, after which the dealer compares the table with the screen: a card that was
    taken for a greeting is found there.
    """

    def __init__(self, port: Port, decoder: Decoder, turns: Turns[Any], loop: asyncio.AbstractEventLoop) -> None:
        self._port, self._decoder, self._turns, self._loop = port, decoder, turns, loop
        self._heard_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def opened(self) -> None:
        """Note that the port was opened: the rest of a greeting must not become the head of a card."""
        self.close()
        if self._port.target.startswith(SOCKET):
            self._timer = self._loop.call_later(GREETING_S, self._forget)

    def received(self) -> None:
        """Note that bytes came."""
        self._heard_at = self._loop.time()

    def close(self) -> None:
        """Stop the timer."""
        if self._timer:
            self._timer.cancel()

    def has(self, message: messages.Message) -> bool:
        """Return whether a message that is no known card is one."""
        may_be = self._port.target.startswith(SOCKET) or self._port.cut_short > 0
        return may_be and getattr(message, "report", None) is None and self._port.open_s < GREETING_S

    def _forget(self) -> None:
        """Drop an unfinished line, once the port is quiet."""
        if self._turns.are_due or self._loop.time() - self._heard_at < QUIET:
            self._timer = self._loop.call_later(QUIET, self._forget)
        elif self._port.is_open:
            self._decoder.forget()
            list(self._decoder.feed(b""))  # it is quiet: the next line is whole


def _size(shoe: Shoe) -> int:
    """Return how many cards the packs of this shoe hold, or those of the next one."""
    return size_of(shoe.house if shoe.status == "open" else shoe.device.next_house)
