"""Signed messages to a table: `{"key": .., "order": .., "sig": ..}`, signed over their topic and their text."""

import json
from base64 import b64encode
from typing import Any, Final, NamedTuple

from firmware_bridge.facts.decoding import KeyTwice, Undecodable, json_once
from firmware_bridge.record.signer import Signer
from firmware_bridge.record.verify import Refused, decoded, is_signed

LONGEST: Final = 8_192
"""Bytes of the longest envelope."""

KEYS: Final = ("key", "order", "sig")


class NotAnEnvelope(ValueError):
    """Bytes that are no envelope: the message says why."""


class Envelope(NamedTuple):
    """A message that states who signed it. key: name or vkey. order: the text that is signed. sig: 64 bytes."""

    key: str
    order: str
    sig: bytes

    def is_signed(self, topic: str, public: bytes) -> bool:
        """Return whether the owner of a public key signed this text for this topic."""
        return is_signed(public, self.sig, signed_bytes(topic, self.order))


def signed_bytes(topic: str, order: str) -> bytes:
    """Return what a signature is over."""
    return f"shoe-order/1\n{topic}\n{order}".encode()


def wrapped(by: Signer, topic: str, order: str) -> bytes:
    """Return the envelope of a text for a topic, under the name of its key."""
    sig = b64encode(by.sign(signed_bytes(topic, order))).decode()
    return json.dumps(
        {"key": by.key.name, "order": order, "sig": sig}, ensure_ascii=False, separators=(",", ":")
    ).encode()


def opened(payload: bytes) -> Envelope:
    """Return the envelope in a payload, not verified. Raises NotAnEnvelope, also for a key that is there twice."""
    if len(payload) > LONGEST:
        raise NotAnEnvelope(f"it has more than {LONGEST} bytes")
    fields = once(payload)
    if set(fields) != set(KEYS) or not all(isinstance(each, str) for each in fields.values()):
        raise NotAnEnvelope("it has not exactly the texts key, order and sig")
    try:
        fields["order"].encode()
        fields["key"].encode()
        sig = decoded(fields["sig"], "sig")
    except (UnicodeEncodeError, Refused) as error:
        raise NotAnEnvelope(str(error) if isinstance(error, Refused) else "a text is not Unicode") from None
    if len(sig) != 64:
        raise NotAnEnvelope("sig has not 64 bytes")
    return Envelope(fields["key"], fields["order"], sig)


def content(payload: bytes) -> bytes:
    """Return the text in an envelope, not verified; another payload as it is."""
    try:
        return opened(payload).order.encode()
    except NotAnEnvelope:
        return payload


def once(payload: bytes | str) -> dict[str, Any]:
    """Return a JSON object in UTF-8 that has no key twice, at any depth. Raises NotAnEnvelope."""
    try:
        found = json_once(payload)
    except KeyTwice:
        raise NotAnEnvelope("it has a key twice") from None
    except Undecodable:
        raise NotAnEnvelope("it is not JSON") from None
    if not isinstance(found, dict):
        raise NotAnEnvelope("it is not a JSON object")
    return found
