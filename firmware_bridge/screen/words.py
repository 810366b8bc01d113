"""Cards, points and rhythms of lamps in as few letters as a screen has."""

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # `shoe status` must be quick, and loads no game
    from firmware_bridge.games.game import Game

SIGNS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
RHYTHMS: Final = {
    "steady": "steady",
    "confirm": "1 Hz",
    "candidate": "2 Hz",
    "blocked": "5 Hz",
    "double": "double flash",
}
_SHOWS_SIGNS: Final = (getattr(sys.__stdout__, "encoding", None) or "").lower().startswith("utf")


def face(card: str) -> str:
    """A card with its suit's sign, where the terminal can show it."""
    return f"{card[0]}{SIGNS[card[1]]}" if _SHOWS_SIGNS and card[1] in SIGNS else card


def counted(number: int, what: str) -> str:
    """So many of something: `1 round`, `2 rounds`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def offer(word: str, may: Any) -> str:
    """A mark that is offered, and what may come with it as the topic `table` has it: `raise 3-10`, `call 2`."""
    match may:
        case {"with": seats, "cost": cost}:
            return f"{word} {'all' if seats == 'all' else ' '.join(seats)} for {cost}"
        case {"max": most, **least}:
            return f"{word} {least['min']}-{most}" if "min" in least else f"{word} up to {most}"
        case list():
            return f"{word} {' '.join(map(str, may))}"
        case str():
            return f"{word} {may}"
    return word


def asked(table: Mapping[str, Any]) -> str:
    """What the topic `table` shows of a running round, and what the seats that must act may say."""
    values = {name: value for name, value in (table.get("shows") or {}).items() if value not in (None, {})}
    shows = "; ".join(f"{name} {shown(value)}" for name, value in values.items())
    by_offer: dict[str, list[str]] = {}
    for slot, offers in (table.get("act") or {}).items():
        by_offer.setdefault(", ".join(offer(word, may) for word, may in offers.items()), []).append(slot)
    seats = [f"{' '.join(slots)}: {offered}" for offered, slots in by_offer.items()]
    return "; ".join([*([shows] if shows else []), *seats])


def shown(value: Any) -> str:
    """What a game shows of its running round, in words: `S1 3, S2 0` of a table of slots."""
    return ", ".join(f"{slot} {each}" for slot, each in value.items()) if isinstance(value, Mapping) else str(value)


def brief(points: str) -> str:
    """The points of a hand in one word, the last: `natural 9` is 9, `soft 17` 17."""
    return "".join(points.split()[-1:])


def headline(result: Mapping[str, Any], width: int = 0) -> str:
    """Outcome (in `width` columns at least) and points of a round, as the topic `round` has it: `BANKER 3:8`."""
    points = ":".join(brief(hand["points"]) for hand in result["hands"].values())
    return f"{result['outcome'].upper():<{width}} {points}"


def named(hands: Mapping[str, Any]) -> Mapping[str, Any]:
    """The hands by their first letters, where these differ; seats keep their numbers."""
    letters = {name[0].upper() if name.isalpha() else name: hand for name, hand in hands.items()}
    return letters if len(letters) == len(hands) else hands


def shown_hands(result: Mapping[str, Any]) -> dict[str, Any]:
    """The hands of a round that is over, but those that nobody is shown; `result` as the topic `round` has it."""
    shown = result.get("shown")
    return {name: hand for name, hand in result["hands"].items() if shown is None or name in shown}


def on_screen(cards: Iterable[tuple[str, str]], result: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """The cards of a round that is over: None for hands that are not shown. result: as the topic `round` has it."""
    shown = result.get("shown")
    return [(slot, card if shown is None or slot in shown else None) for slot, card in cards]


def remarks(game: "Game", result: Mapping[str, Any]) -> tuple[str, ...]:
    """What people say of a round besides its outcome and its hands; `result` as the topic `round` has it."""
    carried = (f"{result['carried']} carried",) if result["carried"] else ()
    last = ("last of this shoe",) if result["last"] else ()
    return (*game.demo.remarks(result), *carried, *last, *result["flags"])
