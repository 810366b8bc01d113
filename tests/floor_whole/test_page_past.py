"""A page that is started after rounds were stored, with a real broker and both engines."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.floor.config import FloorConfig, parse
from firmware_bridge.floor.page.backfill import ROUNDS
from tests.floor.tables import alive, baccarat, latest, messages
from tests.floor.test_page_past import changed, round_of, stored
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, now_ms, publish, until
from tests.floor_whole.screens import got
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import HANG_S

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures
Pages = Callable[..., Page]


@pytest.fixture(params=["sqlite", "postgres"])
def config(request: pytest.FixtureRequest, tmp_path: Path) -> FloorConfig:
    if request.param == "sqlite":
        return parse({"store": {"path": str(tmp_path / "floor.db")}})
    pytest.importorskip("psycopg")
    cluster, database = request.getfixturevalue("cluster"), request.getfixturevalue("database")
    return parse({"store": {"url": cluster.url(database)}})


def with_store(page: Page, config: FloorConfig) -> Page:
    """The page again, with a store."""
    page.stop()
    where = f'path = "{config.store.path}"' if config.store.url is None else f'url = "{config.store.url}"'
    page.config.write_text(f"{page.config.read_text()}[store]\n{where}\n")
    return page.start()


def listed(page: Page, name: str) -> list[int]:
    """The rounds that a table's page lists, the newest first."""
    try:
        with urllib.request.urlopen(f"{page.url}/table/{name}?lang=en", timeout=HANG_S) as answer:
            return [int(each) for each in re.findall(r'<th scope="row">\d+–(\d+)</th>', answer.read().decode())]
    except urllib.error.HTTPError:
        return []


def test_a_page_that_is_started_later_shows_the_rounds_before(
    broker: Broker, pages: Pages, config: FloorConfig
) -> None:
    batch = [*messages("T01", baccarat(20), now_ms()), *alive("T01", now_ms())]
    past = [each for each in batch if not each.retained]
    stored(config, past[:-1])
    publish(broker, latest(batch))
    page = with_store(pages(broker), config)
    wanted = [round_of(each) for each in past]
    until(lambda: listed(page, "T01") == wanted[-2:-14:-1], lambda: page.log)
    voided = {"status": "voided", "revision": 1, "seq": 9_000, "by": "x"}
    publish(broker, [past[-2], past[-1], changed(past[-1], **voided)])
    until(lambda: listed(page, "T01") == wanted[:-13:-1], lambda: page.log)
    until(lambda: "Round void" in got(page, f"{page.screen('T01')}?lang=en"), lambda: page.log)
    screen = got(page, f"{page.screen('T01')}?lang=en")
    assert not {json.loads(each.payload)["head"] for each in past} & set(re.findall("[0-9a-f]{64}", screen))
    assert len(past) <= ROUNDS
    assert page.stop() == 0
    assert "Traceback" not in page.log


def test_a_page_whose_store_is_away_shows_what_comes(broker: Broker, pages: Pages) -> None:
    pytest.importorskip("psycopg")
    away = parse({"store": {"url": "postgresql://nobody@127.0.0.1:1/nothing"}})
    batch = messages("T01", baccarat(3), now_ms())
    publish(broker, latest(batch))
    page = with_store(pages(broker), away)
    until(lambda: "earlier rounds are not listed: PostgreSQL: " in page.log, lambda: page.log)
    last = [each for each in batch if not each.retained][-1]
    publish(broker, [last])
    until(lambda: listed(page, "T01") == [round_of(last)], lambda: page.log)
