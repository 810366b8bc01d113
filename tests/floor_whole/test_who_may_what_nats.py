"""The messages of the matrix of actors and acts, tried at a NATS server with the rights of `shoe-floor acl --nats`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from paho.mqtt.enums import MQTTProtocolVersion

from firmware_bridge.floor.acl import nats, users
from firmware_bridge.floor.config import parse
from tests.daemon import test_who_may_what as matrix
from tests.daemon.test_who_may_what import RIGHTS, USERS, House, Place
from tests.floor_whole.nats import Cluster, needs_nats

pytestmark = needs_nats
folder = matrix.folder  # a fixture
test_each_message_by_each_actor = matrix.test_each_message_by_each_actor
test_a_name_that_nobody_has_and_a_wrong_password_are_strangers = (
    matrix.test_a_name_that_nobody_has_and_a_wrong_password_are_strangers
)


@pytest.fixture
def house(folder: Path, tmp_path: Path) -> Iterator[House]:
    who = nats(users(parse(RIGHTS), ["cage"], ["watch"]), USERS, "shoe-floor-ingest")
    accounts = "accounts { PIT { jetstream: enabled\n" + "\n".join(who) + "\n} }"
    cluster = Cluster(tmp_path / "nats", 1, more=accounts).start()
    house = House(folder, Place("127.0.0.1", cluster.nodes[0].mqtt, MQTTProtocolVersion.MQTTv311))
    yield house
    house.close()
    cluster.end()
