"""Manual pages and shell completion, made from the parser of the command line and the types of the config."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Final

from firmware_bridge.cli import COMMANDS, help, parser_of
from firmware_bridge.cli.daemon_socket import DEFAULT_CONFIG, JOURNAL_DIR, ask, journal_dir, socket_path
from firmware_bridge.cli.do import CONFIRM, ORDERS, TAKE_BACK
from firmware_bridge.config.manual import bash, head, page, plain
from firmware_bridge.config.reference import ABOUT, ConfigKey, keys
from firmware_bridge.errors import BridgeError
from firmware_bridge.journal.files import journal_files, journal_id

FILES = {
    "/etc/firmware-bridge/bridge.toml": "the configuration of the table, bridge.toml(5)",
    "/var/lib/firmware-bridge": "the journal, a file per shoe or day, and the calibration",
    "/etc/credstore/firmware-bridge.mqtt-password": "the broker's password, mode 0600",
    "/opt/firmware-bridge/share/doc/firmware-bridge": "the documents that shoe help shows",
}

ASKED: Final = {
    "shoe do 0": "orders",
    "shoe do resolve 0": "alarms",
    "shoe do resolve 1": "choices $typed",
    "shoe do resend --journal": "journals",
    "shoe do resend --since": "dates",
    "shoe journal show 0": "journals",
    "shoe journal verify 0": "journals",
    "shoe journal export 0": "journals",
}
"""Option, or argument by its number from 0 -> the kind of its words."""


def words(kind: str, config: Path = DEFAULT_CONFIG, alarm: str = "") -> list[str]:
    """Return the words of a kind in `ASKED`, such as the open alarms, or the choices of `alarm`; [] if unknown."""
    try:
        if kind == "orders":
            refused = ask(socket_path(config), {"do": "status"})["table"].get("orders", {})
            return [each for each in (*ORDERS, TAKE_BACK, CONFIRM) if each.replace("-", "_") not in refused]
        if kind in ("alarms", "choices"):
            found = ask(socket_path(config), {"do": "status"})["alarm"]["open"]
            if kind == "choices":
                return [choice for each in found if each["id"] == alarm.replace("-", "_") for choice in each["choices"]]
            return list(dict.fromkeys(str(each["id"]) for each in found))
        is_bare = config == DEFAULT_CONFIG and not config.exists()
        files = journal_files(Path(JOURNAL_DIR) if is_bare else journal_dir(config))
        if kind == "journals":
            return [journal_id(path) for path in files]
        days = (datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%dT00:00:00Z") for path in files)
        return list(dict.fromkeys(days))
    except (BridgeError, OSError):
        return []


def shoe() -> str:
    """Return the manual page of the command, in roff."""
    return page("shoe", parser_of(COMMANDS), FILES, "bridge.toml(5), shoe help 3am")


def bash_of_shoe() -> str:
    """Return the script for bash-completion of `shoe`."""
    asked = {last: f"shoe help --words {kind} $file 2>/dev/null" for last, kind in ASKED.items()}
    topics = {"shoe help": " ".join((*help.topics(), *COMMANDS))}
    return bash("shoe", parser_of(COMMANDS), asked, topics, underscored="shoe do")


def bridge_toml() -> str:
    """Return the manual page of the config, in roff."""
    lines = [
        *head("bridge.toml", "5", "the configuration of one table"),
        ".SH DESCRIPTION",
        plain(ABOUT.replace("`", "")),
    ]
    for title, rows in groupby(keys(), lambda key: key.title):
        lines += [f".SH {plain(title)}"]
        for key in rows:
            lines += [".TP", f".B {plain(key.name)}", *_entry(key)]
    return "\n".join([*lines, ".SH SEE ALSO", "shoe(1), shoe config, shoe check", ""])


def _entry(key: ConfigKey) -> Iterator[str]:
    default = f" Default: {key.default}." if key.default else ""
    yield plain(f"{key.meaning} Allowed: {key.may}.{default}")
