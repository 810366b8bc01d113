"""Settles the wagers of all tables: `python settle_money.py money.db 1883`.

A message, what it pays, and the settlement it leaves are one transaction; only then is the message acknowledged. So a
kill at any moment loses no payment, and a message that comes again pays nothing. Your front end accepts and debits
wagers, and writes them into the table `wager` when it accepts them: with the journal and shoe that the topic `table`
names, since each shoe, and each pack of one journal, counts its rounds from 1. At a game in money a seat has one
wager, on `S1`.
"""

import logging
import sqlite3
import sys
from decimal import Decimal

import msgspec

from firmware_bridge.client import Rounding, Settlement, Wager, payments, settle
from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.client.messages import Item, Received

CENT = Rounding(Decimal("0.01"))
TABLES = """
create table if not exists wager (
    tbl, journal, shoe, round, person, bet, stake text check (cast(stake as real) > 0));
create table if not exists message (tbl, journal, seq, n, raw, primary key (tbl, journal, seq, n));
create table if not exists journal (tbl, journal, old default 0, primary key (tbl, journal));
create table if not exists settlement (tbl, journal, shoe, round, raw, primary key (tbl, journal, shoe, round));
create table if not exists payment (tbl, journal, shoe, round, revision, person, amount);
create table if not exists incident (at default current_timestamp, what);
"""
KNOWN = "select raw from journal cross join message using (tbl, journal) where not old"
"""The messages of journals that may still lack one: about three shoes a table, however many are stored."""


def book(db: sqlite3.Connection, item: Item) -> None:
    """Book an item, inside the transaction that stores it."""
    if not isinstance(item, Received):  # Conflict, Unreadable, Refused: a person has to look at it
        db.execute("insert into incident (what) values (?)", (repr(item),))
        return
    row = (item.table, *item.message.identity, item.raw)
    if not db.execute("insert or ignore into message values (?, ?, ?, ?, ?)", row).rowcount:
        return  # booked before
    db.execute("insert or ignore into journal (tbl, journal) values (?, ?)", row[:2])
    now = settle(item.raw, wagers(db, item), CENT)
    before = last_settlement(db, now)
    for person, amount in payments(now, before).items():  # of a correction: the difference
        payment = (*now.of, now.revision, person, str(amount))
        db.execute("insert into payment values (?, ?, ?, ?, ?, ?, ?)", payment)
    for held in now.held:
        db.execute("insert into incident (what) values (?)", (held.why,))
    if before is None or now.revision > before.revision:  # corrections may come out of order
        db.execute("insert or replace into settlement values (?, ?, ?, ?, ?)", (*now.of, msgspec.json.encode(now)))


def wagers(db: sqlite3.Connection, item: Received) -> list[Wager]:
    """Return the accepted wagers on the round of a message."""
    query = "select person, bet, stake from wager where (tbl, journal, shoe, round) = (?, ?, ?, ?) order by rowid"
    rows = db.execute(query, (item.table, item.message.journal, item.message.shoe, item.message.round))
    return [Wager(person, bet, Decimal(stake)) for person, bet, stake in rows]


def last_settlement(db: sqlite3.Connection, of: Settlement) -> Settlement | None:
    """Return the settlement that was paid before for the same round, if there is one."""
    query = "select raw from settlement where tbl = ? and journal = ? and shoe = ? and round = ?"
    found = db.execute(query, of.of).fetchone()
    return msgspec.json.decode(found[0], type=Settlement) if found else None


def main(path: str, port: int = 1883) -> None:
    """Settle until the process is ended."""
    db = sqlite3.connect(path, timeout=30)
    db.execute("pragma journal_mode = wal")
    db.execute("pragma synchronous = full")
    db.executescript(TABLES)
    with PlainFloor("settle-money", port=port) as floor:
        known = (raw for (raw,) in db.execute(KNOWN))
        forgotten = db.execute("select tbl, journal from journal where old")
        for batch in floor.rounds(known=known, forgotten=forgotten):
            with db:
                for item in batch:
                    book(db, item)
                db.executemany("insert or replace into journal values (?, ?, 1)", batch.forgotten)
            batch.stored()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main(sys.argv[1], *map(int, sys.argv[2:3]))
