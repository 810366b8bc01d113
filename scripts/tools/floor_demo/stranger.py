"""Somebody at the broker who sends in the names of tables: other bytes, too early ones, and no message at all.

`python -m scripts.tools.floor_demo.stranger mosquitto 1883 FILE T10=forged T11=junk T14=ahead`; makes FILE once
it listens and a store has what the broker passes on: what it tells is told once.
"""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path
from typing import Any, Final

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from firmware_bridge.demo.broker import HOST, PROTOCOL

AHEAD: Final = 7
"""Entries that are missing before one that is told too early."""


class Stranger:
    """Tells one thing in the name of each table. told: table -> `forged`, `junk`, or `ahead` once the table is lost.

    listens: a file that is made once it hears of a store that has messages.
    """

    def __init__(self, kind: str, port: int, listens: Path, told: dict[str, str]) -> None:
        self._listens, self._told, self._newest = listens, told, dict[str, bytes]()
        self._client = Client(CallbackAPIVersion.VERSION2, "stranger", protocol=MQTTProtocolVersion(PROTOCOL[kind]))
        self._client.on_connect = self._connected
        self._client.on_message = self._message
        self._client.connect(HOST, port)

    def work(self) -> None:
        """Work until the process is ended."""
        self._client.loop_forever(retry_first_connection=True)

    def _connected(self, client: Client, *_: Any) -> None:
        client.subscribe([("shoe/+/event", 1), ("shoe/+/status", 1), ("shoe/+/stored", 1)])

    def _message(self, client: Client, _: object, message: MQTTMessage) -> None:
        _, table, topic = message.topic.split("/")
        newest, said = self._newest.get(table, b""), bytes(message.payload)
        match self._told.get(table), topic:
            case _, "stored":
                self._listens.touch()
                return
            case "forged", "event" if b'"type":"RoundClosed"' in said:
                lie = re.sub(rb'"at":"\d{4}', b'"at":"2001', said, count=1)
            case "junk", "event":
                lie = b"\xff what is this?"
            case "ahead", "event":
                self._newest[table] = said
                return
            case "ahead", "status" if b'"state":"lost"' in said and newest:
                lie = re.sub(rb'"seq":(\d+)', lambda found: b'"seq":%d' % (int(found[1]) + AHEAD), newest, count=1)
            case _:
                return
        del self._told[table]
        client.publish(f"shoe/{table}/event", lie, 1)


def main(words: list[str]) -> int:
    """Tell each table's once; wait for the end."""
    kind, port, listens, *named = words
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    Stranger(kind, int(port), Path(listens), dict(each.split("=", 1) for each in named)).work()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
