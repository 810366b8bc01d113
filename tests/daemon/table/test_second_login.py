"""Orders of two people who have a login each, by real uids."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.daemon.table import second_login
from firmware_bridge.daemon.table.clock import now
from firmware_bridge.facts.events_of_rounds import RoundCorrected, RoundVoided
from firmware_bridge.facts.inputs import LidMoved
from firmware_bridge.topics.texts.alarms import about
from tests.daemon.table import test_people
from tests.daemon.table.test_people import People
from tests.kit.people import UID

folder = test_people.folder  # a fixture

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users")

LOGIN: dict[str, Any] = {"rights": {"two_people": "login"}}
CORRECT: dict[str, Any] = {
    "do": "correct",
    "round": 1,
    "cards": ["9s", "Td", "Ts", "9c"],
    "why": "misread",
    "by": "anna",
}


@pytest.fixture
def people(folder: Path) -> Iterator[People]:
    people = People(folder, **LOGIN, service={"second_person": ["void"]})
    people.ask("pit", do="open_shoe", by="anna")
    people.table.deal("9s Td Ts Tc")
    yield people
    people.table.close()


def both(
    people: People, first: dict[str, Any], confirm: dict[str, Any], who: str = "pit", *, in_vain: bool = False
) -> list[dict[str, Any]]:
    """The answers to an order of `who` and to its confirmation by another pit, or by confirm["who"].

    in_vain: the order waits as long as it may, which takes no time here.
    """
    second = confirm.pop("who", "other pit")

    async def give() -> list[dict[str, Any]]:
        given = asyncio.create_task(people.answer(who, first, count=2))
        while not people.status()["two_people"] and not given.done():
            await asyncio.sleep(0.02)
        confirmed = await people.answer(second, {"do": "confirm", "number": 1, "by": "bo"} | confirm)
        while in_vain and not given.done():
            wait_is_over(people.table.loop)
            await asyncio.sleep(0.01)
        return [await given, confirmed]

    return people.table.loop.run_until_complete(give())


def wait_is_over(loop: Any) -> None:
    """Let the timers ring that are due when an order has waited as long as it may."""
    now = loop.time()
    longest = second_login.WAITS_S
    late = [each for each in loop._scheduled if longest / 2 < each.when() - now <= longest]
    for timer in [each for each in late if not each.cancelled()]:
        loop.call_soon(timer._callback, *timer._args)
        timer.cancel()


def events_of(people: People, kind: type[Any]) -> list[Any]:
    return [each for line in people.table.lines() if line.entry for each in line.entry.events if isinstance(each, kind)]


def test_a_correction_waits_for_another_login(people: People) -> None:
    answers = both(people, CORRECT, {})
    assert [each["ok"] for each in answers] == [True, True]
    (corrected,) = events_of(people, RoundCorrected)
    assert (corrected.by, corrected.second) == ("anna", "bo")
    said = people.last_answer()
    assert (said["person"]["uid"], said["confirmed"]["uid"]) == (UID["pit"], UID["other pit"])
    assert people.status()["two_people"] == []


@pytest.mark.parametrize(
    ("confirm", "error"),
    [
        ({"who": "pit"}, f"uid {UID['pit']} gave this order"),
        ({"who": "root"}, "root is nobody's login"),
        ({"who": "audit"}, "confirm is not for the group shoe-audit"),
        ({"number": 2}, "no such order waits"),
        ({"number": "1"}, "no such order waits"),
        ({"by": " Anna"}, "gave this order"),
        ({"by": "Аnnа".lower()}, "the name mixes scripts in a word"),
        ({"by": "an\u200bna"}, "the name contains the character"),
        ({"by": "backend"}, 'the name looks like "backend"'),
    ],
)
def test_who_cannot_confirm(people: People, confirm: dict[str, Any], error: str, mocker: MockerFixture) -> None:
    mocker.patch.object(second_login, "WAITS_S", 10_000.0)
    given, confirmed = both(people, CORRECT, confirm, in_vain=True)
    assert error in confirmed["error"]
    assert given["error"] == "no second login confirmed it in time"
    assert events_of(people, RoundCorrected) == []
    assert people.last_answer()["answer"]["code"] == "not_confirmed"
    assert people.last_answer()["person"]["uid"] == UID["pit"]


@pytest.mark.parametrize(
    "name", ["key\u200b/page", "Key/page", "backend", "Dealer’s keypad", "root", "кеураd 3", "keypad 3"]
)
def test_no_name_at_the_socket_imitates_one_that_is_no_person(people: People, name: str) -> None:
    before = people.table.lines()
    answer = people.ask("pit", do="dealer", dealer="Zed", by=name)
    assert (answer["ok"], answer["error"].partition(" ")[0]) == (False, "the")
    assert people.table.lines() == before
    assert "the dealer's name" in people.ask("pit", do="dealer", dealer=name, by="anna")["error"]
    assert people.ask("pit", do="dealer", dealer="陳Peter", by="João")["ok"]


def test_a_technician_may_be_the_second_person_of_the_pit(people: People) -> None:
    assert both(people, CORRECT, {"who": "tech"})[1]["ok"]


def test_root_gives_no_order_of_two_people(people: People) -> None:
    answer = people.ask("root", **CORRECT)
    assert "root is nobody's" in answer["error"]


def test_what_waits_is_shown_without_a_card_that_may_be_secret(people: People) -> None:
    people.table.board.fault("unreadable")
    people.table.until(lambda: "unreadable" in [each["id"] for each in people.status()["alarm"]["open"]])
    enter = {"do": "enter", "card": "Kc", "by": "anna"}

    async def give() -> tuple[dict[str, Any], str]:
        given = asyncio.create_task(people.answer("pit", enter, count=2))
        while not people.status()["two_people"]:
            await asyncio.sleep(0.02)
        shown = people.status()
        await people.answer("other pit", {"do": "confirm", "number": 1, "by": "bo"})
        return shown, str((await given)["ok"])

    shown, ok = people.table.loop.run_until_complete(give())
    assert ok == "True"
    (due,) = [each for each in shown["alarm"]["open"] if each["id"] == "second_login_due"]
    assert "shoe do confirm 1 --by NAME" in about("en", due["id"], due["values"])
    assert "fault" in shown["lamps"]["lit"]
    assert "Kc" not in str(shown["two_people"]) + str(shown["alarm"])


def test_what_would_be_refused_does_not_wait(people: People) -> None:
    answer = people.ask("pit", do="enter", card="Kc", by="anna")
    assert answer["error"] == "no card waits to be entered"
    assert people.last_answer()["answer"]["code"] == "no_card_to_enter"
    assert "closed" in people.ask("pit", **{**CORRECT, "round": 7})["error"]


def test_a_command_that_ends_takes_its_order_back(people: People) -> None:
    waits = people.ask("pit", **CORRECT)  # reads the first answer, and is gone
    assert waits["waits"] == 1
    people.table.until(lambda: people.status()["two_people"] == [])
    assert people.last_answer()["answer"]["code"] == "command_ended"
    assert events_of(people, RoundCorrected) == []


def test_the_second_person_of_the_house_confirms_a_void_too(people: People) -> None:
    people.table.deal("2s")
    answers = both(people, {"do": "void", "why": "misdeal", "by": "anna"}, {})
    assert [each["ok"] for each in answers] == [True, True]
    assert events_of(people, RoundVoided)[-1].second == "bo"


@pytest.mark.parametrize(("cards", "voids"), [("", False), ("2s", True)])
def test_a_decision_waits_for_another_login_where_it_voids_a_round(people: People, cards: str, voids: bool) -> None:
    people.table.deal(cards)
    people.table.bridge.table.handle(LidMoved(**now(), open=True))
    ended = people.ask("pit", do="resolve", irregularity="lid_opened", choice="end-shoe", by="anna")
    assert ("waits" in ended, ended["ok"], people.status()["table"]["phase"] == "ended") == (voids, True, not voids)


def test_the_record_begins_anew_with_two_technicians(people: People) -> None:
    people.ask("pit", do="close_shoe", by="anna")
    answers = both(people, {"do": "begin_record", "why": "x", "by": "cy"}, {}, "tech")
    assert {each["error"] for each in answers} == {"no next key was read"}


def test_with_names_nothing_waits(folder: Path) -> None:
    people = People(folder)
    people.ask("pit", do="open_shoe", by="anna")
    people.table.deal("9s Td Ts Tc")
    assert people.ask("pit", **CORRECT)["ok"]
    assert "confirmed" not in people.last_answer()
    people.table.close()
