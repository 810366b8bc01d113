"""The commands `shoe-floor record`: enrol and revoke keys, show them, list incidents and close them."""

from collections.abc import Iterator
from typing import Any, Final, get_args

import msgspec

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.names import as_seen, one_person
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.record.message import now
from firmware_bridge.floor.record.state import NO_LIMIT, Kind, TrustedKey
from firmware_bridge.floor.store import Store
from firmware_bridge.record.verify import ED25519, Refused, parse_vkey

ANSWERED: Final = {"two_keys", "new_birth", "rotation"}
"""Kinds of incidents that the enrolment of their key answers."""


class NotDone(BridgeError, ValueError):
    """A command about records that cannot be carried out."""


def enrol(store: Store, table: str, vkey: str, by: str, second: str) -> str:
    """Enrol a key of a table, by two people; say so. Raises NotDone, StoreError."""
    _verify_people(by, second)
    try:
        key = parse_vkey(vkey)
    except Refused as error:
        raise NotDone(f"this is no key: {error}", "copy it from `shoe key show` at the table, all of it") from None
    if key.kind != ED25519:
        raise NotDone("this is no key of a table", "copy it from `shoe key show` at the table")
    for each in store.record_keys():
        if each.vkey == vkey and each.table != table and each.trust == "enrolled":
            what = f"this key is enrolled for table {each.table}"
            raise NotDone(what, f"revoke it there first: shoe-floor record revoke {each.table} ..")
    store.put_key(TrustedKey(table, vkey, "enrolled", by, second, now()), [(kind, vkey) for kind in sorted(ANSWERED)])
    return f"enrolled for table {table}: {key.name}, fingerprint {key.id.hex()}"


def revoke(store: Store, table: str, vkey: str, until: int | None, by: str, second: str) -> str:
    """Let a key count up to a size of its record only, None for not at all; say so. Raises NotDone, StoreError."""
    _verify_people(by, second)
    known = next((each for each in store.record_keys() if (each.table, each.vkey) == (table, vkey)), None)
    if known is None:
        raise NotDone(f"table {table} has no such key", "see shoe-floor record show")
    size = NO_LIMIT if until is None else until
    store.put_key(known._replace(trust="revoked", by=by, second=second, at=now(), until=size))
    return f"revoked for table {table}: it counts {'no more' if until is None else f'up to {until} entries'}"


def shown(store: Store, *, as_json: bool = False) -> Iterator[str]:
    """Yield a line about each key of each table, and how far its record is verified. Raises StoreError."""
    logs = {(each.table, each.origin): each for each in store.logs()}
    for key in sorted(store.record_keys()):
        log = logs.get((key.table, key.vkey.partition("+")[0]))
        size, witnessed = (log.size, log.witnessed) if log else (0, 0)
        if as_json:
            yield _as_json(key, size=size, witnessed=witnessed)
            continue
        trust = {"seen": "seen, not enrolled"}.get(key.trust, key.trust)
        trust += "" if key.until == NO_LIMIT else f" above {key.until}"
        people = f" by {key.by} and {key.second}" if key.by else ""
        yield escaped(f"{key.table}  {trust} since {key.at}{people}; verified to {size}, witnessed to {witnessed}")
        yield escaped(f"    {key.vkey}")


def incidents(store: Store, *, as_json: bool = False) -> Iterator[str]:
    """Yield a line about each open incident: time, table, kind, text; or an object. Raises StoreError."""
    for each in store.incidents():
        yield _as_json(each) if as_json else escaped(f"{each.at} {each.table} {each.kind} {each.text}")


def witnessed_note(store: Store, table: str) -> str:
    """Return the newest note of a table's newest record that a quorum cosigned. Raises NotDone, StoreError."""
    origins = {each.origin: each.birth for each in store.logs() if each.table == table}
    found = [each for each in store.newest_witnessed() if each.origin in origins]
    if not found:
        what = f"no quorum of witnesses has cosigned a note of table {table} yet"
        raise NotDone(what, "shoe-floor check says which witness is late; without witnesses verify the export alone")
    return max(found, key=lambda each: origins[each.origin]).note


def close(store: Store, table: str, kind: str, by: str, second: str, why: str) -> str:
    """Close the open incidents of a kind at a table, by two people; say how many. Raises NotDone, StoreError."""
    _verify_people(by, second)
    if kind not in get_args(Kind):
        raise NotDone(f"{kind} is no kind of incident", f"one of: {', '.join(get_args(Kind))}")
    count = store.close_incidents(table, kind, f"by {by} and {second}: {why}", now())
    if not count:
        raise NotDone(f"table {table} has no open incident of the kind {kind}", "see shoe-floor record incidents")
    return f"{count} incidents closed"


def _verify_people(by: str, second: str) -> None:
    if not (as_seen(by) and as_seen(second)) or one_person(by, second):
        raise NotDone("two people do this", "name both: --by ANNA --second BO")


def _as_json(value: Any, **more: object) -> str:
    return msgspec.json.encode(value._asdict() | more).decode()
