"""A whole simulated table: the real daemon with a reader board, mock pins and a broker."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

from firmware_bridge.daemon.bridge import Bridge
from firmware_bridge.daemon.table.clock import wall
from firmware_bridge.demo import fixtures
from firmware_bridge.demo.backend import Backend, OnMessage
from firmware_bridge.demo.broker import HOST, EmbeddedBroker
from firmware_bridge.demo.faults import FAULTS, KEYPAD, STORE, STORE_SILENT_S, Fault, places
from firmware_bridge.demo.fixtures import Play, board, config, faces, packs, pull
from firmware_bridge.demo.injection import FaultInjection, WallClock
from firmware_bridge.demo.seats import WATCHED, OrderNotTaken, PitBoss, asks_guests, pack_number, play_seats, waits
from firmware_bridge.errors import BridgeError
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import size_of
from firmware_bridge.mqtt.settings import BrokerSettings, NotConnected
from firmware_bridge.shoe import Shoe
from firmware_bridge.shoe.policy import KEEP_ORDER
from firmware_bridge.shoe.state import cards_left
from firmware_bridge.topics.texts import alarms
from hardware.pins.pin import Pin, pin_factory
from hardware.sim.angel_eye import AngelEyeShoe
from hardware.sim.dealer import Dealer, Mistake, Paper
from hardware.sim.keypads import KeypadBoard
from hardware.sim.pins import MockPins
from hardware.sim.pty import PtyBoard

UP_S: Final = 30.0
"""The longest wait for a subscriber's connection."""

QUIET_S: Final = 0.1
"""Seconds, longer than a report takes to the daemon; a reader stays quiet so long after its open."""

SEEN_S: Final = 2.0
"""Seconds until the pit boss settles an alarm that stops no play, at speed 1."""

OnNews = Callable[[str, str], None]


class DemoError(BridgeError, RuntimeError):
    """The demo could not start or failed."""


class Harness:
    """Owns everything simulated from `open` to `close`; implements the `Hands` of the dealer.

    on_message: called with each new message of the topics `event` and `round`. on_news: called with a word and a
    text about events outside the messages. broker: a shared broker, None for an own one.
    """

    def __init__(
        self, play: Play, folder: Path, on_message: OnMessage, on_news: OnNews, broker: EmbeddedBroker | None = None
    ) -> None:
        self.play, self._on_news, self._loop = play, on_news, asyncio.get_running_loop()
        self.failed: asyncio.Future[None] = self._loop.create_future()
        self._fault = fault = FAULTS[play.fault] if play.fault else Fault("")
        if STORE in fault.needs:
            self.play = play = replace(play, stored=STORE)
        self.broker = broker or EmbeddedBroker(play.broker, folder, play.port)
        own, has_keypad = fault.table(GAMES[play.game]), KEYPAD in fault.needs
        self.config = config(play, own, folder, self.broker.port, has_keypad)
        self._factory = pin_factory("mock")
        self._pins = MockPins(self._factory)
        self._pins.switch(fixtures.LID, True)
        self.game = self.config.rules
        self.slots = fixtures.places(self.game.slots)
        self._wires = {lamp: Pin(number) for lamp, number in fixtures.lamps(self.game).items()}
        self.board = board(play.reader, self._fault.rules)
        self.pty = PtyBoard(self.board, folder / "reader")
        self._keypad = PtyBoard(KeypadBoard((fixtures.KEYPAD_SEAT,)), folder / "keypad") if has_keypad else None
        self.topics = f"{self.config.mqtt.root}/{play.table}"
        self.backend = Backend(
            self._client(f"{play.table}-backend"),
            self.topics,
            on_message,
            self._fail,
            self._loop,
            [each.name for each in self.game.topics],
            self._alarms_changed,
            STORE if STORE in fault.needs else None,
        )
        self._faces = faces(play.reader, self.game, self.config.table.decks)
        self._pit_boss = PitBoss(self.config.control)
        clock = WallClock()
        wall.set(clock)  # of all that runs from here on in this context
        self._faults = FaultInjection(
            self.board,
            self.pty,
            self._pins,
            clock,
            self._keypad,
            Path(self.config.journal.dir),
            self._stop_broker,
            self._restart_daemon,
            self.backend.silence,
            lambda: self.bridge is not None and bool(self.bridge.table.alarms().open),
        )
        self._going, self._has_erred = asyncio.Event(), False
        self._going.set()
        self.bridge: Bridge | None = None
        self._running: asyncio.Task[None] | None = None
        self._away: asyncio.Task[None] | None = None
        self._seats: asyncio.Task[None] | None = None
        self._settling: asyncio.Task[None] | None = None

    @property
    def size(self) -> int:
        return size_of(self.config.house)

    async def open(self) -> None:
        """Start broker, subscriber and daemon in this order, so that no message and no card is missed."""
        self._loop.set_exception_handler(self._crashed)
        await self.broker.start()
        self.backend.start()
        try:
            await asyncio.wait_for(self.backend.up.wait(), UP_S)
        except TimeoutError:
            what = f"{self.broker.kind} accepted no subscriber within {UP_S:.0f} s"
            raise DemoError(what, "try the other broker with --broker") from None
        self._start_daemon()
        if asks_guests(self.config.house):
            self._seats = self._loop.create_task(
                play_seats(self.shoe, self._give_order, Random(self.play.seed), self.play.speed, self.play.seats)
            )
            self._seats.add_done_callback(self.watch)
        while self.bridge and not self.bridge.reader.port.is_open and not self.failed.done():
            await asyncio.sleep(QUIET_S)
        await asyncio.sleep(QUIET_S)

    async def close(self) -> None:
        """End everything; the daemon first, so that it can publish its last status."""
        self._faults.close()
        await self._stop_daemon()
        for task in (self._away, self._seats, self._settling):
            if task:
                task.cancel()
        await self.backend.close()
        await self.broker.stop()
        for pty in (self.pty, self._keypad):
            if pty:
                pty.close()
        self._factory.close()

    def dealer(self) -> Dealer:
        """Make the dealer of this table, with the mistake of the chosen fault."""
        fault = self._fault
        mistake = None
        if act := fault.act:

            async def err(dealer: Dealer) -> bool:
                self._on_news("accident", fault.accident)
                is_instead = await act(dealer, self._faults)
                self._has_erred = True
                return is_instead

            mistake = Mistake(err, places(fault.at, self.game, self.play.seats), fault.after)
        rng, papers = Random(self.play.seed), packs(self.play.reader, self.game, self.config.table)
        cut = None if fault.forgets_cut else fault.cut_from_end or self.game.play.cut_from_end
        if not fault.act and fault.text:
            self._on_news("accident", fault.accident)
        dealer = Dealer(self, papers, rng, self.play.speed, mistake, cut, self._arranged)
        self._going = dealer.going
        return dealer

    def _arranged(self, shuffled: list[Paper]) -> list[Paper]:
        """Return the cards of a new shoe as the fault needs them, the first to be drawn at the end."""
        arrange = self._fault.arrange
        if not arrange or self.backend.rounds:  # later shoes are as usual
            return shuffled
        return arrange(shuffled, lambda paper: self._faces[paper.code])[: self._fault.left(self.game)][::-1]

    @property
    def paused(self) -> bool:
        """Whether the dealer and the guests are paused."""
        return not self._going.is_set()

    def pause(self) -> None:
        """Pause or resume dealer and guests; the shoe keeps running."""
        if self.paused:
            self._going.set()
        else:
            self._going.clear()

    def _give_order(self, order: dict[str, Any]) -> None:
        if self.paused:
            raise NotConnected("the demo is paused")
        if self._fault.at == self.waits() and not self._has_erred:
            raise NotConnected("the dealer makes the mistake before the guests are done")
        self.backend.order(order)

    def shoe(self) -> Shoe | None:
        """Return the daemon's shoe, None before its start."""
        return self.bridge.table.shoe if self.bridge else None

    # ------------------------------------------------------------ the dealer's hands

    def waits(self) -> str:
        return waits(self.shoe())

    def pack(self) -> int:
        return pack_number(self.shoe())

    def left(self) -> int | None:
        return cards_left(self.bridge.table.shoe) if self.bridge else None

    def lit(self) -> set[str]:
        return {lamp for lamp, wire in self._wires.items() if self._pins.lit(wire)}

    def draw(self, paper: Paper, how: str = "") -> None:
        is_up = self.bridge is not None and self.bridge.uplink.link.up
        self.backend.drawn.append(self._loop.time() if is_up else None)
        pull(self.board, paper, how)
        self.pty.tick()

    async def cut_card(self) -> None:
        await self._pins.pass_cut_card(fixtures.CUT_CARD)

    async def press_next(self) -> None:
        await self._pins.press(fixtures.NEXT)

    async def ask_for_shoe(self) -> None:
        """Open the shoe by the pit boss; an Angel Eye first reports its start."""
        if isinstance(self.board, AngelEyeShoe):
            self.board.new_shoe()
            self.pty.tick()
            await asyncio.sleep(QUIET_S)
        await self._pit_boss.open_shoe(None if self.backend.rounds else self._fault.left(self.game))

    async def call_floor(self, last: Paper | None) -> None:
        await self._pit_boss.decide(self._faces[last.code] if last else None)

    def _alarms_changed(self, opened: list[dict[str, Any]], closed: list[str]) -> None:
        """Tell the alarms of the bridge itself, which no event names, and let the pit boss settle what stops none."""
        for alarm in opened:
            if alarm["id"] not in KEEP_ORDER:
                self._on_news("! open", f"{alarm['id']}: {alarms.what('en', alarm['id'], alarm['values'])}")
            elif alarm["id"] in WATCHED:
                self._settling = self._loop.create_task(self._settle())
                self._settling.add_done_callback(self.watch)
        for name in closed:
            if name not in KEEP_ORDER:
                self._on_news("! closed", f"{name}: it works again")

    async def _settle(self) -> None:
        await asyncio.sleep(SEEN_S / self.play.speed)
        with suppress(OrderNotTaken):  # settled with another one
            await self._pit_boss.decide(None)

    # ------------------------------------------------------------ broker

    async def _stop_broker(self, seconds: float) -> None:
        await self.broker.stop()
        self._away = self._loop.create_task(self._bring_broker_back(seconds))
        self._away.add_done_callback(self.watch)

    async def _bring_broker_back(self, seconds: float) -> None:
        await self._faults.last(seconds)
        await self.broker.start()

    # ------------------------------------------------------------ the daemon

    def _start_daemon(self) -> None:
        silent_s = STORE_SILENT_S if self.play.stored == STORE else None
        self.bridge = Bridge(self.config, self._factory, self._client(self.play.table), silent_s=silent_s)
        self._running = self._loop.create_task(self.bridge.run())
        self._running.add_done_callback(self.watch)

    async def _restart_daemon(self) -> None:
        await self._stop_daemon()
        self._start_daemon()

    async def _stop_daemon(self) -> None:
        if self.bridge and self._running:
            self.bridge.stop()
            await asyncio.wait([self._running])

    def _client(self, name: str) -> BrokerSettings:
        return BrokerSettings(client_id=name, host=HOST, port=self.broker.port, protocol=self.broker.protocol)

    def watch(self, task: asyncio.Task[None]) -> None:
        """Fail the whole demo if `task`, which has ended, failed."""
        if not task.cancelled() and (error := task.exception()):
            self._fail(error)

    def _crashed(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self._fail(context.get("exception") or DemoError(str(context.get("message"))))

    def _fail(self, error: BaseException) -> None:
        if not self.failed.done():
            self.failed.set_exception(error)
