"""What the daemon uses of paho that is not public: each name, and what it must be in the version that is locked."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections import OrderedDict, deque
from pathlib import Path

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion

import firmware_bridge
from firmware_bridge.mqtt.client import QuickClient

ROOT = Path(firmware_bridge.__file__).parent
PROJECT = ROOT.parent

FIELDS: dict[str, type] = {
    "_inflight_messages": int,
    "_keepalive": int,
    "_last_msg_out": float,
    "_max_inflight_messages": int,
    "_out_messages": OrderedDict,
    "_out_packet": deque,
    "_protocol": MQTTProtocolVersion,
    "_sock": type(None),
}
"""Name -> what it is in a client that is not connected."""

METHODS = {
    "_loop_rc_handle": "(rc: 'MQTTErrorCode') -> 'MQTTErrorCode'",
    "_mid_generate": "() -> 'int'",
    "_packet_queue": "(command: 'int', packet: 'bytes | bytearray', mid: 'int', qos: 'int', "
    "info: 'MQTTMessageInfo | None' = None) -> 'MQTTErrorCode'",
    "_packet_read": "() -> 'MQTTErrorCode'",
    "_sock_send": "(buf: 'bytes | bytearray') -> 'int'",
}
"""Name -> what it takes and gives back."""


def used(path: Path, owner: str) -> set[str]:
    """The names with one underscore in front that a file uses of `owner`."""
    tree = ast.walk(ast.parse(path.read_text()))
    of_owner = (each for each in tree if isinstance(each, ast.Attribute) and ast.unparse(each.value) == owner)
    return {each.attr for each in of_owner if re.match("_[a-z]", each.attr)}


def test_every_private_name_that_is_used_is_listed_here() -> None:
    driver = ROOT / "mqtt" / "client.py"
    of_connections = {"_watch_writes", "_keepalive_s"}  # our own, of the class beside
    assert (used(driver, "self") | used(driver, "client")) - of_connections == {*FIELDS, *METHODS, "_client"}


def test_only_the_daemons_driver_uses_private_names() -> None:
    private = {*FIELDS, *METHODS, "_reset_sockets", "_in_messages", "_thread"}
    for path in ROOT.glob("mqtt/*.py"):
        names = used(path, "client") | used(path, "self._client") | used(path, "reached")
        assert path.name == "client.py" or not names & private, path


@pytest.mark.parametrize(("name", "kind"), FIELDS.items(), ids=FIELDS)
def test_a_field_is_what_it_was(name: str, kind: type) -> None:
    assert isinstance(getattr(Client(CallbackAPIVersion.VERSION2), name, "gone"), kind)


@pytest.mark.parametrize(("name", "signature"), METHODS.items(), ids=METHODS)
def test_a_method_takes_and_gives_what_it_did(name: str, signature: str) -> None:
    assert str(inspect.signature(getattr(Client(CallbackAPIVersion.VERSION2), name))) == signature


def test_nothing_of_paho_is_overridden_unawares() -> None:
    assert {name for name in vars(QuickClient) if hasattr(Client, name)} & {*FIELDS, *METHODS} == set()
    assert QuickClient(CallbackAPIVersion.VERSION2).loop_read() is MQTTErrorCode.MQTT_ERR_NO_CONN


def test_no_older_paho_is_taken_than_the_one_that_was_looked_at() -> None:
    given = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["dependencies"]
    (bounds,) = (each for each in given if each.startswith("paho-mqtt"))
    locked = re.search(r"^paho-mqtt==(\S+)", (PROJECT / "requirements" / "pi.lock").read_text(), re.MULTILINE)
    assert locked
    assert bounds.split(",")[0] == f"paho-mqtt>={locked[1].removesuffix('.0')}"
