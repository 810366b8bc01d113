"""The last orders of a table, as its events and the store bring them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from firmware_bridge.facts import orders
from firmware_bridge.floor.page import order_log
from firmware_bridge.floor.page.order_log import KEPT, OrderLog
from firmware_bridge.floor.store.fact_queries import OrderAt
from tests.floor.tables import NOW, rfc3339


def said(
    seq: int, do: str = "void", id: str = "", *, ok: bool = True, by: str = "key/page", table: str = "T07", **more: Any
) -> bytes:
    answer = {"ok": ok, "id": id, "do": do} | ({} if ok else {"error": "no round is open"})
    event = {"type": "CommandAnswered", "answer": answer, "by": by, **more}
    head = {"v": 1, "table": table, "shoe": 1, "journal": "1-ab12", "seq": seq, "at": rfc3339(NOW + seq)}
    return json.dumps(head | {"boot": "5c1e", "n": 1, "of": 1, "event": event}, separators=(",", ":")).encode()


def brief(log: OrderLog) -> list[tuple[str, str, bool | None]]:
    return [(each.do, each.by, each.ok) for each in log.of("T07")]


def test_the_newest_orders_stand_first_with_who_gave_them_and_those_of_dealing_are_left_out() -> None:
    log = OrderLog()
    assert log.handle("T07", said(1, on_behalf_of="ANNA"))
    assert log.handle("T07", said(2, "correct", by="li", person={"login": "li7"}, ok=False))
    for do in ("mark", "next", "bets_closed"):
        assert not log.handle("T07", said(3, do))
    assert not log.handle("T07", said(1, on_behalf_of="ANNA"))  # it comes again
    assert brief(log) == [("correct", "li7", False), ("void", "ANNA", True)]
    assert log.handle("T07", said(9, "bets_closed", "page-1-2", on_behalf_of="BO"))
    for seq in range(10, 40):
        log.handle("T07", said(seq))
    assert len(brief(log)) == KEPT


def test_of_more_tables_than_fit_those_that_were_there_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order_log, "MOST", 2)
    log, tables = OrderLog(), ("T07", "T08", "T09")
    for seq in (1, 2):
        for table in tables:
            log.handle(table, said(seq, table=table))
    assert [len(log.of(table)) for table in tables] == [2, 2, 0]


@pytest.mark.parametrize("id", ["page-1-2", "page-1-2-2"])
def test_an_order_without_an_answer_is_not_known_until_its_table_says_it(id: str) -> None:
    log = OrderLog()
    log.unknown("T07", orders.Void("misdeal"), "ANNA", "page-1-2", NOW)
    assert brief(log) == [("void", "ANNA", None)]
    assert not log.handle("T07", said(1, "mark", "another"))
    assert log.handle("T07", said(2, "void", id, on_behalf_of="ANNA"))
    assert brief(log) == [("void", "ANNA", True)]


def test_stored_orders_stand_behind_those_that_were_heard_and_once() -> None:
    log = OrderLog()
    log.handle("T07", said(5, on_behalf_of="ANNA"))
    stored = [
        OrderAt("resolve", "key/page", "BO", True, "", rfc3339(NOW + 1)),
        OrderAt("mark", "backend", "", True, "", rfc3339(NOW + 2)),
        OrderAt("void", "key/page", "ANNA", True, "", rfc3339(NOW + 5)),
    ]
    assert log.recall("T07", stored)
    assert brief(log) == [("void", "ANNA", True), ("resolve", "BO", True)]


@pytest.mark.parametrize("payload", [b"", b"{", b'"event":{"type":"CommandAnswered"', said(1).replace(b"T07", b"T08")])
def test_what_is_no_order_of_the_table_is_left_out(payload: bytes) -> None:
    log = OrderLog()
    assert not log.handle("T07", payload)
    assert log.of("T07") == []
