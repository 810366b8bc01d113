"""The addresses for programs (docs/api.md): on both engines, by real requests, valid by their OpenAPI document."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.kit.patience import HANG_S

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.page.api_shapes import money
from firmware_bridge.floor.page.people import People
from firmware_bridge.floor.record.message import Row
from firmware_bridge.floor.record.state import Changes, ProvedRound, TrustedKey
from firmware_bridge.floor.store.open import open_store
from tests.floor.every_facts import changed
from tests.floor.facts.played import NAMES, rows
from tests.floor.journals import AT
from tests.floor_whole import pages as whole
from tests.floor_whole import test_page_past
from tests.floor_whole.pages import Page
from tests.floor_whole.signed_in import PASSWORD, Answer, ask
from tests.floor_whole.test_page_past import with_store
from tests.kit import broker as real
from tests.kit.broker import Broker

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures
config = test_page_past.config  # fixture, of both engines
Pages = Callable[..., Page]
DOCS = Path(__file__).parents[2] / "docs"
ROUNDS = "/api/tables/T07/rounds"


def save(config: FloorConfig, *messages: Row, record: Changes | None = None) -> None:
    with closing(open_store(config, make=True)) as store:
        store.save(messages, [], [], record)


def every_round(table: str = "T07") -> list[Row]:
    return [each for game in NAMES for each in rows(game, table) if each.topic == "round"]


@pytest.fixture
def closed() -> Row:
    return next(each for each in rows("baccarat", "T07") if each.topic == "round")


@pytest.fixture
def page(broker: Broker, pages: Pages, config: FloorConfig) -> Page:
    save(config)
    return with_store(pages(broker), config)


def valid(page: Page, path: str, shape: str, **headers: str) -> Any:
    """The body of an answer, valid by the document."""
    described = json.loads(ask(page, "/api/openapi.json").body)
    answer = ask(page, path, **headers)
    assert answer.headers["content-type"] == ("application/problem+json" if shape == "Problem" else "application/json")
    found = json.loads(answer.body)
    schema = {"$ref": f"#/components/schemas/{shape}", "components": described["components"]}
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(found)
    if shape == "Problem":
        assert found["status"] == answer.status
    return found


def through(page: Page, limit: int, after: str = "") -> tuple[list[Any], str]:
    """All rounds behind a cursor, some at a time, and the cursor behind the last one."""
    found: list[Any] = []
    while True:
        answer = valid(page, f"{ROUNDS}?limit={limit}" + (f"&after={after}" if after else ""), "ApiRounds")
        found += answer["rounds"]
        after = answer["next"] or after
        if not answer["more"]:
            return found, after
        assert len(answer["rounds"]) == limit


def test_the_document_is_valid_and_names_each_address(page: Page) -> None:
    answer = ask(page, "/api/openapi.json")
    described = json.loads(answer.body)
    validate(described)
    assert set(described["paths"]) == {
        *("/api/tables", "/api/tables/{table}", "/api/tables/{table}/rounds", "/api/openapi.json")
    }


@pytest.mark.parametrize("limit", [1, 3, 500])
def test_every_round_of_every_game_comes_once_and_again_when_it_changes(
    page: Page, config: FloorConfig, closed: Row, limit: int
) -> None:
    sent = {json.dumps([each.journal, each.shoe, json.loads(each.body)["round"]]) for each in every_round()}
    save(config, *every_round(), *rows("baccarat", "T08"))
    found, last = through(page, limit)
    assert len(found) == len({(each["journal"], each["shoe"], each["round"]) for each in found}) == len(sent)
    assert {each["table"] for each in found} == {"T07"}
    assert through(page, limit, last) == ([], last)
    save(config, changed(closed, seq=99, revision=1, status="voided", by="bo"))
    page.stop()
    page.start()
    [void], after = through(page, limit, last)
    assert (void["status"], void["revision"], void["round"]) == ("voided", 1, json.loads(closed.body)["round"])
    assert through(page, limit, after) == ([], after)
    again, _ = through(page, limit)
    assert len(again) == len(sent)
    assert again[-1] == void


def test_a_round_says_what_its_message_does(page: Page, config: FloorConfig) -> None:
    (message, *_) = [each for each in rows("blackjack", "T07") if each.topic == "round"]
    save(config, message)
    sent, [found] = json.loads(message.body), through(page, 9)[0]
    for name in ("table", "journal", "shoe", "round", "revision", "status", "at", "game", "pit", "dealt_by", "bets"):
        assert found[name] == sent[name], name
    assert float(found["staked"]) == sum(float(put) for put, _ in sent["stakes"].values())
    assert float(found["house"]) == -sum(float(net) for _, net in sent["stakes"].values())
    assert sum(found["cards"].values()) == len(sent["cards"])


def test_tables_and_a_table(page: Page, config: FloorConfig) -> None:
    assert valid(page, "/api/tables", "ApiTables") == {"tables": []}
    save(config, *rows("baccarat", "T07"), *rows("blackjack", "Tisch 9/ä".replace("/", "-")))
    tables = valid(page, "/api/tables", "ApiTables")["tables"]
    assert [each["table"] for each in tables] == ["T07", "Tisch 9-ä"]
    for each in tables:
        path = each["rounds"].removesuffix("/rounds")
        assert valid(page, path, "ApiTable") == each
        assert valid(page, each["rounds"], "ApiRounds")["rounds"][-1]["game"] == each["newest"]["game"]


def test_what_is_as_before_is_not_sent_again(page: Page, config: FloorConfig, closed: Row) -> None:
    save(config, closed)
    for path in ("/api/tables", "/api/tables/T07", ROUNDS, "/api/openapi.json"):
        etag = ask(page, path).headers["etag"]
        for known in (etag, f'"x", W/{etag}', "*"):
            answer = ask(page, path, if_none_match=known)
            assert (answer.status, answer.body, answer.headers["etag"]) == (304, "", etag)
        assert ask(page, path, if_none_match='"other"').status == 200
    etag = ask(page, ROUNDS).headers["etag"]
    save(config, changed(closed, seq=99, revision=1, status="voided", by="bo"))
    assert ask(page, ROUNDS, if_none_match=etag).status == 200


def test_a_wrong_request_gets_a_problem(page: Page, config: FloorConfig) -> None:
    save(config, *rows("baccarat", "T07"), *rows("baccarat", "T08"))
    after = json.loads(ask(page, f"{ROUNDS}?limit=1").body)["next"]
    for path, status in {
        f"{ROUNDS}?limit=0": 400,
        f"{ROUNDS}?limit=501": 400,
        f"{ROUNDS}?limit=1e2": 400,
        f"{ROUNDS}?after=7": 400,
        f"{ROUNDS}?after=%FF": 400,
        f"{ROUNDS}?after=MS4x": 400,
        f"/api/tables/T08/rounds?after={after}": 410,
        "/api/tables/T99": 404,
        "/api/tables/T99/rounds": 404,
        "/api/": 404,
        "/api/tables/": 404,
        "/api/tables/T07/events": 404,
    }.items():
        assert valid(page, path, "Problem")["status"] == status, path
    assert valid(page, ROUNDS, "Problem", host="evil.example")["status"] == 421
    assert ask(page, ROUNDS, "DELETE").headers["content-type"] == "application/problem+json"


def test_a_cursor_of_a_store_that_was_replaced_is_gone(
    page: Page, config: FloorConfig, closed: Row, tmp_path: Path
) -> None:
    save(config, *every_round())
    _, last = through(page, 500)
    with closing(open_store(config)) as store, store._transaction() as db:
        for table in ("fact_round", "fact_change"):
            db.execute(f"delete from {table}")
    assert valid(page, f"{ROUNDS}?after={last}", "Problem")["status"] == 410
    many = [changed(closed, journal="9-1a", seq=n, round=n) for n in range(1, 100)]
    save(config, *many)
    assert valid(page, f"{ROUNDS}?after={last}", "Problem")["status"] == 410


def test_of_an_enrolled_table_only_what_it_signed_is_here(page: Page, config: FloorConfig, closed: Row) -> None:
    save(config, closed, changed(closed, seq=99, round=99))
    with closing(open_store(config)) as store:
        store.put_key(TrustedKey("T07", "vkey", "enrolled", "A", "B", AT))
    assert ask(page, ROUNDS).status == 404
    (changes := Changes()).proved.append(ProvedRound(closed, "log", 8))
    save(config, record=changes)
    assert [each["seq"] if "seq" in each else each["round"] for each in through(page, 9)[0]] == [
        json.loads(closed.body)["round"]
    ]
    [table] = valid(page, "/api/tables", "ApiTables")["tables"]
    assert table["is_enrolled"]


def test_a_program_signs_in_and_reads_as_the_page_of_docs_says(
    broker: Broker, pages: Pages, config: FloorConfig, closed: Row, tmp_path: Path
) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    people = People(tmp_path / "users.json")
    people.add("cms", "look", PASSWORD)
    save(config, closed)
    page = with_store(pages(broker, sign_in="on", users=str(tmp_path / "users.json")), config)
    (tmp_path / "password.txt").write_text(PASSWORD)
    [block] = re.findall(r"```sh\n(.*?)```", (DOCS / "api.md").read_text("utf-8"), re.S)
    lines = block.replace("https://pit.example", page.url)
    done = subprocess.run(["sh", "-ec", lines], cwd=tmp_path, capture_output=True, check=True)
    assert [each["table"] for each in json.loads(done.stdout)["rounds"]] == ["T07"]


def test_a_page_without_a_store_says_so(broker: Broker, pages: Pages, tmp_path: Path) -> None:
    page = pages(broker)
    page.stop()
    page.config.write_text(f'{page.config.read_text()}[store]\npath = "{tmp_path}/none.db"\n')
    page.start()
    for path in ("/api/tables", "/api/tables/T07", ROUNDS):
        found = valid(page, path, "Problem")
        assert (found["status"], "no store" in found["detail"]) == (503, True)


def test_a_flood_of_requests_leaves_the_page_and_gets_answers_or_503(page: Page, config: FloorConfig) -> None:
    save(config, *every_round())
    links = [HTTPConnection("127.0.0.1", page.port, timeout=HANG_S) for _ in range(40)]
    for each in links:
        each.request("GET", ROUNDS)
    assert ask(page, "/").status == 200
    found: list[Answer] = []
    for each in links:
        answer = each.getresponse()
        found.append(Answer(answer.status, {}, answer.read().decode()))
        each.close()
    assert {each.status for each in found} <= {200, 503}
    assert "Traceback" not in page.log


@pytest.mark.parametrize(
    ("micros", "text"),
    [(0, "0"), (1_000_000, "1"), (-1_500_000, "-1.5"), (1, "0.000001"), (-10_000_000, "-10"), (None, None)],
)
def test_an_amount_is_exact(micros: int | None, text: str | None) -> None:
    assert money(micros) == text
