"""The faults of broker, disk, reader and keypads: a row for each, by its code, with its values; sentences are texts.

Its sentence is the text `failure.CODE`: the fault, then what to do about it behind a colon. What to do about the
disk has codes of its own.
"""

from typing import Final

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.book.refusals import Phrase, Values

_AT: Final[Values] = {"at": "word"}
_WHY: Final[Values] = {"at": "word", "why": "word"}
_ERROR: Final[Values] = {"at": "word", "error": "word"}
_FILE: Final[Values] = {"file": "word", "why": "word"}
_STATED: Final[Values] = {"at": "word", "code": "word", "remedy": "failure"}
_LOGIN: Final[Values] = {"at": "word", "user": "failure", "name": "word", "code": "word"}
_OF_TOPIC: Final[Values] = {"at": "word", "topic": "word"}
_WHO: Final[Values] = {"who": "word"}

FAILURES: Final[dict[str, Values]] = {
    "unknown_host": {"at": "word", "host": "word"},
    "refused": _AT,
    "timeout": _AT,
    "no_way": _WHY,
    "file": _FILE,
    "not_pem": _FILE,
    "no_tls": _AT,
    "tls_silence": _AT,
    "not_trusted": _WHY,
    "expired": _WHY,
    "other_name": _WHY,
    "wants_certificate": _AT,
    "certificate_refused": _AT,
    "tls": _ERROR,
    "no_connection": _ERROR,
    "login": _LOGIN,
    "login_marks": _LOGIN | {"marks": "failures"},
    "turned_away": _STATED,
    "silence": _AT,
    "wants_tls": _AT,
    "hung_up": _AT,
    "hung_up_tls": _AT,
    "no_mqtt": _AT,
    "shared_name": {"name": "word"},
    "fell_silent": _AT,
    "ended": _STATED,
    "broke": _AT,
    "broke_often": {"at": "word", "name": "word"},
    "broke_at_topic": _OF_TOPIC | _WHO,
    "broke_at_message": _OF_TOPIC | _WHO | {"size": "number"},
    "not_taken": _STATED | {"topic": "word"},
    "not_given": _STATED | {"topic": "word"},
    "no_puback": _OF_TOPIC,
    "no_suback": _OF_TOPIC,
    "announced": {"at": "word", "limit": "failure", "remedy": "failure"},
    "too_large": _OF_TOPIC | {"size": "number", "limit": "number", "remedy": "failure"},
    "no_echo": _OF_TOPIC | _WHO,
    "not_connected": {},
    "same_table": {"table": "word"},
    "files_changed": {},
    "no_thread": {"error": "word"},
    "crashed": {"error": "word"},
}
"""Code of a failure -> its values. error, why, code: in the words of the system, of OpenSSL or of MQTT 5.

A value that changes makes another failure, which is reported again."""

REMEDIES: Final[dict[str, Values]] = {
    "other_version": {},
    "client_id": {},
    "may_use": _WHO,
    "may_write": _WHO,
    "may_read": _WHO,
    "starting": {},
    "overloaded": {},
    "banned": {},
    "stopping": {},
    "login_method": {},
    "heard_nothing": {},
    "bad_topic": {},
    "packet_limit": {},
    "message_rate": {},
    "quota": {},
    "administrator": {},
    "no_retained": {},
    "no_qos_1": {},
    "other_server": {},
    "moved": {},
    "many_connect": {},
    "connect_time": {},
    "see_log": {},
}
"""Code of what to do about a reason code of MQTT 5 -> its values."""

DISK: Final[dict[str, Values]] = {
    "journal_unread": {},
    "wait_for_card": {},
    "disk_silent": {},
    "wait_for_disk": {},
    "journal_unwritable": {"error": "word"},
    "check_mount": {},
    "directory_unusable": {"path": "word", "error": "word"},
    "correct_directory": {},
    "free_space": {},
    "card_failing": {},
    "folder_in_place": {"path": "word"},
    "unconfirmed": {"error": "word"},
    "write_not_undone": {"error": "word"},
    "file_not_removed": {"error": "word"},
    "file_unconfirmed": {"error": "word"},
    "replace_disk": {},
    "journal_missing": {"journal": "word"},
    "journal_unreadable": {"journal": "word", "error": "word"},
    "journals_missing": {"first": "number", "last": "number"},
}
"""Code of what the journal's disk does, or of what to do about it -> its values."""

_PORT: Final[Values] = {"port": "word"}

READER: Final[dict[str, Values]] = {
    "port_gone": _PORT | {"error": "word"},
    "port_disconnected": _PORT,
    "host_disconnected": _PORT,
    "port_stalled": _PORT,
    "port_denied": _PORT,
    "port_busy": _PORT | {"by": "word"},
    "port_unusable": {},
    "no_reader": _PORT | {"found": "failure"},
    "no_serial_port": _PORT | {"error": "word", "found": "failure"},
    "no_address": _PORT,
    "no_reader_answers": _PORT | {"error": "word"},
    "reader_host_unknown": _PORT | {"host": "word", "error": "word"},
    "reader_silent": {"seconds": "number"},
    "too_many_cards": {"count": "number", "size": "number"},
    "too_many_reports": {"most": "number", "seconds": "number"},
    "keypad_lost": {"where": "word"},
    "keypad_lost_often": {"where": "word", "count": "number"},
}
"""Code of what a reader, a keypad or its port does -> its values. They are those of hardware/ports.py."""

PARTS: Final[dict[str, Values]] = {
    "user": {"name": "word"},
    "no_user": {},
    "retain_missing": {},
    "qos_missing": {},
    "packets_of": {"count": "number"},
    "readers_found": {"readers": "list"},
    "no_usb_reader": {"folder": "word"},
    "bom": {},
    "zero_width": {},
    "no_break_space": {},
    "carriage_return": {},
    "line_end": {},
    "tab": {},
    "zero_byte": {},
    "utf_16": {},
    "outer_space": {},
}
"""Code of another value of a failure -> its own values: a user, a limit, and what is invisible in a password."""

ROWS: Final = FAILURES | REMEDIES | DISK | READER | PARTS
"""Every code that has a text `failure.CODE`."""


class DiskError(BridgeError, OSError):
    """Journal that cannot be written now, `irregularity`: the id under which the shoe reports it.

    why, todo: rows of `DISK`; in English where the journal's content is at fault.
    """

    def __init__(self, why: Phrase | str, todo: Phrase | str, irregularity: str) -> None:
        super().__init__(_plain(why), _plain(todo))
        self.why, self.todo, self.irregularity = why, todo, irregularity


def _plain(words: Phrase | str) -> str:
    """Code and values as they are, for errors that no person reads."""
    return words if isinstance(words, str) else " ".join([words.code, *map(str, words.values.values())])
