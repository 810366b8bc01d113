"""Guests' screens: which are open, since when, when each was last heard; and the note of a shoe that is over."""

from __future__ import annotations

from typing import Any, cast

from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.screen_list import GONE_MS, LATE_MS, MOST, ScreenList
from firmware_bridge.floor.page.screens import _Shown
from firmware_bridge.floor.page_config import ScreenSection
from firmware_bridge.floor.source import Delivery
from tests.floor.tables import baccarat, messages
from tests.floor.test_page_record import LOG, NOTE, STANDING, Drawn, signing

REPORTED = {"id": "0badcafe", "window": "1920x1080"}


class Clock:
    """A clock that is set. now: ms since 1970."""

    now = 1_000_000

    def __call__(self) -> int:
        return self.now


def made() -> tuple[ScreenList, Clock, Feed]:
    clock, feed = Clock(), Feed("shoe", cast("Any", None), str)
    return ScreenList(feed, clock), clock, feed


def test_a_screen_is_open_until_its_last_stream_ends() -> None:
    known, clock, _ = made()
    first, again = known.came("T07", "10.0.0.5", REPORTED), known.came("T07", "10.0.0.5", REPORTED)
    assert first is again
    known.went(first)
    assert not first.is_gone
    clock.now += 5
    known.went(first)
    assert first.is_gone
    clock.now += 5
    assert known.came("T07", "10.0.0.5", REPORTED).since == clock.now


def test_screens_of_one_address_are_distinguished_by_their_id_and_listed_by_table() -> None:
    known, _, _ = made()
    for table, id in (("T09", "00000001"), ("T07", "00000002"), ("T07", "00000001"), ("T07", "<b>")):
        known.came(table, "10.0.0.5", {"id": id, "window": "x"})
    assert [(each.table, each.id) for each in known] == [
        ("T07", "00000002"),
        ("T07", "00000001"),
        ("T07", ""),
        ("T09", "00000001"),
    ]
    assert {each.window for each in known} == {""}


def test_a_screen_without_a_beat_is_late_and_one_that_is_gone_is_not() -> None:
    known, clock, _ = made()
    seen = known.came("T07", "10.0.0.5", REPORTED)
    clock.now += LATE_MS
    assert not known.is_late(seen)
    clock.now += 1
    assert known.is_late(seen)
    known.beat("T07", "10.0.0.5", REPORTED | {"window": "720x1280"})
    assert (known.is_late(seen), seen.window, seen.heard) == (False, "720x1280", clock.now)
    known.beat("T07", "10.0.0.6", REPORTED)
    assert len(list(known)) == 1
    known.went(seen)
    clock.now += 2 * LATE_MS
    assert not known.is_late(seen)


def test_one_screen_or_all_that_are_open_load_again() -> None:
    known, _, feed = made()
    one, other, gone = (known.came(table, "10.0.0.5", REPORTED) for table in ("T07", "T08", "T09"))
    known.went(gone)
    before = feed.version
    assert known.reload(one.number) == 1
    assert feed.version > before
    assert known.reload() == 2
    assert known.reload(99) == known.reload(gone.number) == 0
    assert (one.reloads, other.reloads, gone.reloads) == (2, 1, 0)


def test_screens_that_are_gone_are_forgotten_and_open_ones_never() -> None:
    known, clock, _ = made()
    stays = known.came("T01", "10.0.0.1", {})
    for number in range(MOST + 50):
        clock.now += 1
        known.went(known.came("T07", f"10.0.{number // 250}.{number % 250}", {}))
    assert len(list(known)) == MOST
    assert stays in list(known)
    clock.now += GONE_MS + MOST + 50
    known.came("T07", "10.9.9.9", {})
    assert len(list(known)) == 2


def test_a_guests_screen_shows_the_note_once_the_shoe_is_over() -> None:
    drawn = Drawn(STANDING)
    shown = _Shown(drawn.feed, ScreenSection())
    assert shown("T07").note == ""
    batch = messages("T07", baccarat(5, 7, "!void misdeal !close_shoe"))
    drawn.feed.handle([Delivery(each.topic, each.payload) for each in batch], "")
    drawn.feed.handle([Delivery(each.topic, each.payload) for each in signing()], "")
    assert shown("T07").note == NOTE
    newer = LOG._replace(note=NOTE.replace("\n30\n", "\n31\n"))
    drawn.see(STANDING._replace(log=newer))
    assert shown("T07").note == newer.note
    drawn.see(None)
    assert shown("T07").note == ""
