"""A table's link to the broker with its own loop, for tests without a daemon."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from firmware_bridge.facts.book.refusals import Phrase
from firmware_bridge.mqtt.client import QuickConnection
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message
from firmware_bridge.topics.texts.refusals import english
from tests.kit.patience import comes

EVENT, STATUS, COMMAND = "shoe/T07/event", "shoe/T07/status", "shoe/T07/command"
LOST = Message(STATUS, b'{"status":"lost"}', retain=True)
OWN = (STATUS, EVENT)
STOPPED = Message(STATUS, b'{"status":"stopped"}', retain=True)


class Table:
    """A link with its loop, and everything it told."""

    def __init__(self, port: int, largest: int | None = None, **settings: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.ups = 0
        self.downs: list[str] = []
        self.failures: list[str | None] = []
        """The code of each of `downs`, as the link gave it at that moment: it is None again once the link is up."""
        self.delivered: list[int] = []
        self.commands: list[Incoming] = []
        self.link = Link(
            BrokerSettings(client_id="bridge", port=port, **settings),
            self.loop,
            will=lambda: LOST,
            topics=[COMMAND],
            own=lambda protocol: OWN if protocol == 4 else (),
            on_up=self.rise,
            on_down=self.fall,
            on_delivered=self.delivered.append,
            on_message=self.obey,
            driver=QuickConnection,
            largest=largest,
            say=english,
        )

    def rise(self) -> None:
        self.ups += 1

    @property
    def fault(self) -> str:
        """What the link says of a broker that is there, in words; "" for nothing."""
        return english(self.link.fault) if self.link.fault else ""

    @property
    def shared_name(self) -> str:
        """What the link says of another client of its name, in words; "" for nothing."""
        return english(self.link.shared_name) if self.link.shared_name else ""

    def fall(self, why: Phrase) -> None:
        self.downs.append(english(why))
        self.failures.append(self.link.failure)

    def obey(self, incoming: Incoming) -> None:
        self.commands.append(incoming)
        if incoming.payload == b'"fall"':
            raise ZeroDivisionError

    def start(self) -> "Table":
        self.link.start()
        return self

    def until(self, condition: Callable[[], object]) -> None:
        self.loop.run_until_complete(comes(condition, story=self.story, look_s=0.005))

    def story(self) -> object:
        return self.downs, self.ups, self.delivered, self.commands

    def up(self, times: int = 1) -> "Table":
        self.until(lambda: self.link.up and self.ups >= times)
        return self

    def down(self) -> str:
        self.until(lambda: self.downs)
        return self.downs[0]

    def send(self, *numbers: int) -> list[int]:
        return [self.link.publish(EVENT, json.dumps({"seq": number}).encode()) for number in numbers]

    def close(self, farewell: Message | None = None) -> None:
        self.loop.run_until_complete(self.link.close(farewell))


@pytest.fixture
def table() -> Iterator[Callable[..., Table]]:
    made: list[Table] = []

    def make(port: int, **settings: Any) -> Table:
        made.append(Table(port, **settings))
        return made[-1].start()

    yield make
    for each in made:
        each.close()
        each.loop.close()
