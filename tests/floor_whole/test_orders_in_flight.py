"""Orders in flight while table, page or broker is frozen or killed: carried out once or not at all, and it is said."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPException

from tests.daemon import listened
from tests.floor_whole import pages as whole
from tests.floor_whole import test_page_orders as given
from tests.floor_whole.pages import until
from tests.floor_whole.signed_in import Answer, sign_in
from tests.floor_whole.test_page_orders import Pit
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.broker import Broker

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures
backend, table, pit = listening.backend, listened.table, given.pit  # fixtures


@contextmanager
def in_flight(floor: Pit, form: dict[str, str]) -> Iterator[Future[Answer]]:
    """The broker has an order, and the table is frozen until the end."""
    assert floor.table.process
    floor.table.process.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor(1) as sent:
        given = sent.submit(floor.send, form)
        floor.backend.wait_until(lambda: [each for each in floor.backend.received if each.topic.endswith("/command")])
        yield given
    floor.table.process.send_signal(signal.SIGCONT)


def test_a_table_that_does_not_answer_is_said_and_the_same_form_acts_once(pit: Callable[..., Pit]) -> None:
    floor = pit()
    floor.deal("9d 4s")
    form = floor.form("void", why="misdeal")
    assert floor.table.process
    floor.table.process.send_signal(signal.SIGSTOP)
    silent = floor.send(form)
    assert (silent.status, "did not answer within 10 s" in silent.body) == (504, True)
    assert "not known: the table has not answered yet" in floor.html()
    assert "no answer within 10 s" in floor.page.log
    floor.table.process.send_signal(signal.SIGCONT)
    floor.backend.wait_until(lambda: floor.events("RoundVoided") and floor.events("CommandAnswered"))
    until(lambda: floor.send(form).status == 409)  # the page has heard of it
    assert len(floor.events("CommandAnswered")) == 1
    until(lambda: "not known" not in floor.html())
    assert re.search("Void</strong> ANNA: taken", floor.html())


def test_an_order_to_a_table_that_restarts_before_its_answer_is_carried_out_once_or_not_at_all(
    pit: Callable[..., Pit],
) -> None:
    floor = pit()
    floor.deal("9d 4s")
    form = floor.form("void", why="misdeal")
    with in_flight(floor, form) as given:
        floor.table.kill()
        floor.table.start()
        status = given.result().status
    voided = len(floor.events("RoundVoided"))
    assert (status, voided) in {(200, 1), (409, 0), (504, 0), (504, 1)}
    if status == 504:  # then the table says it on the page
        until(lambda: "ANNA" in floor.html())
    again = floor.send(form).status
    floor.table.pause(0.5)
    assert len(floor.events("RoundVoided")) <= 1
    assert (again == 200) <= (len(floor.events("RoundVoided")) == 1)


def test_an_order_in_flight_when_the_page_is_killed_is_carried_out_once_and_the_next_page_says_so(
    pit: Callable[..., Pit],
) -> None:
    floor = pit()
    floor.deal("9d 4s")
    form = floor.form("void", why="misdeal")
    with in_flight(floor, form) as given:
        floor.page.kill()
        assert isinstance(given.exception(), OSError | HTTPException)
        floor.page.start()
        floor.act = sign_in(floor.page).cookie
        assert floor.send(form).status == 409  # of a page that is no more
    floor.backend.wait_until(lambda: floor.events("RoundVoided") and floor.events("CommandAnswered"))
    until(lambda: re.search("Void</strong> ANNA: taken", floor.html()) or floor.table.pause(0.05))
    assert (len(floor.events("RoundVoided")), len(floor.events("CommandAnswered"))) == (1, 1)


def test_an_order_in_flight_when_the_broker_is_killed_is_carried_out_once_or_not_at_all_and_the_page_says_which(
    pit: Callable[..., Pit], broker: Broker
) -> None:
    floor = pit()
    floor.deal("9d 4s")
    form = floor.form("void", why="misdeal")
    with in_flight(floor, form) as given:
        broker.kill()
        broker.start()
        assert given.result().status in (503, 504)
        assert "not known: the table has not answered yet" in floor.html()
    until(lambda: floor.send(form).status in (200, 409) or floor.table.pause(0.2))  # the same form is the same order
    floor.backend.wait_until(lambda: floor.events("RoundVoided") and floor.events("CommandAnswered"))
    until(lambda: re.search("Void</strong> ANNA: taken", floor.html()) or floor.table.pause(0.05))
    assert "not known" not in floor.html()
    assert (len(floor.events("RoundVoided")), len(floor.events("CommandAnswered"))) == (1, 1)
