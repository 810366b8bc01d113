"""Reason codes of MQTT 5 (2.4): the name of each in every answer, and the code of what to do about it."""

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

SEE_LOG: Final = "see_log"

REMEDIES: Final = {
    0x84: "other_version",
    0x85: "client_id",
    0x87: "may_use",
    0x88: "starting",
    0x89: "overloaded",
    0x8A: "banned",
    0x8B: "stopping",
    0x8C: "login_method",
    0x8D: "heard_nothing",
    0x8F: "bad_topic",
    0x90: "bad_topic",
    0x95: "packet_limit",
    0x96: "message_rate",
    0x97: "quota",
    0x98: "administrator",
    0x9A: "no_retained",
    0x9B: "no_qos_1",
    0x9C: "other_server",
    0x9D: "moved",
    0x9F: "many_connect",
    0xA0: "connect_time",
}
"""What to do, by the reason code: a code of `REMEDIES` in facts/book/failures.py."""

MAY_WRITE: Final = {0x87: "may_write"}
"""What else it is in PUBACK."""

MAY_READ: Final = dict.fromkeys((0x80, 0x87), "may_read")
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
