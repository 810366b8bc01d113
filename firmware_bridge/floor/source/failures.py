"""Makes the words of a broker's failures for the back office, to stand behind the name of the broker."""

from typing import Final

from firmware_bridge.facts.book.refusals import Phrase

_REFUSED: Final = "it refuses the connection: {code}"
_SILENT: Final = "it does not answer"
_LOST: Final = "the connection was lost"

SENTENCES: Final = {
    "unknown_host": "it cannot be reached: its host is unknown",
    "refused": "it cannot be reached: nothing listens there",
    "timeout": "it cannot be reached: nothing answers there",
    **dict.fromkeys(("file", "not_pem"), "it cannot be reached: {file}: {why}"),
    **dict.fromkeys(("no_way", "not_trusted", "expired", "other_name"), "it cannot be reached: {why}"),
    **dict.fromkeys(("tls", "no_connection"), "it cannot be reached: {error}"),
    **dict.fromkeys(("login", "login_marks", "turned_away"), _REFUSED),
    **dict.fromkeys(("silence", "hung_up", "hung_up_tls", "no_mqtt"), _SILENT),
    **dict.fromkeys(("fell_silent", "broke"), _LOST),
    "tls_silence": "it does not answer in TLS",
    "no_tls": "it speaks no TLS",
    "wants_tls": "it requires TLS",
    "wants_certificate": "it requires a client certificate",
    "certificate_refused": "it does not accept our certificate",
    "ended": "{code}",
    "shared_name": "another client uses the client id {name}: end it, or set [mqtt] client_id",
    "broke_often": "it ends each connection and states no reason (perhaps another client uses the client id {name}: "
    "end it, or set [mqtt] client_id)",
    "broke_at_topic": "it ends each connection at the subscription to {topic} and states no reason",
    "broke_at_message": "it ends each connection at a message to {topic} and states no reason",
    "no_thread": "no thread can be started to connect ({error}): raise TasksMax in the service, and report it",
    "crashed": "internal error ({error}): report it with the log",
}
"""Code of a failure -> its words."""


def said(why: Phrase) -> str:
    """Return the words of a failure."""
    return SENTENCES.get(why.code, why.code).format(**why.values)
