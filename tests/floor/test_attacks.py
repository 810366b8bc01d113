"""A table's login, and a copied card, in other hands: who finds it, and when, with a real table, broker and ingest.

The broker has the rights of docs/broker.md; a thief has what lies on a table's card.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.floor import real_house
from tests.floor.real_house import RealHouse, alarms, copied
from tests.kit import broker as real
from tests.kit.backend import Backend

pytestmark = pytest.mark.story

brokers, house, thief = real.brokers, real_house.house, real_house.thief  # fixtures


def changed(house: RealHouse) -> dict[str, Any]:
    """The last round, as finding S1 changes it."""
    last = house.rounds()[-1]
    before = {"journal": last["journal"], "seq": last["seq"]}
    wanted = {"seq": last["seq"] + 9, "round": last["round"] + 1, "outcome": "player", "prev": before}
    return last | wanted | {"head": "ab" * 32}


# ---------------------------------------------------------------------------------- S1: whoever has the login settles


def test_s1_by_login_alone_nothing_is_settled(house: RealHouse, thief: Backend) -> None:
    house.open()
    before = house.rounds()
    thief.publish("shoe/T07/round", changed(house))
    house.incident("round_without_event")
    house.incident("foreign")  # the table heard it too
    assert house.rounds() == before
    assert "record_foreign" in alarms(thief)
    house.until(lambda: thief.on("lamps")[-1]["lit"].get("fault") == "steady")
    assert "record_foreign" in str(thief.on("lamps")[-1])
    house.play(2)
    house.until(lambda: len(house.rounds()) == 4)
    assert [each["round"] for each in house.rounds()] == [1, 2, 3, 4]
    assert not any(each["head"] == "ab" * 32 for each in house.rounds())


def test_s1_at_a_table_that_is_not_enrolled_it_is_an_incident(house: RealHouse, thief: Backend) -> None:
    house.open(enrolled=False)
    thief.publish("shoe/T07/round", changed(house))
    house.incident("round_without_event")
    assert house.asked("select proof from rounds where body like '%abababab%'") == [("none",)]


# --------------------------------------------------------------------------------------- a copied card is a copied key


def test_a_copied_card_is_an_incident_within_a_round(house: RealHouse, thief: Backend) -> None:
    house.open()
    with copied(house) as copy:
        house.play(table=copy)
        house.play()
        house.incident("two_heads")
        house.until(lambda: "record_foreign" in alarms(thief))
        house.until(lambda: thief.on("lamps")[-1]["lit"].get("fault"))


def test_a_copied_card_is_accepted_while_the_table_is_off_and_found_when_it_starts(
    house: RealHouse, thief: Backend
) -> None:
    house.open()
    house.table.stop()
    with copied(house) as copy:
        house.play(table=copy)
        house.until(lambda: len(house.rounds()) == 3)
        assert house.asked("select kind, text from incidents") == []
        copy.stop()
    house.table.start()
    house.incident("two_heads")
