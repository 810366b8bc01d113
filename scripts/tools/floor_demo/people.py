"""The people of `scripts/floor --people`, and the keys that sign their orders and what the ingest tells tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from firmware_bridge.client.signing import signing
from firmware_bridge.facts.orders import BY_MQTT
from firmware_bridge.floor.page.people import People, Role
from firmware_bridge.record.signer import write_seed
from scripts.tools.floor_demo.table import STORED

PASSWORD: Final = "simulated floor"
PEOPLE: Final[dict[str, Role]] = {"ANNA": "act", "CARL": "act", "BO": "look"}

ALLOWS: Final = {
    "page": (
        *("void", "resolve", "bets_open", "bets_closed"),
        *("request_shoe_change", "request_dealer_change", "close_table"),
    ),
    STORED: (*BY_MQTT, "stored"),
}
"""Name of a key at the tables -> what it may give: the page what docs/page.md has, the store also marks."""


def floor_toml(folder: Path) -> str:
    """Return the sections with which people sign in and give orders, and make the files that they name, in `folder`."""
    people = People(folder / "users.json")
    for name, role in PEOPLE.items():
        people.add(name, role, PASSWORD)
    for name in ALLOWS:
        write_seed(_key(folder, name))
    return (
        f'[page]\nsign_in = "on"\nusers = "{folder / "users.json"}"\norder_key_file = "{_key(folder, "page")}"\n'
        f'[ingest]\nkey_file = "{_key(folder, STORED)}"\n'
    )


def bridge_toml(folder: Path, asks_two: bool) -> dict[str, Any]:
    """Return the sections of a table that takes the orders of these keys; none where `folder` has no keys.

    asks_two: the table asks for two people.
    """
    if not _key(folder, "page").exists():
        return {}
    vkeys = {name: signing(name, _key(folder, name), lambda: 0).by.key.vkey for name in ALLOWS}
    rows = [
        {"name": name, "key": vkey, "allows": list(ALLOWS[name]), "two_people": name == "page"}
        for name, vkey in vkeys.items()
    ]
    return {"orders": rows, "service": {"second_person": ["void", "resolve"] if asks_two else []}}


def _key(folder: Path, name: str) -> Path:
    return folder / f"{name}.order-key"
