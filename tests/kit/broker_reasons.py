"""What a table says of each reason code of MQTT 5, at each moment: a small broker states it, and a link reports it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from tests.kit.peer import ACCEPTED_5, Peer
from tests.mqtt.table_link import Table

CONNACK, SUBACK, PUBACK, DISCONNECT = "CONNACK", "SUBACK", "PUBACK", "DISCONNECT"

CODES: Final[dict[int, tuple[str, tuple[str, ...]]]] = {
    0x00: ("Normal disconnection", (DISCONNECT,)),
    0x80: ("Unspecified error", (CONNACK, SUBACK, PUBACK, DISCONNECT)),
    0x81: ("Malformed packet", (CONNACK, DISCONNECT)),
    0x82: ("Protocol error", (CONNACK, DISCONNECT)),
    0x83: ("Implementation specific error", (CONNACK, SUBACK, PUBACK, DISCONNECT)),
    0x84: ("Unsupported protocol version", (CONNACK,)),
    0x85: ("Client identifier not valid", (CONNACK,)),
    0x86: ("Bad user name or password", (CONNACK,)),
    0x87: ("Not authorized", (CONNACK, SUBACK, PUBACK, DISCONNECT)),
    0x88: ("Server unavailable", (CONNACK,)),
    0x89: ("Server busy", (CONNACK, DISCONNECT)),
    0x8A: ("Banned", (CONNACK,)),
    0x8B: ("Server shutting down", (DISCONNECT,)),
    0x8C: ("Bad authentication method", (CONNACK, DISCONNECT)),
    0x8D: ("Keep alive timeout", (DISCONNECT,)),
    0x8E: ("Session taken over", (DISCONNECT,)),
    0x8F: ("Topic filter invalid", (SUBACK, DISCONNECT)),
    0x90: ("Topic name invalid", (CONNACK, PUBACK, DISCONNECT)),
    0x91: ("Packet identifier in use", (SUBACK, PUBACK)),
    0x93: ("Receive maximum exceeded", (DISCONNECT,)),
    0x94: ("Topic alias invalid", (DISCONNECT,)),
    0x95: ("Packet too large", (CONNACK, PUBACK, DISCONNECT)),
    0x96: ("Message rate too high", (DISCONNECT,)),
    0x97: ("Quota exceeded", (CONNACK, SUBACK, PUBACK, DISCONNECT)),
    0x98: ("Administrative action", (DISCONNECT,)),
    0x99: ("Payload format invalid", (CONNACK, PUBACK, DISCONNECT)),
    0x9A: ("Retain not supported", (CONNACK, DISCONNECT)),
    0x9B: ("QoS not supported", (CONNACK, DISCONNECT)),
    0x9C: ("Use another server", (CONNACK, DISCONNECT)),
    0x9D: ("Server moved", (CONNACK, DISCONNECT)),
    0x9E: ("Shared subscription not supported", (SUBACK, DISCONNECT)),
    0x9F: ("Connection rate exceeded", (CONNACK, DISCONNECT)),
    0xA0: ("Maximum connect time", (DISCONNECT,)),
    0xA1: ("Subscription identifiers not supported", (SUBACK, DISCONNECT)),
    0xA2: ("Wildcard subscription not supported", (SUBACK, DISCONNECT)),
}
"""Code -> its name and the packets that may have it (MQTT 5, 2.4); mosquitto has 0x95 in PUBACK too."""

PAIRS: Final = [(code, moment) for code, (_, moments) in CODES.items() for moment in moments]

MAY_READ: Final = bytes.fromhex("900400010001")
PUBLISH: Final = 0x30


class Reported(NamedTuple):
    """What a link reports, and whether as a fault of a connection that stands."""

    text: str
    is_fault: bool


def stated(code: int, moment: str) -> Peer:
    """A broker that states this code at this moment, each time."""
    if moment == CONNACK:
        return Peer({5: bytes([0x20, 3, 0, code, 0])}, stays=False, pongs=True)
    if moment == SUBACK:
        return Peer({5: ACCEPTED_5 + bytes([0x90, 4, 0, 1, 0, code])}, pongs=True)
    if moment == PUBACK:
        return Peer({5: ACCEPTED_5 + MAY_READ}, puback=code, pongs=True)
    return Peer({5: ACCEPTED_5}, goodbye=(0x80, bytes([0xE0, 1, code])), pongs=True)


def reported(code: int, moment: str) -> Reported:
    """What a table's link reports of such a broker."""
    with stated(code, moment) as peer:
        table = Table(peer.port).start()
        try:
            if moment == PUBACK:
                table.up().send(1)
            table.until(lambda: table.downs or table.link.fault)
            is_fault = table.link.fault is not None
            return Reported(table.fault or table.downs[0], is_fault)
        finally:
            table.close()
            table.loop.close()


def remedy(text: str) -> str:
    """What a text says to do: what stands behind its colon."""
    return text.partition(": ")[2].removesuffix("; the message is sent again").replace("'bridge'", "..")


def table(every: dict[tuple[int, str], Reported]) -> str:
    """What is reported, as a table of the page: each code and remedy in a row."""
    rows: dict[tuple[int, str], list[str]] = {}
    for (code, moment), each in every.items():
        rows.setdefault((code, remedy(each.text)), []).append(moment)
    lines = [
        f"| {code:#04x} | `{CODES[code][0]}` | {', '.join(moments)} | {what} |"
        for (code, what), moments in rows.items()
    ]
    return "\n".join(["| code | it says | in | do |", "|---|---|---|---|", *lines])


def placed(page: str, table: str) -> str:
    """The page with this table in place of its own."""
    return re.sub(r"^\| code \| it says .*?(?=\n\n|\n\\Z)", lambda _: table, page, flags=re.M | re.S)


def main() -> None:
    """State all, and write docs/broker.md."""
    page = Path(__file__).parents[2] / "docs/broker.md"
    every = {pair: reported(*pair) for pair in PAIRS}
    page.write_text(placed(page.read_text("utf-8"), table(every)), "utf-8")


if __name__ == "__main__":
    main()
