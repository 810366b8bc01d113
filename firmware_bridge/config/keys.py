"""What guests and dealers press: keys of a seat on GPIO, and serial keypads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from firmware_bridge.facts.nearest import nearest
from firmware_bridge.games.game import Game
from firmware_bridge.games.moves import LOT, Mark, mark_of

Seat = Annotated[int, Meta(ge=1, le=99)]


class KeypadConfig(Struct, frozen=True, kw_only=True):
    """`[[keypad]]`: a serial keypad at some seats.

    port: a device, or socket://HOST:PORT.
    seats: the seats it stands at, by their numbers.
    """

    port: Annotated[str, Meta(min_length=1)]
    seats: Annotated[tuple[Seat, ...], Meta(min_length=1)]


SHAPE: Final = 'write "S1.H" = 5: the seat, the word, and a value where it takes one, "S1.grab=2"'


def mark_of_key(name: str) -> Mark | None:
    """The mark that a key gives, by its name in `[keys]`: `S1.H`, `S2.grab=3`, `lot=2`; None for no such name."""
    if name.startswith(f"{LOT}="):
        return mark_of(name)
    seat, point, rest = name.partition(".")
    return mark_of(f"{seat[1:]}:{rest}") if point and seat[:1] == "S" and seat[1:].isdecimal() else None


def seat_numbers(game: Game) -> tuple[str, ...]:
    """The numbers of the game's seats, as its slots and lamps name them."""
    named = dict.fromkeys(name.partition(".")[0] for name in (*game.slots, *game.seats))
    return tuple(name[1:] for name in named if name[:1] == "S" and name[1:].isdecimal())


def wrong_keys(keys: dict[str, Any], game: Game) -> Iterator[str]:
    """What is wrong with names in `[keys]`, a sentence each."""
    seats = seat_numbers(game)
    for name in keys:
        mark = mark_of_key(name)
        if not game.words:
            yield f"[keys] {name}: {game.name} has no marks"
        elif mark is None or mark.word not in game.words or (mark.seat not in seats and mark.word != LOT):
            known = [f"S{seat}.{word}" for seat in seats for word in game.words if word != LOT]
            near = nearest(name, known)
            yield f"[keys] {name} is unknown: " + (f"did you mean {near}?" if near else SHAPE)


def wrong_pads(pads: tuple[KeypadConfig, ...], game: Game) -> Iterator[str]:
    """What is wrong with `[[keypad]]`, a sentence each: seats that the game has not, or that have two pads."""
    seats, seen = seat_numbers(game), set[int]()
    for pad in pads:
        if not game.words:
            yield f"[[keypad]] port = {pad.port}: {game.name} has no marks"
            return
        if strange := [seat for seat in pad.seats if str(seat) not in seats]:
            yield f"[[keypad]] seats: {game.name} has no seat {strange[0]}: its seats are {', '.join(seats)}"
        if twice := seen.intersection(pad.seats):
            yield f"[[keypad]] seats: seat {min(twice)} has a keypad already"
        seen.update(pad.seats)
    ports = [pad.port for pad in pads]
    for port in dict.fromkeys(port for port in ports if ports.count(port) > 1):
        yield f"[[keypad]] port = {port} is there twice: write its seats in one list"
