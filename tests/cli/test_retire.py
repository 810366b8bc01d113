"""A table that is no more leaves nothing at the broker, and one that is there is left alone."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.cli.retire import RETAINED, is_online
from tests.kit import broker as real
from tests.kit import command
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.command import Run
from tests.kit.daemon_table import BridgeTable

broker, brokers, shoe = real.broker, real.brokers, command.shoe  # fixtures


@pytest.fixture
def config(tmp_path: Path, broker: Broker) -> Path:
    """Of a table that dealt and was stopped."""
    table = BridgeTable(tmp_path, broker.port)
    table.start()
    table.deal("9s Td Ts Tc")
    table.until(lambda: table.bridge.uplink.link.up and not table.bridge.uplink.outbox.waiting)
    table.close()
    return table.config_path


def kept(broker: Broker, name: str = "T07") -> set[str]:
    with Backend(broker.port, f"shoe/{name}/#", client_id="look", of_shoes=False) as look:
        look.publish(f"shoe/{name}/last", {})
        look.wait_for(lambda message: message.topic.endswith("/last"))
        return {each.topic.rsplit("/", 1)[-1] for each in look.received if each.retained}


def test_a_retired_table_leaves_nothing(config: Path, broker: Broker, shoe: Run) -> None:
    before = kept(broker)
    assert {"status", "table", "roads", "lamps", "alarm", "health"} <= before <= RETAINED
    ran = shoe("retire", "--config", config, "--yes")
    assert (ran.code, kept(broker)) == (0, set())
    assert all(name in ran.out for name in before)
    assert shoe("retire", "--config", config, "--yes").code == 0


@pytest.mark.parametrize(("said", "code"), [("y\n", 0), ("n\n", 1), ("", 1), ("\n", 1)])
def test_it_asks_first(
    config: Path, broker: Broker, shoe: Run, monkeypatch: pytest.MonkeyPatch, said: str, code: int
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    ran = shoe("retire", "--config", config)
    assert (ran.code, not kept(broker)) == (code, code == 0)
    assert "Continue?" in ran.out


def test_a_table_that_is_online_is_left_alone(config: Path, broker: Broker, shoe: Run) -> None:
    with Backend(broker.port, of_shoes=False) as other:
        other.publish("shoe/T08/status", {"state": "online"}, retain=True)
    ran = shoe("retire", "--config", config, "--table", "T08", "--yes")
    assert ran.code == 1
    assert "a daemon is online as shoe/T08" in ran.err
    assert kept(broker, "T08") == {"status"}
    assert shoe("retire", "--config", config, "--table", "T08", "--yes", "--online").code == 0
    assert kept(broker, "T08") == set()
    assert "status" in kept(broker)


def test_a_broker_that_is_away_and_a_name_that_is_none_are_reported(config: Path, broker: Broker, shoe: Run) -> None:
    assert "is not a table's name" in shoe("retire", "--config", config, "--table", "#", "--yes").err
    broker.stop()
    ran = shoe("retire", "--config", config, "--yes")
    assert ran.code == 1
    assert "start the broker" in ran.err


def test_who_may_not_write_is_shown_that_it_is_kept(tmp_path: Path, brokers: Callable[..., Broker], shoe: Run) -> None:
    broker = brokers(acl="topic read shoe/#\ntopic write shoe/T09/#")
    with Backend(broker.port, of_shoes=False) as writer:
        writer.publish("shoe/T09/status", {"state": "lost"}, retain=True)
    (tmp_path / "bridge.toml").write_text(f'[table]\nid = "T08"\n[mqtt]\nport = {broker.port}\n')
    assert shoe("retire", "--config", tmp_path / "bridge.toml", "--yes").code == 1
    assert shoe("retire", "--config", tmp_path / "bridge.toml", "--table", "T09", "--yes").code == 0


@pytest.mark.parametrize("payload", [b"", b"\xff", b"[]", b'{"state":1}', b'{"state":"lost"}'])
def test_a_status_that_is_none_says_nothing(payload: bytes) -> None:
    assert not is_online(payload)
