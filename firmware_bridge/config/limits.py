"""Reads `[limits]`: NAME = { low = .., high = .. } in every game, of which the shoe enforces `bet`."""

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from msgspec.structs import replace

from firmware_bridge.config.toml_text import as_written
from firmware_bridge.facts.house import Limit
from firmware_bridge.facts.orders import LONGEST_NAME
from firmware_bridge.facts.printable import did_you_mean, fault
from firmware_bridge.games.game import Game, Terms
from firmware_bridge.games.prompts import check_settings

BET: Final = "bet"
"""The limit that the shoe enforces, in games where `bets_closed` brings the bets."""

OF_TABLE: Final = "table"
OF_SIDES: Final = "differential"
ENDS: Final = ("low", "high")
FORM: Final = "{ low = .., high = .. }"


def names(game: Game) -> tuple[str, ...]:
    """Return what `[limits]` may name at a table of this game."""
    enforced, sides = (BET,) if game.money.bet_range else (), (OF_SIDES,) if game.money.bets else ()
    return (*game.money.bets, *enforced, OF_TABLE, *sides)


def limits(keys: Mapping[str, Any], game: Game, mistakes: list[str]) -> dict[str, Limit]:
    """Return the good limits, of whole numbers or decimal texts; mistakes are appended to `mistakes`."""
    good: dict[str, Limit] = {}
    for name, value in keys.items():
        where = f"[limits] {name[:LONGEST_NAME]}"
        if found := [*_wrong_name(where, name, game)] or [*_wrong_limit(where, name, value)]:
            mistakes += found
        else:
            good[name] = _as_published(value)
    return good


def enforced(game: Game, terms: Terms, limit: Limit | None, mistakes: list[str]) -> Terms:
    """Return the game's settings with the least and the most of `bet`; mistakes are appended to `mistakes`."""
    if game.money.bet_range is None or not isinstance(limit, dict):
        return terms
    ends = dict(zip(ENDS, game.money.bet_range, strict=True))
    try:
        return replace(terms, **{term: Decimal(limit[end]) for end, term in ends.items() if end in limit})
    except ValueError:
        low, high = (limit.get(end, getattr(terms, term)) for end, term in ends.items())
        short = (
            f"low ({low}) is above high ({high}): write both"
            if Decimal(low) > Decimal(high)
            else "low must be more than 0"
        )
        mistakes.append(f"[limits] {BET}: {short}")
        return terms


def enforced_limit(game: Game, terms: Terms) -> dict[str, Decimal]:
    """Return the limit `bet` as these settings have it; {} in a game without one."""
    terms_of = zip(ENDS, game.money.bet_range, strict=True) if game.money.bet_range else ()
    return {end: getattr(terms, term) for end, term in terms_of}


Ends = tuple[Decimal | None, Decimal | None]
"""The least and the most of a limit, None where it has none."""

NO_ENDS: Final[Ends] = (None, None)

MAIN: Final = ("player", "banker", "banker_no_commission", BET)
"""Bets that keep to the limits of the table at both ends; a side bet may begin, and end, lower."""


def contradictory(written: Mapping[str, Limit], game: Game, terms: Terms) -> Iterator[str]:
    """Yield limits that leave no bet, or allow one that another forbids; `written`: the good ones, without `bet`."""
    found: dict[str, Ends] = {name: _ends_of(limit) for name, limit in written.items()}
    for name in (name for name, (_, most) in found.items() if most == 0):
        yield f"[limits] {name}: high is 0, so no bet is possible: give an amount above 0"
    of_table, of_sides = found.pop(OF_TABLE, NO_ENDS), found.pop(OF_SIDES, NO_ENDS)
    if of_sides[0] is not None:
        yield f"[limits] {OF_SIDES}.low: a difference has no least amount: write {{ high = .. }}"
    if ends := enforced_limit(game, terms):
        found[BET] = ends["low"], ends["high"]
    for name, of_bet in found.items():
        yield from _outside(name, of_bet, of_table)
    lows = {OF_TABLE: of_table[0]} | {name: found[name][0] for name in MAIN if name in found}
    for name, least in lows.items():
        if least is not None and of_sides[1] is not None and of_sides[1] < least:
            high = f"high ({of_sides[1]}) is below {name}.low ({least})"
            yield f"[limits] {OF_SIDES}: {high}, so no first bet on a side is possible: raise it to {least} or more"


def _ends_of(limit: Limit) -> Ends:
    ends = limit if isinstance(limit, dict) else {}
    low, high = (Decimal(ends[end]) if end in ends else None for end in ENDS)
    return low, high


def _outside(name: str, of_bet: Ends, of_table: Ends) -> Iterator[str]:
    """Yield mistakes of a bet with other limits than the table's, which are of every bet."""
    (least, most), (low, high) = of_bet, of_table
    inside = f"write {name} and {OF_TABLE} so that one lies in the other"
    if high is not None and (most or least or 0) > high:
        end, amount = ("high", most) if most is not None else ("low", least)
        yield f"[limits] {name}: {end} ({amount}) is above {OF_TABLE}.high ({high}): {inside}"
    if low is not None and least is not None and least < low and name in MAIN:
        yield f"[limits] {name}: low ({least}) is below {OF_TABLE}.low ({low}): {inside}"
    elif low is not None and most is not None and most < low and (name in MAIN or least is None):
        remedy = inside if name in MAIN else f"give {name} a low too"
        yield f"[limits] {name}: high ({most}) is below {OF_TABLE}.low ({low}): {remedy}"


def in_limits(key: str, game: Game) -> str:
    """Return where a key of `[game]` stands, if that is `[limits]`; else ""."""
    return f"[game] {key} belongs in [limits]: {BET} = {FORM}" if key in (game.money.bet_range or ()) else ""


def _wrong_name(where: str, name: str, game: Game) -> Iterator[str]:
    known = names(game)
    if wrong := fault(name, LONGEST_NAME):
        yield f"{where}: the name {wrong}"
    elif name in (*ENDS, "min", "max", BET) and name not in known:
        yield f"{where}: write {BET if BET in known else OF_TABLE} = {FORM}"
    elif name not in known:
        otherwise = f"use {'an id from shoe help payouts, ' if game.money.bets else ''}{' or '.join(known[-2:])}"
        yield f"{where} is not a bet of {game.name}: {did_you_mean(name, known, otherwise)}"


def _wrong_limit(where: str, name: str, value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        hint = f"{name} = {{ high = {as_written(value)} }}" if _amount(value) is not None else f"{name} = {FORM}"
        yield f"{where} = {as_written(value)}: write {hint}"
        return
    if not value:
        yield f"{where}: write low, high or both"
    for end in (each for each in value if each not in ENDS):
        alike = {"min": "low", "max": "high"}.get(end)
        hint = f"write {alike}" if alike else did_you_mean(end, ENDS, "write low and high")
        yield f"{where}.{end} is unknown: {hint}"
    amounts = {end: _amount(value[end]) for end in ENDS if end in value}
    for end in (each for each, amount in amounts.items() if amount is None):
        yield f'{where}.{end} = {as_written(value[end])} is not an amount of money: write 100, 12.5 or "10000.00"'
    low, high = amounts.get("low"), amounts.get("high")
    if low is not None and high is not None:
        if isinstance(value["low"], str) is not isinstance(value["high"], str):
            yield f"{where}: one is a number, the other text: write low and high the same way"
        if low > high:
            yield f"{where}: low ({low}) is above high ({high})"


def _as_published(value: dict[str, Any]) -> Limit:
    """Return whole numbers as they are; if one is not whole, all of them as decimal texts."""
    if all(isinstance(each, int) for each in value.values()):
        return value
    return {end: each if isinstance(each, str) else f"{Decimal(each):f}" for end, each in value.items()}


def _amount(written: Any) -> Decimal | None:
    """Return money in plain decimals; None for anything else or a negative amount."""
    if isinstance(written, bool) or not isinstance(written, int | str | Decimal):
        return None
    if isinstance(written, str) and not set(written) <= set("0123456789."):
        return None
    try:
        amount = Decimal(written)
        check_settings(amount=amount)
    except (InvalidOperation, ValueError):
        return None
    return amount if amount.is_finite() and amount >= 0 else None
