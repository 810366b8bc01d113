"""Cards, points and lamp rhythms in few letters."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from firmware_bridge.config.streams import is_utf
from firmware_bridge.topics.texts import Language, known, text

if TYPE_CHECKING:  # keeps `shoe status` quick: it loads no game
    from firmware_bridge.games.game import Game

SIGNS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
RHYTHMS: Final = {
    "steady": "steady",
    "confirm": "1 Hz",
    "candidate": "2 Hz",
    "blocked": "5 Hz",
    "quick": "4 Hz",
    "double": "double flash",
    "triple": "triple flash",
    "quadruple": "four flashes",
}


def face(card: str) -> str:
    """Return a card with its suit's sign if the terminal can show it."""
    return f"{card[0]}{SIGNS[card[1]]}" if card[1] in SIGNS and is_utf() else card


def face_or_word(word: str) -> str:
    """Return a card as `face` shows it, any other word as it is."""
    return face(word) if word in _cards() else word


def counted(number: int, what: str, several: str = "") -> str:
    """Return number and noun: `1 round`, `2 rounds`. several: the plural, by default with an s."""
    return f"{number} {what if number == 1 else several or f'{what}s'}"


def offer(word: str, may: Any) -> str:
    """Return an offered mark and its possible values, as in the topic `table`: `raise 3-10`, `call 2`."""
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


def shows(table: Mapping[str, Any], lang: Language = "en") -> str:
    """Return what a game shows of its running round, in the topic `table`: `betting round 3; stake 2; pot 40`."""
    values = {name: value for name, value in (table.get("shows") or {}).items() if value not in (None, {})}
    return text(lang, "between.clauses").join(
        f"{_key(lang, str(table.get('game')), name)} {shown(value)}" for name, value in values.items()
    )


def offers(table: Mapping[str, Any]) -> str:
    """Return the marks open to each seat that must act, from the topic `table`: `S2: call 2, raise 3-10`."""
    by_offer: dict[str, list[str]] = {}
    for slot, offered in (table.get("act") or {}).items():
        by_offer.setdefault(", ".join(offer(word, may) for word, may in offered.items()), []).append(slot)
    return "; ".join(f"{' '.join(slots)}: {offered}" for offered, slots in by_offer.items())


def _key(lang: Language, game: str, name: str) -> str:
    return known(lang, f"shows.{game}.{name}") or known(lang, f"shows.{name}") or name


def shown(value: Any) -> str:
    """Return a value that a game shows of its running round: `S1 3, S2 0` for a table of slots."""
    return ", ".join(f"{slot} {each}" for slot, each in value.items()) if isinstance(value, Mapping) else str(value)


def brief(points: str) -> str:
    """Return the word of a hand's points that counts: `natural 9` is 9, `soft 17` is 17, `bust 23` is bust."""
    words = points.split()
    return "".join(words[:1] if "bust" in words else words[-1:])


def headline(result: Mapping[str, Any], width: int = 0) -> str:
    """Return outcome (padded to `width`) and points of a round of the topic `round`: `BANKER 3:8`."""
    points = ":".join(brief(hand["points"]) for hand in result["hands"].values())
    return f"{result['outcome'].upper():<{width}} {points}"


def short_name(hand: str, hands: Iterable[str]) -> str:
    """Return the name of a hand: `S3` for `S3.1` where the seat has only one."""
    seat = hand.partition(".")[0]
    return hand if f"{seat}.2" in hands else hand.removesuffix(".1")


def named(hands: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return hands by their first letters where these differ; seats keep their numbers."""
    letters = {name[0].upper() if name.isalpha() else name: hand for name, hand in hands.items()}
    return letters if len(letters) == len(hands) else hands


def shown_hands(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the hands of a finished round that are shown; `result` as in the topic `round`."""
    shown = result.get("shown")
    return {name: hand for name, hand in result["hands"].items() if shown is None or name in shown}


def on_screen(cards: Iterable[tuple[str, str]], result: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """Return the cards of a finished round: None for hands that are not shown; `result` as in the topic `round`."""
    shown = result.get("shown")
    return [(slot, card if shown is None or slot in shown else None) for slot, card in cards]


def remarks(game: "Game", result: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the remarks on a round besides outcome and hands; `result` as in the topic `round`."""
    carried = (f"{result['carried']} carried",) if result["carried"] else ()
    last = ("last of this shoe",) if result["last"] else ()
    return (*game.demo.remarks(result), *carried, *last, *result["flags"])


@cache
def _cards() -> frozenset[str]:
    from firmware_bridge.facts.cards import Card  # imported here: `shoe status` without a daemon needs none

    return frozenset(card.value for card in Card)
