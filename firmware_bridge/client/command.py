"""The payload of an order for the topic `command`."""

from __future__ import annotations

from typing import Final

import msgspec

from firmware_bridge.facts.orders import Order

MOST_OF_ID: Final = 64
"""Characters of the longest `id`."""


def command(order: Order, id: str) -> bytes:
    """An order as the topic `command` takes it: `command(Void(why="misdeal"), id="b-17")`.

    id: 1 to 64 characters, for this order alone: a repeated one acts once and gets the same answer. Raises ValueError
    for another length.
    """
    if not 1 <= len(id) <= MOST_OF_ID:
        raise ValueError(f"an id has 1 to {MOST_OF_ID} characters, not {len(id)}")
    return msgspec.json.encode({"id": id} | msgspec.to_builtins(order))
