"""Wires and keypads of `bridge.toml`: pins, sensors, keys of dealer and seats, with limits and defaults."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from firmware_bridge.facts.printable import did_you_mean
from firmware_bridge.games.game import Game
from firmware_bridge.games.moves import LOT, Mark, mark_of

PinNumber = Annotated[int, Meta(ge=0, le=27, description="the 40-pin header has no other GPIO")]
Seat = Annotated[int, Meta(ge=1, le=99)]

SHAPE: Final = 'write seat and word, "S1.H" = 5, with a value if the word takes one, "S1.grab=2" = 6'


class PinConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """A wire with settings of its own.

    pin: its BCM number.
    active_low: whether low means active; by default for inputs, not for lamps, buzzer and lock.
    pull_up: whether the Pi's internal pull-up holds an input high.
    debounce_ms: milliseconds that an input must hold a level before it counts.
    """

    pin: PinNumber
    active_low: bool | None = None
    pull_up: bool = True
    debounce_ms: Annotated[int, Meta(ge=1, le=1000)] = 20


AnyPin = PinNumber | PinConfig


class SensorConfig(PinConfig, frozen=True):
    """A sensor or key.

    min_dwell_ms: milliseconds that it must be active before it counts.
    stuck_after: seconds active without a pause after which it counts as stuck; by default 5, for a key 30.
    """

    min_dwell_ms: Annotated[int, Meta(ge=0, le=1000)] = 0
    stuck_after: Annotated[float, Meta(ge=1, le=600)] | None = None


class LockConfig(PinConfig, frozen=True):
    """The lock at the card exit of the shoe.

    fail_safe: its state without power, and so while the bridge is down.
    """

    fail_safe: Literal["open", "locked"] = "open"


AnySensor = PinNumber | SensorConfig


class PinsConfig(Struct, frozen=True, kw_only=True):
    """`[pins]`: sensors, keys, buzzer and lock, and the library that drives them.

    factory: the library; `rpigpio` only on kernels before 6.6, `mock` drives nothing.
    cut_card: the cut-card sensor.
    next: the dealer's key NEXT.
    reveal: the dealer's key REVEAL.
    unmark: the dealer's key that takes back the last mark.
    lid: a switch that is active while the lid is closed.
    presence: a sensor that is active while a card is in the exit of the shoe.
    buzzer: beeps while the table waits for the pit.
    lock: keeps cards in the shoe while it is blocked, between shoes, while bets are open or a mark is due, and after a
        round of a game that keeps no card for the next.
    keys: the dealer's keys for results, by name; in the file they stand beside the others.
    """

    factory: Literal["lgpio", "rpigpio", "mock"] = "lgpio"
    cut_card: AnySensor | None = None
    next: AnySensor | None = None
    reveal: AnySensor | None = None
    unmark: AnySensor | None = None
    lid: AnySensor | None = None
    presence: AnySensor | None = None
    buzzer: AnyPin | None = None
    lock: PinNumber | LockConfig | None = None
    keys: dict[str, AnySensor] = {}


class KeypadConfig(Struct, frozen=True, kw_only=True):
    """`[[keypad]]`: a serial keypad at some seats, or the dealer's.

    port: a device or socket://HOST:PORT.
    seats: the numbers of its seats; the dealer's may have none.
    dealer: whether it is the dealer's, with the keys NEXT and UNMARK.
    """

    port: Annotated[str, Meta(min_length=1)]
    seats: tuple[Seat, ...] = ()
    dealer: bool = False

    @property
    def where(self) -> str:
        """Its place in words."""
        seats = [f"seats {', '.join(map(str, self.seats))}"] if self.seats else []
        return " and ".join([*seats, *["the dealer"] * self.dealer])


def mark_of_key(name: str) -> Mark | None:
    """Return the mark of a key by its name in `[keys]`: `S1.H`, `S2.grab=3`, `lot=2`; None for another name."""
    if name.startswith(f"{LOT}="):
        return mark_of(name)
    seat, point, rest = name.partition(".")
    return mark_of(f"{seat[1:]}:{rest}") if point and seat[:1] == "S" and seat[1:].isdecimal() else None


def seat_numbers(game: Game) -> tuple[str, ...]:
    """Return the numbers of the game's seats, as its slots and lamps name them."""
    named = dict.fromkeys(name.partition(".")[0] for name in (*game.slots, *game.seats))
    return tuple(name[1:] for name in named if name[:1] == "S" and name[1:].isdecimal())


def wrong_keys(keys: dict[str, Any], game: Game) -> Iterator[str]:
    """Yield the mistakes in the names in `[keys]`, one sentence each."""
    seats = seat_numbers(game)
    for name in keys:
        mark = mark_of_key(name)
        if not game.play.words:
            yield f"[keys] {name}: {game.name} has no marks"
        elif mark is None or mark.word not in game.play.words or (mark.seat not in seats and mark.word != LOT):
            known = [f"S{seat}.{word}" for seat in seats for word in game.play.words if word != LOT]
            yield f"[keys] {name} is unknown: {did_you_mean(name, known, SHAPE)}"


def wrong_pads(pads: tuple[KeypadConfig, ...], game: Game) -> Iterator[str]:
    """Yield the mistakes in `[[keypad]]`, one sentence each: seats that the game does not have, or with two pads."""
    seats, seen = seat_numbers(game), set[int]()
    for pad in pads:
        if not pad.seats:
            if not pad.dealer:
                yield f"[[keypad]] port = {pad.port} has no seats: write seats = [1, 2], or dealer = true"
            continue
        if not game.play.words:
            yield f"[[keypad]] port = {pad.port}: {game.name} has no marks"
            return
        if strange := [seat for seat in pad.seats if str(seat) not in seats]:
            yield f"[[keypad]] seats: {game.name} has no seat {strange[0]}: its seats are {', '.join(seats)}"
        if twice := seen.intersection(pad.seats):
            yield f"[[keypad]] seats: seat {min(twice)} already has a keypad"
        seen.update(pad.seats)
    ports = [pad.port for pad in pads]
    for port in dict.fromkeys(port for port in ports if ports.count(port) > 1):
        yield f"[[keypad]] port = {port} is used twice: write all its seats in one list"
