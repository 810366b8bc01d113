import asyncio
from collections.abc import Callable, Iterator

import pytest

from firmware_bridge.daemon.delivery.replies import AT_ONCE, KEPT, Replies, Reply
from firmware_bridge.daemon.table.order_service import A_SECOND, BURST_S, ROOM, RateLimit
from firmware_bridge.mqtt.settings import Incoming, NotConnected


def order(number: int) -> Incoming:
    return Incoming("shoe/T07/command", b"%d" % number, False)


class Orders:
    """An inbox on a loop whose clock is set by hand, and what came of each order."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.now = 100.0
        self.judged: list[tuple[float, int]] = []
        self.refused: list[int] = []
        self.recorded: list[int] = []
        self.loop.time = lambda: self.now  # type: ignore[method-assign]  # its clock
        self.limit = RateLimit(
            self.judge, lambda each: self.refused.append(int(each.payload)), self.recorded.append, self.loop
        )

    def judge(self, message: Incoming) -> None:
        self.judged.append((self.now, int(message.payload)))

    def turns(self, count: int = 1) -> None:
        for _ in range(count):
            self.loop.call_soon(self.loop.stop)
            self.loop.run_forever()

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.turns(2 * A_SECOND)


@pytest.fixture
def orders() -> Iterator[Orders]:
    orders = Orders()
    yield orders
    orders.limit.close()
    orders.loop.close()


def test_one_order_is_judged_a_turn_of_the_loop_and_what_is_readable_goes_first(orders: Orders) -> None:
    seen: list[int] = []
    for number in range(3):
        orders.limit.receive(order(number))
    for _ in range(4):
        orders.loop.call_soon(lambda: seen.append(len(orders.judged)))  # as what is readable is called
        orders.turns()
    assert seen == [0, 1, 2, 3]


def test_ten_are_judged_in_any_second_and_the_others_wait(orders: Orders) -> None:
    for number in range(25):
        orders.limit.receive(order(number))
    orders.turns(40)
    assert len(orders.judged) == A_SECOND
    orders.wait(0.5)
    assert len(orders.judged) == A_SECOND
    orders.wait(0.6)
    assert len(orders.judged) == 2 * A_SECOND
    orders.wait(1.1)
    assert [number for _, number in orders.judged] == list(range(25))


def test_a_full_queue_refuses_and_counts_and_a_burst_is_one_record(orders: Orders) -> None:
    for number in range(ROOM + 50):
        orders.limit.receive(order(number))
    assert orders.refused == list(range(ROOM, ROOM + 50))
    orders.wait(BURST_S + 0.1)
    assert (orders.limit.refused, orders.recorded) == (50, [50])
    for number in range(ROOM):
        orders.limit.receive(order(number))
    orders.wait(BURST_S + 0.1)
    assert orders.recorded == [50, orders.limit.refused - 50]


def test_an_order_that_breaks_its_judge_holds_up_nobody(orders: Orders) -> None:
    orders.loop.set_exception_handler(lambda *_: None)
    orders.limit.receive(Incoming("shoe/T07/command", b"x", False))
    orders.limit.receive(order(1))
    orders.turns(3)
    assert [number for _, number in orders.judged] == [1]


# ---------------------------------------------------------------- answers


class Wire:
    """A broker that acknowledges when it is told to."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.broken = False

    def publish(self, reply: Reply) -> int:
        if self.broken:
            raise NotConnected("broken")
        self.sent.append(reply.payload)
        return len(self.sent)


@pytest.fixture
def wire() -> Wire:
    return Wire()


def answers(count: int, send: Callable[[Reply], None]) -> None:
    for number in range(count):
        send(Reply("shoe/T07/reply", b"%d" % number, order(number)))


def test_a_few_answers_are_in_flight_and_the_others_follow_in_order(wire: Wire) -> None:
    replies = Replies(wire.publish)
    answers(10, replies.send)
    assert len(wire.sent) == AT_ONCE
    assert not replies.delivered(99)
    for mid in range(1, 11):
        assert replies.delivered(mid)
    assert wire.sent == [b"%d" % number for number in range(10)]


def test_a_refusal_is_answered_only_where_answers_find_room(wire: Wire) -> None:
    replies = Replies(wire.publish)
    answers(10, replies.offer)
    assert len(wire.sent) == AT_ONCE
    replies.delivered(1)
    answers(10, replies.offer)
    assert len(wire.sent) == AT_ONCE + 1


def test_answers_go_with_their_connection_and_never_pile_up(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    replies = Replies(wire.publish)
    answers(KEPT + AT_ONCE + 5, replies.send)
    assert "the backend will repeat its command" in caplog.text
    replies.down()
    wire.sent.clear()
    answers(1, replies.send)
    assert wire.sent == [b"0"]
    wire.broken = True
    answers(1, replies.send)
    assert len(wire.sent) == 1
