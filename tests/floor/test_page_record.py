"""What the page shows of the signed record: the seal of a tile, and the section of a table's own page."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from firmware_bridge.facts.wire_states import Record
from firmware_bridge.floor.config import FloorConfig, parse
from firmware_bridge.floor.page import records as watch
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.records import Records, RecordWatch
from firmware_bridge.floor.page.views import Views
from firmware_bridge.floor.record.state import Incident, Log
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store.cosigned import Cosignature
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.floor.store.sqlite import SqliteReader
from firmware_bridge.floor.verified.standing import Standing, Watching
from firmware_bridge.record.verify import COSIGNATURE, ED25519, key_of
from firmware_bridge.topics.texts import LANGUAGES, Language, text
from tests.floor.house import House
from tests.floor.tables import NOW, Message, alive, baccarat, messages, rfc3339
from tests.floor.test_page_drawn import NoSource, seen_text
from tests.floor.test_page_feed import Brought
from tests.kit.patience import HANG_S

ORIGIN = "shoe.invalid/10000000a1b2c3d4/5c1e8a02"
KEY = key_of(ORIGIN, ED25519, bytes(range(32)))
WITNESSES = tuple(key_of(f"w{n}.example/1", COSIGNATURE, bytes([n]) * 32) for n in (1, 2, 3))
WATCHING = Watching(WITNESSES, 1)
NOTE = f"{ORIGIN}\n30\n{'A' * 44}\n\n\u2014 {ORIGIN} {'B' * 92}\n"
LOG = Log("T07", ORIGIN, 1, KEY.vkey, "1-ab12", 1, 30, note=NOTE, witnessed=28)
STANDING = Standing(
    LOG,
    witnessed_at=rfc3339(NOW - 38_000),
    waits_since=rfc3339(NOW - 20_000),
    round=(1, 41),
    cosigned={
        each.vkey: Cosignature(ORIGIN, each.vkey, size, NOW // 1000 - 38, "")
        for each, size in zip(WITNESSES, (28, 30, 9), strict=True)
    },
)


def signing(name: str = "T07", *, signed: bool = True) -> list[Message]:
    """A table that signs its record, or that no longer does."""
    return alive(name, record=Record(ORIGIN, 30, KEY.vkey, signed=signed, witnessed=28))


class Drawn:
    """A page of table T07, whose record stands as given; all texts without tags."""

    def __init__(
        self,
        standing: Standing | None,
        watching: Watching = WATCHING,
        *,
        fault: watch.Fault = "",
        longest: float = 21.4,
        lang: Language = "en",
        signed: bool = True,
        name: str = "T07",
    ) -> None:
        self.feed, self.lang, self.name = Feed("shoe", NoSource(), lambda: "", lambda: NOW), lang, name
        batch = [*messages(name, baccarat(5)), *signing(name, signed=signed)]
        self.feed.handle([Delivery(each.topic, each.payload) for each in batch], "")
        self.feed.watching = watching
        self.views = Views(self.feed)
        self.see(standing, fault, longest)

    def see(self, standing: Standing | None, fault: watch.Fault = "", longest: float = 21.4) -> None:
        standings = {self.name: standing} if standing else {}
        self.feed.see(Records(fault, standings, {ORIGIN: longest}))

    @property
    def seal(self) -> str:
        return seen_text(self.html).strip()

    @property
    def html(self) -> str:
        return self.views.grid_parts(self.lang)[f"s-{self.name}"]

    @property
    def section(self) -> str:
        return self.views.table_parts(self.name, self.lang)["record"]


def at(ms: int) -> str:
    return f"{rfc3339(ms)[11:19]} UTC"


def test_a_witnessed_record_says_to_which_round_when_and_by_how_many() -> None:
    drawn = Drawn(STANDING)
    assert drawn.seal == f"✓ Witnessed to round 41, {at(NOW - 38_000)} ago, 2 of 3"
    assert f'data-age="{NOW - 38_000}"' in drawn.html
    other = Drawn(STANDING._replace(round=(0, 60)))
    assert "Witnessed to round 0–60," in other.seal
    assert "Witnessed to entry 28 ," in Drawn(STANDING._replace(round=None)).seal


@pytest.mark.parametrize(
    ("waits_s", "class_"), [(599, ""), (600, "is-late"), (3_599, "is-late"), (3_600, "is-overdue")]
)
def test_below_the_quorum_a_seal_is_amber_from_ten_minutes_and_red_from_an_hour(waits_s: int, class_: str) -> None:
    since = NOW - 1000 * waits_s
    drawn = Drawn(STANDING._replace(waits_since=rfc3339(since)))
    assert [each in drawn.html for each in ("is-late", "is-overdue")] == [class_ == "is-late", class_ == "is-overdue"]
    assert (f"Below the quorum since {at(since)}" in drawn.seal) == bool(class_)
    assert drawn.feed.troubles["T07"].word == "playing"


def test_a_table_without_a_key_is_not_signed_and_one_that_lost_it_is_not_signed_now() -> None:
    assert Drawn(None).seal == "– Not signed"
    assert Drawn(Standing(None)).seal == "– Not signed"
    assert Drawn(STANDING, signed=False).seal == "▲ Not signed now"


def test_a_page_without_a_witness_says_that_nobody_outside_this_house_has_seen_the_record() -> None:
    standing = Standing(LOG._replace(witnessed=0))
    drawn = Drawn(standing, Watching())
    assert drawn.seal == "✎ Signed; seen by nobody outside this house"
    assert "Witness" not in seen_text(drawn.section)
    assert Drawn(standing).seal == "✎ Signed; no quorum of witnesses yet"


def test_a_key_that_nobody_enrolled_says_since_when_it_was_seen() -> None:
    since = NOW - 600_000
    assert Drawn(Standing(LOG, rfc3339(since))).seal == f"✎ Signed; seen, not enrolled since {at(since)}"
    assert Drawn(Standing(None, rfc3339(since))).seal == f"– Seen, not enrolled since {at(since)}"


def incident(number: int) -> Incident:
    return Incident(
        "T07", "two_heads", str(number), rfc3339(NOW + number), f"entry {number} <b>came</b> with two heads"
    )


def test_open_incidents_are_counted_in_red_listed_and_raise_the_tile() -> None:
    drawn = Drawn(STANDING)
    assert drawn.feed.troubles["T07"].word == "playing"
    drawn.see(STANDING._replace(incidents=[incident(number) for number in range(10)]))
    assert drawn.seal.endswith("■ Open incidents of the record: 10")
    assert "is-overdue" in drawn.html
    assert drawn.feed.troubles["T07"].word == "alarm"
    listed = re.findall(r"entry (\d) &lt;b&gt;came", drawn.section)
    assert listed == list("98765432")
    assert "Open incidents of the record: 10" in drawn.views.table_parts("T07", "en")["state"]
    drawn.see(STANDING)
    assert (drawn.feed.troubles["T07"].word, "■" in drawn.seal) == ("playing", False)


def test_the_section_has_the_key_both_sizes_each_witness_the_longest_window_and_the_liars() -> None:
    shown = seen_text(Drawn(STANDING, longest=3_660.0).section)
    for words in (
        f"Record {ORIGIN}",
        f"Key {KEY.vkey}",
        f"Fingerprint {KEY.fingerprint}",
        "Entries 30",
        "Witnessed entries 28",
        "Longest window in 24 hours 61",
        "Witnesses that must lie for two histories 1 of 3",
        f"w1.example/1 {at(NOW - 38_000)} 28",
        f"w3.example/1 {at(NOW - 38_000)} 9",
    ):
        assert words in shown
    never = Drawn(STANDING._replace(cosigned={}))
    assert seen_text(never.section).count("none yet") == 3
    assert "must lie" not in seen_text(Drawn(STANDING, Watching(WITNESSES, None)).section)


def test_the_newest_note_is_drawn_for_a_camera() -> None:
    section = Drawn(STANDING).section
    assert '<svg viewBox="0 0 61 61">' in section
    assert "for the house&#39;s camera" in section
    assert "<svg" not in Drawn(None).section


@pytest.mark.parametrize(("fault", "seal"), [("no_store", ""), ("unread", "? The record is unknown")])
def test_without_a_store_nothing_is_said_and_without_an_answer_that(fault: watch.Fault, seal: str) -> None:
    drawn = Drawn(None, fault=fault)
    assert drawn.seal.startswith(seal)
    assert bool(drawn.seal) == bool(seal)
    assert text("en", f"record.{fault}") in drawn.section


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_page_with_a_record_is_whole_and_in_its_language(lang: Language) -> None:
    late = STANDING._replace(waits_since=rfc3339(NOW - 4_000_000), incidents=[incident(1)])
    drawn = Drawn(late, lang=lang, name="T<b>7")
    for page in (drawn.views.grid_document(lang), drawn.views.table_document("T<b>7", lang)):
        ElementTree.fromstring(
            "<body"
            + page.split("<body", 1)[1]
            .removesuffix("</html>")
            .replace(" hidden>", ' hidden="">')
            .replace("<br>", "<br/>")
        )
        assert not re.search(r"\son\w+=|style=|<script>|<b>", page)
        assert "None" not in seen_text(page)
        assert not re.search(r"\{\w+\}", seen_text(page))
    if lang != "en":
        assert not re.search("Witnessed|quorum|incidents|window", seen_text(drawn.html + drawn.section))


def test_a_record_that_changes_redraws_only_its_seal() -> None:
    drawn = Drawn(STANDING)
    before = dict(drawn.views.grid_parts("en"))
    drawn.see(STANDING._replace(witnessed_at=rfc3339(NOW - 1_000)))
    after = drawn.views.grid_parts("en")
    assert [id for id in after if after[id] != before[id]] == ["s-T07"]
    version = drawn.feed.version
    drawn.see(STANDING._replace(witnessed_at=rfc3339(NOW - 1_000)))
    assert drawn.feed.version == version


# ---------------------------------------------------------------- the store, asked in a thread


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    pytest.importorskip("nacl")
    made = House(tmp_path / "floor.db")
    yield made
    made.store.close()


def watched(config: FloorConfig, *, until: str) -> Feed:
    """A feed that heard table T07, once its record stands so."""

    async def play() -> Feed:
        source = Brought(messages("T07", baccarat(5)))
        made = Feed("shoe", source, lambda: "", lambda: NOW, records=RecordWatch(Asked(config), Watching()))
        made.start()
        source.may.release()
        views = Views(made)
        try:
            async with asyncio.timeout(HANG_S):
                while until not in seen_text(views.grid_document("en")):
                    await made.changed_after(made.version, 0.05)
        finally:
            await made.close()
        return made

    return asyncio.run(play())


def test_the_page_reads_the_records_of_the_store_beside_its_writer(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "LOOK_S", 0.05)
    config = parse({"store": {"path": str(house.path)}})
    assert watched(config, until="Not signed").sealed["T07"].standing is None
    table = house.table()
    table.play(2)
    house.wait(5)
    found = watched(config, until="not enrolled since").sealed["T07"]
    assert found.standing
    assert found.note == house.store.logs()[0].note
    house.store.put_incidents([incident(1)])
    assert watched(config, until="Open incidents of the record: 1").troubles["T07"].word == "alarm"


def test_a_store_that_comes_later_is_read_then_and_a_broken_one_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watch, "AGAIN_S", 0.05)
    path = tmp_path / "floor.db"
    config = parse({"store": {"path": str(path)}})
    record = RecordWatch(Asked(config), Watching())
    assert record.read() == Records("no_store")
    path.write_bytes(b"the disk is broken " * 1000)
    assert [record.read().fault for _ in range(2)] == ["unread"] * 2
    assert caplog.text.count("the records of the tables are not known") == 1
    path.unlink()
    House(path).store.close()
    assert record.read() == Records()


def test_the_longest_windows_are_looked_for_now_and_then(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table = house.table()
    table.play(1)
    house.wait(5)
    asked = list[str]()

    def windows(self: SqliteReader, since: str) -> dict[str, float]:
        asked.append(since)
        return {ORIGIN: 7.5}

    monkeypatch.setattr(SqliteReader, "longest_windows", windows)
    record = RecordWatch(Asked(parse({"store": {"path": str(house.path)}})), Watching())
    assert [record.read().longest for _ in range(2)] == [{ORIGIN: 7.5}] * 2
    assert len(asked) == 1
    monkeypatch.setattr(watch, "LONGEST_S", 0.0)
    record.read()
    assert len(asked) == 2


def test_a_store_that_is_too_slow_for_the_longest_window_still_says_how_records_stand(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(self: SqliteReader, since: str) -> dict[str, float]:
        raise StoreError("statement timeout", "")

    table = house.table()
    table.play(1)
    house.wait(5)
    monkeypatch.setattr(SqliteReader, "longest_windows", slow)
    found = RecordWatch(Asked(parse({"store": {"path": str(house.path)}})), Watching()).read()
    assert (found.fault, found.longest) == ("", {})
    assert found.sealed("T07", NOW / 1000).note
