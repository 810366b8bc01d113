"""The demo's subscriber: it takes messages in any order and asks for what is missing."""

import asyncio
import json
import re
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.demo.backend import Backend
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming


# entry.message, its number of messages behind the stroke; `r` is the round told with it, `up` a new connection.
@pytest.mark.parametrize(
    ("came", "heard", "asked"),
    [
        ("1.1/1 2.1/2 2.2/2 3.1/1", "1.1 2.1 2.2 3.1", []),
        ("1.1/1 r1.1/1 2.1/1 r2.1/1", "1.1 r1.1 2.1 r2.1", []),
        ("1.1/1 1.1/1 2.1/1 1.1/1", "1.1 2.1", []),
        ("1.1/1 4.1/1 2.1/1 3.1/1 4.1/1", "1.1 2.1 3.1 4.1", [(2, 3)]),
        ("3.1/1 4.1/1 1.1/1 2.1/1", "1.1 2.1 3.1 4.1", [(1, 2)]),
        ("1.1/2 2.1/1 1.1/2 1.2/2", "1.1 1.2 2.1", [(1, 1)]),
        ("1.1/1 3.1/1 r3.1/1 2.1/1 r2.1/1", "1.1 2.1 r2.1 3.1 r3.1", [(2, 2)]),
        ("1.1/1 2.1/1 3.1/1 4.1/1 2.1/1 r2.1/1", "1.1 2.1 r2.1 3.1 4.1", [(2, 2)]),
        ("1.1/1 2.2/2 2.1/2", "1.1 2.1 2.2", [(2, 2)]),
        ("1.1/1 3.1/1 5.1/1 4.1/1 2.1/1", "1.1 2.1 3.1 4.1 5.1", [(2, 2), (4, 4)]),
        ("1.1/1 3.1/1 up 4.1/1 5.1/1 2.1/1", "1.1 2.1 3.1 4.1 5.1", [(2, 2), (2, 2)]),
    ],
)
def test_the_backend_puts_messages_in_order_and_asks_for_gaps(
    mocker: MockerFixture, came: str, heard: str, asked: list[tuple[int, ...]]
) -> None:
    def tell(name: str, each: dict[str, Any]) -> None:
        said.append(f"{name[0].replace('e', '')}{each['seq']}.{each['n']}")

    async def main() -> list[dict[str, Any]]:
        settings = BrokerSettings(client_id="backend")
        backend = Backend(settings, "shoe/T07", tell, failed.append, asyncio.get_running_loop())
        publish = mocker.patch.object(backend.link, "publish")
        for word in came.split():
            if word == "up":
                backend._connected()
                continue
            seq, n, of = map(int, re.findall(r"\d+", word))
            event = {"type": "RoundVoided" if f"r{seq}.{n}/" in came else "Noted"}
            body = {"journal": "1-a", "seq": seq, "n": n, "of": of, "status": "voided", "event": event}
            topic = f"shoe/T07/{'round' if word[0] == 'r' else 'event'}"
            backend.handle(Incoming(topic, json.dumps(body).encode(), retained=False))
        return [json.loads(call.args[1]) for call in publish.call_args_list]

    said: list[str] = []
    failed: list[Any] = []
    assert [(order["from"], order["to"]) for order in asyncio.run(main())] == asked
    assert " ".join(said) == heard
    assert failed == []


def test_two_messages_with_one_identity_end_the_demo() -> None:
    async def main() -> list[Exception]:
        failed: list[Exception] = []
        settings = BrokerSettings(client_id="backend")
        backend = Backend(settings, "shoe/T07", lambda *_: None, failed.append, asyncio.get_running_loop())
        for what in ("Noted", "Noted", "Other"):
            body = {"journal": "1-a", "seq": 1, "n": 1, "of": 1, "event": {"type": what}}
            backend.handle(Incoming("shoe/T07/event", json.dumps(body).encode(), retained=False))
        return failed

    (error,) = asyncio.run(main())
    assert "two different messages are number 1 of entry 1 of journal 1-a" in str(error)
