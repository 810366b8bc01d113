"""Reason codes of MQTT 5 (2.4): the name of each in every answer, and what a technician does about it."""

from types import MappingProxyType
from typing import Final

from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

NORMAL: Final = 0x00
PROTOCOL_ERROR: Final = 0x82
UNSUPPORTED_PROTOCOL_VERSION: Final = 0x84
SHUTTING_DOWN: Final = 0x8B
KEEP_ALIVE_TIMEOUT: Final = 0x8D
SESSION_TAKEN_OVER: Final = 0x8E

OVERLOADED: Final = (0x88, 0x89, 0x96, 0x97, 0x9F)
"""Unavailable (code 3 of MQTT 3.1.1), busy, message rate, quota, connection rate exceeded: retry with patience."""

LOGIN: Final = (0x86, 0x87)
"""Bad user name or password, not authorised: a later attempt does not change that."""

PASSING: Final = (NORMAL, SHUTTING_DOWN)
"""Reasons of a DISCONNECT that say nothing of the next connection."""

SEE_LOG: Final = "check the broker's log"

REMEDIES: Final = {
    0x84: "it speaks neither MQTT 5 nor 3.1.1: update the broker, or correct [mqtt] host and port",
    0x85: "correct [mqtt] client_id, or let the broker accept client ids of this form and length",
    0x87: "allow {who} this table's topics in the broker's ACL",
    0x88: "it is overloaded or just starting: nothing to do here, it is tried again more and more slowly",
    0x89: "it is overloaded: nothing to do here, it is tried again more and more slowly",
    0x8A: "this table is banned there: remove it from the broker's ban list",
    0x8B: "it is being stopped: start it again, it is tried again by itself",
    0x8C: "the broker wants another login method: let it accept user names and passwords, or certificates",
    0x8D: "it heard nothing of this table in time: check the network cable",
    0x8F: "it does not accept this topic: correct [mqtt] root, or the broker's list of topics",
    0x90: "it does not accept this topic: correct [mqtt] root, or the broker's list of topics",
    0x95: "its packet limit is too small: raise it to 128 kB",
    0x96: "this table is over the broker's message rate: raise it; it is tried again more and more slowly",
    0x97: "this table is over the broker's quota: raise it; it is tried again more and more slowly",
    0x98: "its administrator ended it: ask there",
    0x9A: "it does not keep retained messages: enable them at the broker",
    0x9B: "it does not accept QoS 1: enable it at the broker",
    0x9C: "it redirects to another server: correct [mqtt] host",
    0x9D: "it has moved: correct [mqtt] host",
    0x9F: "too many clients connect at once: nothing to do here, it is tried again more and more slowly",
    0xA0: "it ends each connection after a time: raise that limit",
}
"""What to do, by the reason code; `who` is the user of the table."""

MAY_WRITE: Final = {0x87: "allow {who} to write this table's topics in the broker's ACL"}
"""What else it is in PUBACK."""

MAY_READ: Final = dict.fromkeys((0x80, 0x87), "allow {who} to read it in the broker's ACL")
"""What else it is in SUBACK; MQTT 3.1.1 has 0x80 alone."""

_ANSWERS: Final = (PacketTypes.CONNACK, PacketTypes.PUBACK, PacketTypes.SUBACK, PacketTypes.DISCONNECT)


def _name_all() -> None:
    """Give each code a name in every answer: else paho takes what a broker states for a broken packet.

    Some brokers state codes that the standard has for other packets alone, such as mosquitto 0x95 in PUBACK.
    """
    names: dict[int, dict[str, list[int]]] = {code: dict(known) for code, known in ReasonCode.names.items()}
    for code in range(0x80, 0x100):
        known = names.setdefault(code, {})
        usual = next(iter(known), f"reason code 0x{code:02X}")
        missing = {*_ANSWERS} - {each for packets in known.values() for each in packets}
        known[usual] = [*known.get(usual, ()), *sorted(missing)]
    ReasonCode.names = MappingProxyType(names)


_name_all()
