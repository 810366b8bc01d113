"""The counts of signed orders, each used up once by the public key that signed it."""

from collections.abc import Mapping

from msgspec import UNSET

from firmware_bridge.facts.events import BridgeStarted, CommandAnswered, OrdersRefused
from firmware_bridge.facts.orders import BY_KEY
from firmware_bridge.shoe.state import Shoe, with_device


def started(shoe: Shoe, event: BridgeStarted) -> Shoe:
    """Return the shoe behind a start: counts that a journal of 0.1.0 has by name go to the key of that name."""
    keys, by_name = event.order_keys or {}, shoe.device.counts or {}
    found = {name: count for name, count in by_name.items() if name in keys}
    left = {name: count for name, count in by_name.items() if name not in keys}
    known = {"next_house": event.house, "code": event.code, "order_keys": event.order_keys, "counts": left or UNSET}
    return _used(with_device(shoe, **known), found)


def with_counts(shoe: Shoe, event: CommandAnswered | OrdersRefused) -> Shoe:
    """Return the shoe, with the counts of signed orders used up."""
    if isinstance(event, OrdersRefused):
        return _used(shoe, event.counts)
    return shoe if event.count is None else _used(shoe, {event.by.removeprefix(BY_KEY): event.count})


def last_count(shoe: Shoe, name: str, counted: Mapping[str, int] = {}) -> int:
    """Return the highest count that the key of a name has used up, 0 for none. counted: by name, not on record yet."""
    device = shoe.device
    by_key = (device.used or {}).get((device.order_keys or {}).get(name, ""), 0)
    return max(by_key, (device.counts or {}).get(name, 0), counted.get(name, 0))


def _used(shoe: Shoe, counts: Mapping[str, int]) -> Shoe:
    """Return the shoe with counts used up. counts: by name."""
    keys, by_key, by_name = shoe.device.order_keys or {}, shoe.device.used or {}, shoe.device.counts or {}
    for name, count in counts.items():
        if key := keys.get(name):
            by_key = by_key | {key: max(count, by_key.get(key, 0))}
        else:
            by_name = by_name | {name: max(count, by_name.get(name, 0))}
    return with_device(shoe, used=by_key or UNSET, counts=by_name or UNSET) if counts else shoe
