"""Live odds for the house's risk desk, computed from disclosed cards in a process of its own."""

import asyncio
import logging
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Final

import msgspec

from firmware_bridge.daemon.table.odds_child import Question
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.decoding import Undecodable, json_of
from firmware_bridge.facts.events import EntryName
from firmware_bridge.facts.wire_states import Odds
from firmware_bridge.games.house import size_of
from firmware_bridge.shoe.round import rules
from firmware_bridge.shoe.state import Shoe, disclosed

log = logging.getLogger(__name__)

Moment = tuple[str, EntryName | None, int]
"""The key of odds: the journal, the last round message, and the number of the next round."""

CHILD: Final = (sys.executable, "-m", "firmware_bridge.daemon.table.odds_child")
TRIES: Final = 3
"""Attempts at one question, each in a new process."""

ANSWER_S: Final = 60.0
"""Seconds without an answer after which a process counts as lost."""

LONGEST: Final = 1_000_000
"""Bytes of an answer at most."""

_CHUNK: Final = 65536
_decode: Final = json_of(Odds)


class LiveOdds:
    """The odds of the next round, from a child process, which is restarted if it dies, hangs, or answers no odds.

    state: of the shoe followed last; its `odds` are None where they are not known. changed: called after each change.
    """

    def __init__(self, changed: Callable[[], None], loop: asyncio.AbstractEventLoop) -> None:
        self.state: Odds | None = None
        self._changed, self._loop = changed, loop
        self._wanted: Shoe | None = None
        self._of: Moment | None = None
        self._asked: tuple[Moment | None, bytes] | None = None
        self._died = 0
        self._child: subprocess.Popen[bytes] | None = None
        self._heard = b""
        self._limit: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether the child is working."""
        return self._asked is not None

    def follow(self, shoe: Shoe) -> None:
        """Update the odds when a shoe was opened, or a round ended or was corrected."""
        if shoe.status != "open":
            self._of = self._wanted = None
            self.state = Odds(None, 0, None)
            return
        moment = (shoe.journal, shoe.device.prev, shoe.round)
        if moment == self._of:
            return
        if self._of is None or self._of[0] != shoe.journal:  # no odds of another shoe under the head of this one
            self.state = Odds(None, 0, None)
        self._of, self._wanted = moment, shoe
        self._ask_next()

    def close(self) -> None:
        """End the child process."""
        self._stop_limit()
        if self._child is None:
            return
        assert self._child.stdin
        assert self._child.stdout
        self._loop.remove_reader(self._child.stdout)
        self._child.kill()
        self._child.stdin.close()
        self._child.stdout.close()
        self._child.wait()
        self._child, self._heard = None, b""

    def _ask_next(self) -> None:
        shoe = self._wanted
        if self._asked or shoe is None:
            return
        self._wanted = None
        if rules(shoe).odds is None or not rules(shoe).money.bets:
            self.state = Odds(shoe.round, 0, None)
            return
        self._asked, self._died = (self._of, msgspec.json.encode(question(shoe)) + b"\n"), 0
        self._ask()

    def _ask(self) -> None:
        assert self._asked
        try:
            if self._child is None:
                self._start()
            assert self._child
            assert self._child.stdin
            os.write(self._child.stdin.fileno(), self._asked[1])  # shorter than a pipe holds, which is empty now
            self._limit = self._loop.call_later(ANSWER_S, self._lost, f"no answer in {ANSWER_S:.0f} s")
        except OSError as error:
            self._lost(error.strerror or "the pipe broke")

    def _start(self) -> None:
        self._child = subprocess.Popen(
            CHILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, process_group=0
        )  # a group of its own: Ctrl-C ends the daemon, and the end of its input the child
        assert self._child.stdout
        self._loop.add_reader(self._child.stdout, self._receive, self._child.stdout.fileno())

    def _receive(self, pipe: int) -> None:
        data = os.read(pipe, _CHUNK)
        if not data:
            self._lost("it ended")
            return
        if not self._asked:
            return  # an answer is one line, and this is behind it
        self._heard += data
        line, end, _ = self._heard.partition(b"\n")
        if not end and len(line) <= LONGEST:
            return
        self._heard = b""
        moment, _ = self._asked
        try:
            odds = _decode(line)
        except Undecodable:
            odds = None
        if odds is None or (moment and odds.round != moment[2]):
            self._lost("it wrote a line that is not the odds asked for")
        else:
            self._answered(moment, odds)

    def _answered(self, moment: Moment | None, odds: Odds) -> None:
        self._asked = None
        self._stop_limit()
        if moment == self._of:  # else the table has moved on
            self.state = odds
            self._changed()
        self._ask_next()

    def _stop_limit(self) -> None:
        if self._limit:
            self._limit.cancel()
            self._limit = None

    def _lost(self, why: str) -> None:
        """End a child that died or failed, and ask a new process, up to `TRIES` times."""
        log.warning("the process of the live odds is started again: %s", why)
        self.close()
        self._died += 1
        if not self._asked:
            return
        if self._died < TRIES:
            self._ask()
            return
        log.error("live odds failed %d times: %s", self._died, why)
        self._asked = None
        self._ask_next()


def question(shoe: Shoe) -> Question:
    """Return the question for the odds of a shoe now, with counts of disclosed cards."""
    seen = before_round(shoe)
    house, left = shoe.house, size_of(shoe.house) - len(seen)
    return Question(house.game, house.decks, house.terms, shoe.round, left, dict(Counter(seen)))


def before_round(shoe: Shoe) -> tuple[Card, ...]:
    """Return the disclosed cards of a shoe, without those drawn for the running round."""
    under_way = Counter(laid.card for laid in shoe.laid if laid.card and laid.drawn and laid.shown)
    return tuple((Counter(disclosed(shoe)) - under_way).elements())
