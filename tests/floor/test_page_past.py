"""The rounds from before the page's start, as its pages and guest screens get them from the store."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_bridge.floor.config import FloorConfig, parse
from firmware_bridge.floor.page import detail
from firmware_bridge.floor.page.backfill import ROUNDS, RoundBackfill
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.guest.html import screen
from firmware_bridge.floor.page.guest.view import view
from firmware_bridge.floor.record.message import row
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.store.open import Asked, open_store
from tests.floor.guests import STAGES
from tests.floor.tables import NOW, Message, alive, baccarat, game, latest, messages
from tests.floor.test_page_feed import Brought
from tests.kit.patience import HANG_S


@pytest.fixture
def config(tmp_path: Path) -> FloorConfig:
    return parse({"store": {"path": str(tmp_path / "floor.db")}})


def stored(config: FloorConfig, batch: Sequence[Message]) -> None:
    """Let the store have the rounds of these messages."""
    store = open_store(config, make=True)
    rounds = [
        row("round", each.topic.split("/")[1], each.payload, "x") for each in batch if each.topic.endswith("/round")
    ]
    store.save(rounds, [], [Progress(each.key, each.shoe, each.seq, each.seq) for each in rounds])
    store.close()


def fed(config: FloorConfig, *batches: list[Message], until: Callable[[Feed], object], limit_s: float = HANG_S) -> Feed:
    """A page's feed after these messages came, when it is as it should be."""

    async def play() -> Feed:
        source = Brought(*batches)
        made = Feed("shoe", source, lambda: "", lambda: NOW, RoundBackfill("shoe", Asked(config, limit_s)))
        made.start()
        source.may.release(len(batches))
        try:
            async with asyncio.timeout(HANG_S):
                while not until(made):
                    await made.changed_after(made.version, 0.05)
        finally:
            await made.close()
        return made

    return asyncio.run(play())


def rounds(feed: Feed, name: str = "T07") -> list[tuple[int, str]]:
    """The rounds of a table, the newest first, and how each stands."""
    seen = feed.floor.tables.get(name)
    return [(each.round, each.status) for each in seen.last_rounds(99)] if seen else []


def round_of(message: Message) -> int:
    return int(json.loads(message.payload)["round"])


def changed(message: Message, **fields: Any) -> Message:
    return message._replace(payload=msgspec.json.encode(msgspec.json.decode(message.payload) | fields))


def test_a_page_shows_the_rounds_from_before_its_start(config: FloorConfig) -> None:
    batch = messages("T07", baccarat(30))
    stored(config, batch)
    past = [round_of(each) for each in batch if not each.retained]
    feed = fed(config, latest(batch), until=rounds)
    assert rounds(feed) == [(number, "closed") for number in past[::-1][:ROUNDS]]
    seen = feed.floor.tables["T07"]
    assert seen.unreadable == {}
    assert seen.per_hour(NOW) is not None
    assert str(detail.rounds(seen, "en")).count('scope="row"') == detail.ROUNDS
    heard = fed(config, batch, until=rounds).floor.tables["T07"]
    assert str(detail.rounds(seen, "en")) == str(detail.rounds(heard, "en"))


def test_a_void_and_a_correction_stand_as_if_they_had_been_heard(config: FloorConfig) -> None:
    batch = messages("T07", game("blackjack"))
    closed, voided = (each for each in batch if not each.retained)
    before = json.loads(closed.payload)["seq"]
    corrected = changed(closed, status="corrected", revision=1, corrects=before, by="x", seq=90)
    stored(config, [closed, voided, corrected])
    feed = fed(config, latest(batch), until=lambda feed: len(rounds(feed)) == 2)
    assert rounds(feed) == [(2, "voided"), (1, "corrected")]


@pytest.mark.parametrize("comes", ["before", "after", "newer", "older"])
def test_a_round_that_the_store_gave_comes_once(config: FloorConfig, comes: str) -> None:
    batch = messages("T07", baccarat(4))
    past = [each for each in batch if not each.retained]
    last = past[-1]
    correction = changed(last, status="corrected", revision=1, corrects=json.loads(last.payload)["seq"], by="x", seq=90)
    stored(config, [*past, correction] if comes == "older" else past)
    live = {"before": [[last], latest(batch)], "newer": [latest(batch), [correction]]}
    batches = live.get(comes, [latest(batch), [last]])
    expected = {"newer": "corrected", "older": "corrected"}.get(comes, "closed")
    wanted = [(round_of(last), expected), *[(round_of(each), "closed") for each in past[-2::-1]]]
    assert rounds(fed(config, *batches, until=lambda feed: rounds(feed) == wanted)) == wanted


def test_a_store_that_cannot_be_read_is_reported_once(
    config: FloorConfig, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    (tmp_path / "floor.db").write_bytes(b"the disk is broken " * 1000)
    batch = messages("T07", baccarat(4))
    more = messages("T08", baccarat(4))
    live = [each for each in batch if not each.retained][-1:]
    feed = fed(config, latest(batch), latest(more), live, until=lambda feed: rounds(feed) and "listed" in caplog.text)
    assert len(rounds(feed)) == 1
    [said] = [each.getMessage() for each in caplog.records]
    assert said.startswith("earlier rounds are not listed: ")
    assert "file is not a database; allow the user of this program to read it" in said


def test_a_page_without_a_store_begins_with_its_start(config: FloorConfig, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    batch = messages("T07", baccarat(4))
    fed(config, latest(batch), until=lambda _: "there is no store at [store] path of floor.toml" in caplog.text)
    assert not Path(config.store.path).exists()


def test_tables_that_are_no_more_stay_so(config: FloorConfig) -> None:
    batch, other = messages("T07", baccarat(4)), messages("T08", baccarat(4))
    stored(config, [*batch, *other])
    gone = [each._replace(payload=b"") for each in latest(batch)]
    feed = fed(config, [*latest(batch), *gone, *latest(other)], until=lambda feed: rounds(feed, "T08"))
    assert list(feed.floor.tables) == ["T08"]
    assert "T07" not in feed.guests.tables


@pytest.mark.parametrize("head", [{"journal": "3\x00"}, {"shoe": -1}, {"shoe": 2**70}, {"journal": 3}])
def test_a_table_that_makes_no_sense_spoils_no_other(config: FloorConfig, head: dict[str, Any]) -> None:
    batch, other = messages("T07", baccarat(4)), messages("T08", baccarat(4))
    stored(config, [*batch, *other])
    broken = [changed(each, **head) for each in latest(batch) if each.topic.endswith("/table")]
    feed = fed(config, [*broken, *latest(other)], until=lambda feed: rounds(feed, "T08"))
    assert rounds(feed) == []


def test_a_stored_round_that_cannot_be_read_is_left_out(config: FloorConfig) -> None:
    batch = messages("T07", baccarat(4))
    first, second, *more = (each for each in batch if not each.retained)
    stored(config, [first, changed(second, hands=3), *more])
    feed = fed(config, latest(batch), until=lambda feed: len(rounds(feed)) == len(more) + 1)
    assert feed.floor.tables["T07"].unreadable == {}


@pytest.mark.parametrize("name", STAGES)
def test_guests_see_of_stored_rounds_what_they_would_have_seen(config: FloorConfig, name: str) -> None:
    said = [Message(f"shoe/T07/{each.topic}", each.payload, each.topic != "round") for each in STAGES[name]().said]
    stored(config, said)
    heard, now = Feed("shoe", Brought(), lambda: ""), latest(said)
    for each in said:
        heard.guests.handle(each.topic, each.payload)
    feed = fed(config, now, until=lambda feed: "T07" in feed.guests.tables and feed.guests.tables["T07"].rounds)
    for cards in ("closed", "live"):
        shown, known = (view(each.guests.tables["T07"], cards) for each in (feed, heard))
        assert shown.result or not known.result
        shown_before = len(shown.results)
        assert shown_before == len(known.results) or shown_before > 5
        assert screen("T07", shown, "en") == screen("T07", known._replace(results=known.results[:shown_before]), "en")


def test_what_comes_waits_for_no_store_that_hangs(
    config: FloorConfig, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Event

    hangs = Event()
    monkeypatch.setattr("firmware_bridge.floor.store.open.open_reader", lambda config: hangs.wait() and None)
    batch = [*messages("T07", baccarat(4)), *alive("T07")]
    feed = fed(config, batch, until=rounds, limit_s=0.2)
    assert len(rounds(feed)) == sum(not each.retained for each in batch)
    late = fed(config, batch, until=lambda _: "the store gave no answer in 0.2 s" in caplog.text, limit_s=0.2)
    assert rounds(late)
    hangs.set()
