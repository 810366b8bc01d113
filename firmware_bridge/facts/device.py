"""What a device knows besides its shoe: it outlives the shoe, and each journal begins with it."""

from __future__ import annotations

from msgspec import Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_irregularities import Irregular
from firmware_bridge.facts.events_of_rounds import EntryName
from firmware_bridge.facts.house import House
from firmware_bridge.facts.inputs import ReportNo
from firmware_bridge.facts.orders import Answer


class Device(Struct, frozen=True):
    """What outlives a shoe.

    next_house: the settings of the next shoe. reader: the number of the last report taken. answers: those given to
    orders with an id, oldest first. irregular: the irregularities that are open. entered: cards that people entered
    and the reader has still to report. flown: rounds dealt without a bet, in a row. dealer_change: another dealer was
    asked for. lid_open: as its sensor said last. lent: the technician to whom the reader is lent, "" for nobody.
    turn: how many questions were answered at this table when the shoe was opened, modulo 65,536. prev: the entry of
    the last round message, None before the first.
    """

    next_house: House = House()
    reader: ReportNo | None = None
    answers: tuple[Answer, ...] = ()
    irregular: tuple[Irregular, ...] = ()
    entered: tuple[Card, ...] = ()
    flown: int = 0
    dealer_change: bool = False
    lid_open: bool = False
    lent: str = ""
    turn: int = 0
    prev: EntryName | None = None
