"""`shoe check` tries the broker as a stranger; the ACL of the book is one that passes."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from pytest_mock import MockerFixture

from firmware_bridge.config.load import broker_settings
from firmware_bridge.facts.inputs import Ordered
from tests.kit import broker as real
from tests.kit import command
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable, Table

brokers, shoe = real.brokers, command.shoe  # fixtures

BOOK = (Path(__file__).parents[3] / "docs" / "broker.md").read_text()
ACL = re.findall(r"```\n# /etc/mosquitto/acl\n(.*?)```", BOOK, re.DOTALL)[0]
USERS = {"T07": "t", "backend": "b"}

Check = Callable[..., tuple[str, str, str]]


@pytest.fixture
def check(tmp_path: Path, shoe: command.Run) -> Check:
    """Level, text and remedy of what `shoe check` says of strangers."""

    def run(table: Table) -> tuple[str, str, str]:
        checks = json.loads(shoe("check", "--json", "--config", table.config_path).out)["checks"]
        (found,) = [each for each in checks if each["name"] == "stranger"]
        return found["level"], found["text"], found["remedy"]

    return run


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., DaemonTable]]:
    made: list[DaemonTable] = []
    (tmp_path / "password").write_text("t\n")
    (tmp_path / "password").chmod(0o600)

    def start(broker: Broker, *, user: str | None = None) -> DaemonTable:
        login = {"username": user, "password_file": str(tmp_path / "password")} if user else {}
        made.append(DaemonTable(tmp_path, broker.port, mqtt={"port": broker.port, **login}))
        return made[-1]

    yield start
    for each in made:
        each.close()


def test_a_broker_for_everybody_lets_strangers_give_orders_and_settle_rounds(
    brokers: Any, make: Any, check: Check
) -> None:
    broker = brokers()
    with Backend(broker.port) as backend:
        table = make(broker).start()
        table.deal("9s Td Ts Tc")
        backend.meanwhile = lambda: table.pause(0.01)
        closed = backend.wait_for(lambda each: each.topic.endswith("/round"))
        table.until(lambda: (table.journal_dir / "cursor").stat().st_size)
        level, text, remedy = check(table)
        assert (level, "shoe help broker" in remedy) == ("WARN", True)
        assert text.endswith("can give this table's orders and settle this table's rounds")
        backend.wait_until(lambda: len(backend.on("round")) == 2)
        rounds = [each.raw for each in backend.received if each.topic.endswith("/round")]
        assert rounds == [closed.raw] * 2, "a repeat, which every backend drops"
        assert not [line for line in table.lines() if line.entry and isinstance(line.entry.input, Ordered)]


@pytest.mark.parametrize(("local", "level"), [(("127.0.0.1",), "WARN"), ((), "FAIL")])
def test_it_fails_beyond_this_machine(
    brokers: Any, make: Any, check: Check, mocker: MockerFixture, local: tuple[str, ...], level: str
) -> None:
    mocker.patch("firmware_bridge.cli.check.forgery_probe.LOCAL", local)
    found = check(make(brokers()))
    assert found[0] == level
    assert found[1].endswith("can give this table's orders")


@pytest.mark.parametrize("protocol", [5, 4])
@pytest.mark.parametrize(
    ("options", "levels", "text"),
    [
        ({"users": USERS, "acl": ACL}, ("OK", "OK"), "refuses a client without a login"),
        # By MQTT 3.1.1 a broker acknowledges what it drops, so no answer proves that it drops it.
        ({"acl": "topic read #"}, ("OK", "WARN"), "accepts a client without a login"),
        ({"acl": "topic readwrite #"}, ("WARN", "WARN"), "can give this table's orders"),
    ],
)
def test_what_a_stranger_may_is_what_the_acl_says(
    brokers: Any, make: Any, check: Check, mocker: MockerFixture, options: Any, levels: Any, text: str, protocol: int
) -> None:
    name = "firmware_bridge.cli.check.forgery_probe.broker_settings"
    mocker.patch(name, lambda config: replace(broker_settings(config), protocol=protocol))
    found = check(make(brokers(**options), user="T07"))
    assert found[0] == levels[protocol == 4]
    assert text in found[1]


def test_a_broker_that_is_away_was_not_tried(make: Any, brokers: Any, shoe: command.Run) -> None:
    broker = brokers()
    broker.stop()
    checks = json.loads(shoe("check", "--json", "--config", make(broker).config_path).out)["checks"]
    assert [each["level"] for each in checks if each["name"] in ("broker", "stranger")] == ["FAIL", "WARN"]


def test_the_acl_of_the_book_lets_the_table_report_and_the_backend_order_and_nothing_else(
    brokers: Any, make: Any
) -> None:
    broker = brokers(users=USERS, acl=ACL)
    with Backend(broker.port, username="backend", password="b") as backend:
        table = make(broker, user="T07").start()
        backend.meanwhile = lambda: table.pause(0.01)
        backend.wait_until(lambda: [each["state"] for each in backend.on("status")][-1:] == ["online"])
        table.deal("9s Td Ts Tc")
        backend.wait_for(lambda each: each.topic.endswith("/round"))
        for topic in ("round", "event", "status", "table"):
            backend.publish(f"shoe/T07/{topic}", {"forged": True})
        backend.publish("shoe/T07/command", {"id": "1", "do": "close_shoe"})
        assert backend.wait_for(lambda each: each.topic.endswith("/reply")).payload["ok"]
        assert not [each for each in backend.received if "forged" in each.payload]
