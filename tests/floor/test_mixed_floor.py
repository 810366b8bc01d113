"""Tables of the version before and of this one on one floor: the office takes the messages of both at the same time."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.views import Views
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.source import Delivery
from firmware_bridge.games import GAMES
from firmware_bridge.topics.texts import LANGUAGES, Language
from tests.floor.facts.dealing import Dealing
from tests.floor.house import House
from tests.floor.tables import NOW, rfc3339
from tests.floor.test_page_drawn import NoSource
from tests.kit import kept_formats as kept

Sent = tuple[str, bytes]


def of_before(folder: Path) -> Iterator[Sent]:
    for each in kept.journals(folder):
        yield from ((f"shoe/{each.name}/{sent.topic}", sent.payload) for sent in kept.published(each))


def of_this_version(folder: Path) -> Iterator[Sent]:
    for number, game in enumerate(GAMES):
        Dealing(f"N{number:02}", game, folder, 1).play(2)
        sent = kept.published(folder / f"N{number:02}")
        yield from ((f"shoe/N{number:02}/{each.topic}", each.payload) for each in sent)


def test_the_office_keeps_the_messages_of_both_at_the_same_time(tmp_path: Path) -> None:
    house = House(tmp_path / "floor.db", names=Names(kept.KEY))
    both = zip_longest(of_before(tmp_path / "before"), of_this_version(tmp_path / "now"))
    mixed = [each for pair in both for each in pair if each]
    for start in range(0, len(mixed), 500):
        house.send(*mixed[start : start + 500])
    with house.store._in_words():
        rows = house.store._db.execute(
            "select tbl, game, count(*) from fact_round where game <> '' group by tbl, game"
        ).fetchall()
        unread = house.store._db.execute("select count(*) from fact_none").fetchone()
    assert {(table[0], game) for table, game, _ in rows} == {(each, game) for each in "TN" for game in GAMES}
    assert (house.store.count("quarantine"), house.store.count("conflicts"), unread) == (0, 0, (0,))
    assert [each.text for each in house.store.incidents()] == []
    assert house.rewritten() == []
    assert house.store.count("messages") == len(mixed)
    assert not [body for *_, body in house.store.rows("messages", None, None) if "by ANNA:" in str(body)]
    versions = Counter(msgspec.json.decode(body)["v"] for _, body in mixed)
    assert (set(versions), min(versions.values()) > 100) == ({1, 2}, True)
    house.store.close()


def test_the_bytes_of_a_kept_journal_are_those_that_were_published(tmp_path: Path) -> None:
    with closing(sqlite3.connect(kept.store(tmp_path))) as db:
        stored = {bytes(body) for (body,) in db.execute("select body from message where tbl = 'T00'")}
    made = {payload for topic, payload in of_before(tmp_path / "before") if topic.startswith("shoe/T00/")}
    assert stored
    assert stored <= made  # the other ones are in blocks


@pytest.fixture(scope="module")
def drawn() -> Views:
    """The page of tables of the version before, each scene of the documents one."""
    feed = Feed("shoe", NoSource(), lambda: "", lambda: NOW)
    for table, topic, payload in kept.messages():
        body = msgspec.json.encode(payload | {"table": table, "at": rfc3339(NOW)})
        feed.handle([Delivery(f"shoe/{table}/{topic}", body)], "")
    return Views(feed)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_draws_tables_of_the_version_before(drawn: Views, lang: Language) -> None:
    names = {table for table, topic, _ in kept.messages() if topic == "table"}
    assert names <= {each.removeprefix("t-") for each in drawn.grid_parts(lang)}
    for name in names:
        body = drawn.table_document(name, lang).split("<body", 1)[1]
        whole = body.removesuffix("</html>").replace(" hidden>", ' hidden="">').replace("<br>", "<br/>")
        ElementTree.fromstring("<body" + whole)
        assert "None" not in re.sub(r"<[^>]*>", " ", body)
