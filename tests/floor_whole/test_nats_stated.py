"""What NATS states, or shows by its moment, as it speaks MQTT 3.1.1 alone: that is what a table reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.floor_whole import nats as real
from tests.floor_whole.nats import Cluster, needs_nats
from tests.mqtt import table_link as tables
from tests.mqtt.table_link import COMMAND, EVENT

pytestmark = needs_nats
clusters, table = real.clusters, tables.table  # fixtures

RIGHTS = """
accounts { PIT { jetstream: enabled, users: [
  { user: "T07", password: "t", permissions: { publish: ">", subscribe: { allow: ">", deny: "shoe.T07.command" } } }
] } }
max_payload: 4096
"""
LOGIN = {"username": "T07", "password": b"t"}


def test_what_nats_states_and_shows(clusters: Callable[..., Cluster], table: Any) -> None:
    port = clusters(more=RIGHTS).nodes[0].mqtt
    assert "refuses user 'T07' (Not authorized)" in table(port, username="T07", password=b"wrong").down()

    bridge = table(port, **LOGIN).up()
    assert bridge.link.protocol == 4
    bridge.until(lambda: bridge.link.fault)
    assert f"refuses the subscription to {COMMAND} (Unspecified error): allow 'T07' to read it" in bridge.fault
    bridge.link._on_up = lambda: bridge.link.publish(EVENT, b"x" * 5_000)
    bridge.link.publish(EVENT, b"x" * 5_000)
    bridge.until(lambda: bridge.failures[-1:] == ["broke_at_message"])
    assert f"at a message of 5000 bytes to {EVENT} and states no reason" in bridge.downs[-1]
    assert "(perhaps it must allow 'T07' to write this topic, messages so large, or" in bridge.downs[-1]
    assert "another client" not in str(bridge.downs)
