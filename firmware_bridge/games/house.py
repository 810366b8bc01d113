"""A house and the terms of its game, which a house carries as JSON: facts do not depend on games."""

from functools import lru_cache
from typing import Any, Final, get_args, get_type_hints

import msgspec
from msgspec import Raw
from msgspec.structs import asdict, fields, replace

from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game, Terms

_OWN: Final = frozenset(field.name for field in fields(House))
_PLAIN: Final = House()


def house_of(game: str = "baccarat", **settings: Any) -> House:
    """Return a house from settings of its own and of its game, each by name. Raises TypeError for an unknown one."""
    own = {name: value for name, value in settings.items() if name in _OWN}
    terms = {name: value for name, value in settings.items() if name not in _OWN}
    return House(game=game, terms=sealed(GAMES[game].terms(**terms)), **own)


def usual(name: str) -> dict[str, Any]:
    """Return the keys of `[table]` where a game needs another value than the default: its packs, no burn, bets."""
    game = GAMES[name]
    settings: dict[str, Any] = {}
    if _PLAIN.decks not in game.packs:
        settings["decks"] = game.packs[-1]
    if not any(map(game.play.burns, game.pack)):
        settings["burn"] = "none"
    if game.money.stakes:
        settings["betting"] = "required"
    if game.play.one_round_packs:
        settings["new_shoe"] = "auto"
    return settings


def sealed(terms: Terms) -> Raw:
    """Return terms as a house carries them."""
    return Raw(msgspec.json.encode(terms))


def terms_of(house: House) -> Any:
    """Return the terms of a house, as its game's struct. Raises Undecodable for those of another game."""
    return _decoded(house.game, bytes(house.terms))


def with_terms(house: House, **changes: Any) -> House:
    """Return the house with some terms changed."""
    return replace(house, terms=sealed(type(terms_of(house))(**asdict(terms_of(house)) | changes)))


def size_of(house: House) -> int:
    """Return the number of cards in a full shoe."""
    return house.decks * _size(GAMES[house.game])


@lru_cache(64)
def _size(game: Game) -> int:
    """Return the number of cards in one pack, counted once, not several times a card."""
    return game.size


def cut_place(game: str) -> int | None:
    """Return how many cards from the end the cut card must be met at the latest; None for a game without one."""
    from_end = GAMES[game].play.cut_from_end
    return from_end[0] if from_end else None


def cut_earliest(game: str, decks: int, virtual_cut: int | None) -> int | None:
    """Return the number of cards left above which a cut card is early, where the house sets none: at least twice
    `virtual_cut`.
    """
    own = GAMES[game].play.cut_earliest(decks * _size(GAMES[game]))
    return None if own is None else max(own, 2 * (virtual_cut or 0))


def with_decks(house: House, decks: int) -> House:
    """Return the house with another number of decks; a limit that follows from it by default does so again."""
    other = replace(house, decks=decks)
    if house.cut_earliest != cut_earliest(house.game, house.decks, house.virtual_cut):
        return other
    return replace(other, cut_earliest=cut_earliest(house.game, decks, house.virtual_cut))


def choices(key: str) -> tuple[str, ...]:
    """Return the values allowed at a key of a game's terms, over all games with this key."""
    found = (get_args(get_type_hints(game.terms).get(key)) for game in GAMES.values())
    return tuple(dict.fromkeys(value for values in found for value in values))


@lru_cache(16)
def _decoded(game: str, terms: bytes) -> Any:
    return from_json(terms, GAMES[game].terms)
