"""Sensors, switches and keys of a table: their activations become inputs; the exit sensor of the shoe."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from firmware_bridge.config import calibration
from firmware_bridge.config.pins import AnySensor, SensorConfig, mark_of_key
from firmware_bridge.config.sections import Config
from firmware_bridge.daemon.devices.keypads import MarkLimit
from firmware_bridge.daemon.devices.repeats import SOON_S, Behind, OfWhich
from firmware_bridge.daemon.devices.wires import IN_SLOT, OF_SEAT, input_pins
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.fair_turns import Window
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts import inputs, orders
from firmware_bridge.shoe.round import coming
from firmware_bridge.shoe.state import stuck
from hardware.pins.pin import Pin, PinFactory
from hardware.pins.sensors import Contact, CutCardSensor, Key
from hardware.readers import messages

AFTER_S: Final = 0.25
"""Seconds before a key can answer a question: longer than a bounce, shorter than reading it."""


class SeatKeys:
    """The keys of the seats as marks; `held`: their contacts, by their names in `[keys]`.

    A key that was down when the question began, or is pressed too soon after, is ignored: it answered the one before.
    """

    def __init__(self, table: Table, loop: asyncio.AbstractEventLoop) -> None:
        self._table, self._loop = table, loop
        self.held: dict[str, Contact] = {}
        self._turn, self._since, self._limit = -1, loop.time(), MarkLimit(loop)
        self._released: set[str] = set()

    def changed(self) -> None:
        """Begin with the present question, if it is a new one."""
        if not self._table.begun or (turn := coming(self._table.shoe).turn) == self._turn:
            return
        self._turn, self._since = turn, self._loop.time()
        self._released = {name for name, key in self.held.items() if not key.active}

    def let_go(self, name: str) -> None:
        """Note that the key is released."""
        self._released.add(name)

    def pressed(self, name: str) -> None:
        """Give the mark of a key."""
        mark = mark_of_key(name)
        if mark is None or name not in self._released or self._loop.time() - self._since < AFTER_S:
            return
        self._released.discard(name)
        if not self._limit.admits(int(mark.seat or 0)):
            return
        order = orders.Mark(mark.word, int(mark.seat) if mark.seat else None, mark.value, turn=self._turn)
        self._table.handle(inputs.Ordered(**now(), order=order, by=f"key {name}", nonce=nonce()))


EXPLAINED_WITHIN_S: Final = SOON_S
"""Seconds between a report and its card at the exit, before or after: slow lines, slow hands."""

NEAR_S: Final = 0.1
"""Seconds by which a card may come to the exit sooner or later than others did, and be taken for one of them."""

FAR_S: Final = 0.25
"""Seconds by which it comes so much sooner or later that it cannot be."""

MANY: Final = 32
"""Times that tell all others: a module that reads once a second has then been late by most of a second."""


class ExitSensor:
    """Pairs cards at the exit with reports. on_missed: called once for each card without a report.

    reader_answers: whether a report can come now; else a missing one means nothing.
    """

    def __init__(
        self, reader_answers: Callable[[], bool], on_missed: Callable[[], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._reader_answers, self._on_missed, self._loop = reader_answers, on_missed, loop
        self._reports: deque[float] = deque(maxlen=64)
        self._entered: float | None = None
        self.works = False
        """Whether it has seen a card."""

        self._reported, self._has_come = 0.0, True
        """When the last card was reported, and whether it has come to the exit, before or after."""

        self._early: deque[float] = deque(maxlen=64)
        """When cards came to the exit that are not reported yet."""

        self._times: deque[float] = deque(maxlen=64)
        """Seconds from the reports of cards to the exit; less than 0 where they came there before."""

        self._asked: float | None = None
        """When a code was reported that waits until it is known which card it is of."""

        self._doubted = 0.0
        """When the last card came to the exit that may be of such a code or of the next one."""

        self._is_doubtful, self._is_in_doubt = False, False
        """Whether the next report is of that code, and whether cards at the exit may be one more than reported."""

        self._may_repeat, self._is_sure = False, False
        """Whether the reader may have reported a card again, and whether the last report was of a card by its code."""

        self.on_entered: Callable[[], None] = lambda: None
        """Called when a card has reached the exit."""

    def heard(self, message: messages.Message) -> None:
        """Handle a message of the reader; only one about a card counts as a report."""
        match message:
            case messages.Read() | messages.Unread(concerns="card") | messages.CutCard():
                self.reported()

    def reported(self) -> None:
        """Count a report: of a card, read or not, or of the cut card."""
        now = self._loop.time()
        self._reports.append(now)
        self._forget_early(now)
        asked, self._asked = self._asked, None
        is_doubtful, self._is_doubtful = self._is_doubtful, False
        if is_doubtful:  # what has come to the exit may be the next card
            self._reported, self._is_in_doubt = now, True
            return
        self._end_doubt(now)
        self._reported, self._has_come, self._is_sure = now, bool(self._early), asked is None
        if self._early:
            self._note(self._early.popleft() - now)

    def entered(self) -> None:
        """Note that a card reaches the exit, where it may stay."""
        self._entered, self.works = self._loop.time(), True
        if self._has_come:
            if not self._early and self._is_known() and not self._was_seen(self._entered - self._reported, FAR_S):
                self._is_in_doubt = False
            self._early.append(self._entered)
        else:
            self._has_come = True
            self._note(self._entered - self._reported)
        self.on_entered()

    def left(self) -> None:
        """Note that a card has left the exit."""
        since = self._loop.time() if self._entered is None else self._entered
        self._entered = None
        if self._reader_answers():
            self._loop.call_later(EXPLAINED_WITHIN_S, self._look_for, since - EXPLAINED_WITHIN_S)

    def of_which(self, behind: Behind = "") -> OfWhich:
        """Return which card a code that is read again is of: another, if one has come to the exit since; or the same.

        behind: what came after it. `soon`: another card may come, or the one that came may be reported yet. `unknown`:
        the sensor has seen no card, or not the last one; or the card that came may be this one or the next.
        """
        now = self._loop.time()
        self._forget_early(now)
        self._asked = now if self._asked is None else self._asked
        came = next((each for each in self._early if each > self._doubted), None)
        if came is not None:
            which = self._weighed(came - self._asked, came - now, behind)
        elif not self.works or not (self._has_come or now - self._reported < EXPLAINED_WITHIN_S):
            which = "unknown"
        else:
            which = "same" if behind else "soon"
        if which == "same":
            self._may_repeat, self._asked = True, None
        if which == "unknown" and came is not None:
            self._may_repeat, self._is_doubtful, self._doubted = True, True, came
        return which

    def _weighed(self, of_this: float, of_next: float, behind: Behind) -> OfWhich:
        """Return which card a code is of if one came to the exit: that one, or the next, which some modules read late.

        of_this, of_next: seconds from the report of this code, and of what comes behind it, to that card. If the next
        report is of the same code, that card is one of the two, whichever.
        """
        may_be_this = self._was_seen(of_this, NEAR_S)
        if behind == "equal" and of_next > max(self._times, default=0) - FAR_S:
            return "same"  # the card before may lie at the reader yet: the next report tells
        if self._is_in_doubt:
            return "unknown" if behind else "soon"
        if may_be_this and (behind == "nothing" or not self._may_repeat):
            return "another"
        if behind in ("", "nothing"):
            return "unknown" if behind else "soon"
        if may_be_this and self._is_known() and not self._was_seen(of_next, FAR_S):
            return "another"
        if self._was_seen(of_next, NEAR_S) and not self._was_seen(of_this, FAR_S):
            return "same"
        return "another" if behind == "equal" else "unknown"

    def _end_doubt(self, now: float) -> None:
        """End the doubt which report a card at the exit is of, where times tell: the one now, or the one before."""
        if self._early and self._is_in_doubt and self._is_known() and not self._was_seen(self._early[0] - now, FAR_S):
            self._early.popleft()
            self._is_in_doubt = False
        self._is_in_doubt = self._is_in_doubt and bool(self._early)

    def _is_known(self) -> bool:
        return len(self._times) >= MANY

    def _note(self, seconds: float) -> None:
        """Note the seconds from the last report to its card at the exit."""
        if self._is_sure and seconds < EXPLAINED_WITHIN_S:
            self._times.append(seconds)

    def _was_seen(self, seconds: float, within: float) -> bool:
        return bool(self._times) and min(self._times) - within <= seconds <= max(self._times) + within

    def _forget_early(self, now: float) -> None:
        since = (now if self._asked is None else self._asked) - EXPLAINED_WITHIN_S
        while self._early and self._early[0] < since and self._early[0] != self._entered:
            self._early.popleft()

    def _look_for(self, since: float) -> None:
        while self._reports and self._reports[0] < since:
            self._reports.popleft()
        if self._reports:
            self._reports.popleft()
        elif self._reader_answers():
            self._on_missed()


log = logging.getLogger(__name__)

STUCK_AFTER_S: Final = {"cut_card": 5.0, "presence": 5.0}
"""Seconds longer than a card takes to pass. Sensors of slots and lid may stay active."""

KEY_STUCK_AFTER_S: Final = 30.0

FLAPS: Final = 15
"""Changes of lid or cut card sensor within a minute that are handled: a bad contact makes more, and is stuck then."""

STEADY_S: Final = 60.0
"""Seconds without a change after which a sensor that flapped counts again."""


class Flapping:
    """Drops the changes of a sensor that flaps, until it was steady for `STEADY_S`. on_stuck: whether it flaps now."""

    def __init__(self, on_stuck: Callable[[bool], None], loop: asyncio.AbstractEventLoop) -> None:
        self._on_stuck, self._loop = on_stuck, loop
        self._window = Window(FLAPS, STEADY_S)
        self._timer: asyncio.TimerHandle | None = None

    def limited(self, change: Callable[[], None]) -> Callable[[], None]:
        """Return a callback that calls `change` for each change that counts."""

        def changed() -> None:
            if self._timer is None and self._window.admits(self._loop.time()):
                change()
                return
            if self._timer is None:
                self._on_stuck(True)
            else:
                self._timer.cancel()
            self._timer = self._loop.call_later(STEADY_S, self._settle)

        return changed

    def close(self) -> None:
        """Stop the timer: whether the sensor is stuck, its contact says when it is claimed again."""
        if self._timer:
            self._timer.cancel()
        self._timer = None

    def _settle(self) -> None:
        self._timer = None
        self._on_stuck(False)


class Sensors:
    """Owns every input pin from `claim` to `close`."""

    def __init__(
        self,
        config: Config,
        table: Table,
        exit_sensor: ExitSensor,
        factory: PinFactory,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._config, self._table, self._exit_sensor = config, table, exit_sensor
        self._factory, self._loop = factory, loop
        self._pins = input_pins(config)
        self._keys = ("next", "reveal", "unmark", *config.rules.play.keys)
        self.held: dict[str, Contact] = {}
        self._seat_keys = SeatKeys(table, loop)
        self._flapping = {name: Flapping(partial(self._flaps, name), loop) for name in ("cut_card", "lid")}

    def claim(self, is_back: bool = False) -> None:
        """Claim every input pin; then report the lid, and stuck sensors without a pin as free. Raises PinError.

        is_back: the pins return from a technician; a cut card may still lie on the sensor.
        """
        pins = self._pins
        if "cut_card" in pins:
            is_known = is_back or bool(self._table.shoe.device.lent)
            cut_card = _calibrated(pins["cut_card"], self._config)
            seen = self._flapping["cut_card"].limited(self._cut_card_seen)
            self.held["cut_card"] = CutCardSensor(
                cut_card, self._factory, self._loop, seen, *self._stuck("cut_card"), is_known
            )
        for key in self._keys:
            if key in pins:
                self._feel(key, Key, partial(self._pressed, key))
        if "presence" in pins:
            self._feel("presence", Contact, self._exit_sensor.entered, self._exit_sensor.left)
        for slot in self._config.rules.slots:
            if IN_SLOT + slot in pins:
                self._feel(IN_SLOT + slot, Contact, partial(self._filled, slot))
        for key in self._config.keys:
            on_press, on_release = partial(self._seat_keys.pressed, key), partial(self._seat_keys.let_go, key)
            self._feel(OF_SEAT + key, Key, on_press, on_release)
        self._seat_keys.held = {key: self.held[OF_SEAT + key] for key in self._config.keys}
        if "lid" in pins:
            limited = self._flapping["lid"].limited
            self._feel("lid", Contact, limited(partial(self._lid, False)), limited(partial(self._lid, True)))
        lid = self.held.get("lid")
        self._loop.call_soon(self._lid, lid is not None and not lid.active)
        for name in set(stuck(self._table.shoe)) - set(pins):
            self._loop.call_soon(self._on_stuck, name, False)

    def changed(self) -> None:
        """Tell the seats' keys that the question to the seats may have changed."""
        self._seat_keys.changed()

    def close(self) -> None:
        """Release every input pin."""
        for each in self._flapping.values():
            each.close()
        while self.held:
            self.held.popitem()[1].close()

    def not_at_rest(self) -> list[str]:
        """Return the sensors and keys, by their config keys, that are active although they should be at rest."""
        return [name for name, each in self.held.items() if each.active and name in (*self._keys, *STUCK_AFTER_S)]

    def _feel(
        self, name: str, kind: type[Contact], on_active: Callable[[], None], on_idle: Callable[[], None] | None = None
    ) -> None:
        self.held[name] = kind(self._pins[name], self._factory, self._loop, on_active, on_idle, *self._stuck(name))

    def _stuck(self, name: str) -> tuple[float | None, Callable[[bool], None], bool]:
        """Return the seconds after which a sensor is stuck, its callback, and whether the shoe has noted it."""
        usual = KEY_STUCK_AFTER_S if name in self._keys or name.startswith(OF_SEAT) else STUCK_AFTER_S.get(name)
        pin: AnySensor | None = getattr(self._config.pins, name, None)
        limit = pin.stuck_after if isinstance(pin, SensorConfig) and pin.stuck_after else usual
        return limit, partial(self._on_stuck, name), name in stuck(self._table.shoe)

    def _cut_card_seen(self) -> None:
        self._table.handle(inputs.CutCardSeen(**now(), by="sensor"))
        self._exit_sensor.reported()

    def _pressed(self, key: str) -> None:
        self._table.handle(inputs.Pressed(**now(), key=key, nonce=nonce()))

    def _filled(self, slot: str) -> None:
        self._table.handle(inputs.SlotFilled(**now(), slot=slot))

    def _lid(self, is_open: bool) -> None:
        self._table.handle(inputs.LidMoved(**now(), open=is_open))

    def _flaps(self, name: str, is_flapping: bool) -> None:
        """Report a sensor that flaps as stuck; when it is steady, where the lid is."""
        self._on_stuck(name, is_flapping)
        if name == "lid" and not is_flapping and name in self.held:
            self._lid(not self.held[name].active)

    def _on_stuck(self, name: str, is_stuck: bool) -> None:
        log.warning("%s %s", name, "stays active" if is_stuck else "is inactive again")
        self._table.handle(inputs.SensorStuck(**now(), sensor=name, stuck=is_stuck))


def _calibrated(pin: Pin, config: Config) -> Pin:
    """Return the cut card's wire as calibrated by `shoe calibrate cut-card`, where the config gives only its number."""
    if not isinstance(config.pins.cut_card, int):
        return pin
    try:
        section = calibration.load(Path(config.journal.dir) / calibration.FILE).cut_card
    except ConfigError as error:
        log.warning("%s", error)
        return pin
    if section is None:
        return pin
    found = section.after
    quiet, dwell = found.get("debounce_ms", pin.debounce_ms), found.get("min_dwell_ms", pin.min_dwell_ms)
    return replace(pin, debounce_ms=int(quiet), min_dwell_ms=int(dwell))
