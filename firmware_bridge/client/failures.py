"""Makes the sentences of a broker's failures for a floor's programmer, who has arguments in place of [mqtt]."""

from typing import Final

from firmware_bridge.facts.book.refusals import Phrase

_LOST: Final = "the connection to {at} was lost: check that the broker runs and can be reached"
_REFUSED: Final = "the broker refuses {name}: {code}"
_HUNG_UP: Final = "{at} closes the connection without an answer: check the broker's log; it may require TLS, see `tls`"

SENTENCES: Final = {
    "unknown_host": "the broker's host is unknown ({at}): correct `host` or check the DNS server",
    "refused": "nothing listens at {at}: start the broker or correct `host` and `port`",
    "timeout": "{at} does not answer: check the network cable, `host` and the firewall",
    "no_way": "cannot reach {at} ({why}): check the network cable and `host`",
    "file": "cannot read {file} ({why})",
    "not_pem": "{file} cannot be used for TLS ({why})",
    "no_tls": "{at} speaks no TLS: correct `port` (with TLS it is usually 8883), or remove `tls`",
    "tls_silence": "{at} accepts connections but does not answer in TLS: correct `port`",
    "not_trusted": "the certificate of {at} is not trusted ({why}): give `tls` the CA that signed it",
    "expired": "the certificate of {at} is not valid now ({why}): check this machine's clock, then renew it",
    "other_name": "the certificate of {at} is not for this name ({why}): write `host` as in the certificate",
    "wants_certificate": "{at} requires a client certificate: load one into `tls`",
    "certificate_refused": "{at} does not accept your certificate: have its CA sign a new one",
    "tls": "TLS with {at} failed ({error}): check that this port uses TLS, and your own certificate",
    "no_connection": "cannot connect to {at} ({error}): check `host`, `port` and `tls`",
    "login": _REFUSED,
    "login_marks": _REFUSED,
    "turned_away": "the broker {at} refuses the connection ({code}): {remedy}",
    "silence": "{at} accepts connections but does not answer: restart the broker or correct `port`",
    "wants_tls": "{at} requires TLS: set `tls`",
    "hung_up": _HUNG_UP,
    "hung_up_tls": "{at} closes the connection without an answer: check the broker's log, and your certificate and key",
    "no_mqtt": _HUNG_UP,
    "shared_name": "another client uses the client id {name}: they disconnect each other again and again. "
    "End the other program, or give each floor its own name",
    "fell_silent": _LOST,
    "ended": _LOST,
    "broke": _LOST,
    "broke_often": "{at} ends each connection and states no reason: check the broker's log (perhaps another client "
    "uses the client id {name}: end the other program, or give each floor its own name)",
    "broke_at_topic": "{at} ends each connection at the subscription to {topic} and states no reason: check the "
    "broker's log (perhaps it must allow {who!r} to read this topic)",
    "broke_at_message": "{at} ends each connection at a message of {size} bytes to {topic} and states no reason: check "
    "the broker's log (perhaps it must allow {who!r} to write this topic, messages so large, or retained ones)",
    "no_puback": "{at} does not acknowledge a message to {topic}: check the broker's log and its disk",
    "no_suback": "{at} does not answer the subscription to {topic}: check the broker's log",
    "too_large": "a message to {topic} has {size} bytes, and {at} takes {limit}: raise its packet limit",
    "no_thread": "no thread can be started to connect ({error})",
    "crashed": "internal error ({error}): report it with the log",
}
"""Code of a failure -> its sentence: of each that a `Subscriber` meets."""

REMEDIES: Final = {
    "other_version": "it does not speak MQTT 3.1.1: update the broker, or correct `host` and `port`",
    "client_id": "give the floor another name, or let the broker accept client ids of this form and length",
    "starting": "it is overloaded or just starting: nothing to do here, it is tried again more and more slowly",
}
"""Code of what to do about a reason code -> its sentence."""

SEE_LOG: Final = "check the broker's log"


def sentence(why: Phrase) -> str:
    """Return the sentence of a failure: the fault, then what to do about it."""
    remedy = why.values.get("remedy")
    words = REMEDIES.get(remedy.code, SEE_LOG) if isinstance(remedy, Phrase) else SEE_LOG
    return SENTENCES.get(why.code, why.code).format(**dict(why.values) | {"remedy": words})
