"""What people did by hand is counted by dealer and shift, and told at the end of the shift."""

from dataclasses import dataclass, field
from functools import reduce

from msgspec import UNSET
from msgspec.structs import replace

from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events import AnyEvent, Entry, ShiftEnded
from firmware_bridge.facts.house import MOST_COUNTED, Acts
from firmware_bridge.games.house import house_of
from firmware_bridge.shoe import Shoe, advance, step
from firmware_bridge.shoe.acts import OTHERS, counted

HOUR_MS = 3_600_000
SHIFTS = {"day": "08:00", "night": "20:00"}
HOUSE = replace(house_of(burn="none"), shifts=SHIFTS, new_shoe="command")


@dataclass
class Table:
    """A shoe with a clock that the test sets."""

    shoe: Shoe = field(default_factory=Shoe)
    at: int = 9 * HOUR_MS
    entries: list[Entry] = field(default_factory=list)

    def handle(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        """Judge an input at the time of the clock."""
        done = step(self.shoe, replace(fact, at=self.at), "T07", "b")
        if done is None:
            return ()
        assert done.shoe == advance(self.shoe, done.entry)
        self.shoe = done.shoe
        self.entries.append(done.entry)
        return done.entry.events

    def order(self, order: orders.Order, by: str = "anna") -> tuple[AnyEvent, ...]:
        return self.handle(inputs.Ordered(at=0, order=order, by=by, nonce="0" * 32))

    def draw(self, *cards: Card) -> None:
        for card in cards:
            self.handle(inputs.CardRead(at=0, card=card, nonce="0" * 32))

    @property
    def acts(self) -> tuple[Acts, ...]:
        return self.shoe.device.acts.acts if self.shoe.device.acts else ()


def begun() -> Table:
    table = Table()
    table.handle(inputs.Started(at=0, version="1", house=HOUSE, nonce="0" * 32))
    table.order(orders.OpenShoe(dealer="wu"))
    return table


def unread(table: Table) -> None:
    table.handle(inputs.CardUnread(at=0, reason="unreadable", nonce="1" * 32))
    table.order(orders.Enter(Card("Kc"), "bo"))


def test_each_act_is_counted_for_the_dealer() -> None:
    table = begun()
    unread(table)
    table.order(orders.Void("misdeal"))
    table.order(orders.DealerIn("li"))
    table.draw(Card("9s"), Card("Td"), Card("Ts"), Card("Tc"))
    table.order(orders.Correct(2, ("9s", "Td", "Ts", "9c"), "misread"))
    table.handle(inputs.CutCardSeen(at=0, by="sensor"))
    assert table.acts == (Acts(dealer="wu", entered=1, voided=1), Acts(dealer="li", corrected=1))


def test_the_line_of_a_shift_comes_with_the_first_entry_after_it() -> None:
    table = begun()
    unread(table)
    table.at = 20 * HOUR_MS
    *_, ended, answer = table.order(orders.Void("misdeal"))
    assert ended == ShiftEnded(shift="day", gaming_day="1970-01-01", acts=(Acts(dealer="wu", entered=1),))
    assert isinstance(answer, events.CommandAnswered)
    assert table.acts == (Acts(dealer="wu", voided=1),)
    table.at = 24 * HOUR_MS + 8 * HOUR_MS
    assert table.order(orders.DealerIn("li"))[-2].shift == "night"
    assert table.shoe.device.acts is UNSET


def test_a_shift_without_such_an_act_has_no_line() -> None:
    table = begun()
    table.at = 20 * HOUR_MS
    table.draw(Card("9s"))
    assert not [event for entry in table.entries for event in entry.events if isinstance(event, ShiftEnded)]


def test_the_counts_outlive_a_shoe_and_a_start() -> None:
    table = begun()
    unread(table)
    table.order(orders.Void("misdeal"))
    table.order(orders.CloseShoe())
    table.at += HOUR_MS
    table.order(orders.OpenShoe(dealer="li"))
    table.handle(inputs.Started(at=0, version="1", house=HOUSE, nonce="2" * 32))
    assert table.acts == (Acts(dealer="wu", entered=1, voided=1),)
    assert reduce(advance, table.entries, Shoe()) == table.shoe


def test_a_cut_card_that_comes_too_early_is_counted() -> None:
    table = begun()
    early = events.Irregular(id="cut_card_early", since=0)
    acts = counted(table.shoe, replace(table.entries[-1], events=(early,)))
    assert acts
    assert acts.acts == (Acts(dealer="wu", cut_early=1),)


def test_dealers_without_end_fill_nothing() -> None:
    table = begun()
    for number in range(2 * MOST_COUNTED):
        table.order(orders.DealerIn(f"dealer {number}"))
        unread(table)
        table.order(orders.Void("misdeal"))
    assert len(table.acts) == MOST_COUNTED
    assert table.acts[-1].dealer == OTHERS
    assert sum(each.entered for each in table.acts) == 2 * MOST_COUNTED
