"""`[limits]`: names that the house gives, each with an amount of money, or with a low and a high one."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from firmware_bridge.facts.house import Limit
from firmware_bridge.facts.orders import LONGEST_NAME
from firmware_bridge.facts.printable import fault


def limits(keys: dict[str, Any], mistakes: list[str]) -> dict[str, Limit]:
    """The limits as they are written; what is wrong with the others goes to `mistakes`."""
    good: dict[str, Limit] = {}
    for name, value in keys.items():
        found = list(_wrong(name, value))
        mistakes += [f"[limits] {name[:LONGEST_NAME]} = {value!r}: {each}" for each in found]
        if not found:
            good[name] = value
    return good


def _wrong(name: str, value: Any) -> Iterator[str]:
    if wrong := fault(name, LONGEST_NAME):
        yield f"the name {wrong}"
        return
    try:
        msgspec.convert(value, Limit)
    except msgspec.ValidationError:
        yield f'write money as a whole number or a text, {name} = "10000.00"'
        return
    parts = value if isinstance(value, dict) else {name: value}
    amounts = {key: _amount(each) for key, each in parts.items()}
    for key, amount in amounts.items():
        if amount is None:
            yield f'{key} is no amount of money: write {key} = "10000.00"'
    low, high = amounts.get("low"), amounts.get("high")
    if low is not None and high is not None:
        if type(parts["low"]) is not type(parts["high"]):
            yield "one is a number, the other a text: write low and high in the same way"
        if low > high:
            yield f"low, {low}, is above high, {high}"


def _amount(written: int | str) -> Decimal | None:
    """Money in plain decimals; None for anything else, and for less than nothing."""
    if isinstance(written, str) and not set(written) <= set("0123456789."):
        return None
    try:
        amount = Decimal(written)
    except InvalidOperation:
        return None
    return amount if amount >= 0 else None
