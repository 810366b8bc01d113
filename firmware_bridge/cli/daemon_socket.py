"""Client of the running daemon's control socket: queries, status stream, orders; blocking, and quick to start."""

import argparse
import json
import os
import re
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from firmware_bridge.config.socket_address import is_bound, socket_address
from firmware_bridge.config.toml_text import document
from firmware_bridge.errors import BridgeError, ConfigError, UsageError
from firmware_bridge.facts.book.roles import GROUPS
from firmware_bridge.facts.decoding import json_alone
from firmware_bridge.facts.printable import REMEDY, fault
from firmware_bridge.facts.rights import roles_for

DEFAULT_CONFIG: Final = Path("/etc/firmware-bridge/bridge.toml")
RUNTIME: Final = Path("/run/firmware-bridge/control.sock")
"""Control socket of a daemon run by systemd."""

SOCKET: Final = "control.sock"
JOURNAL_DIR: Final = "/var/lib/firmware-bridge"
ANSWER_S: Final = 10.0
"""Seconds without an answer after which the daemon counts as hung."""

SECOND_LOGIN_S: Final = 330.0
"""Seconds without an answer to an order that waits for a second login, after which the daemon counts as hung."""

FULL: Final = "too_many_connections"
"""Code of the answer to a connection too many; the daemon closes it."""

_AT_THE_TABLE: Final = {
    "open_shoe": "sudo shoe do open-shoe --by NAME",
    "close_shoe": "sudo shoe do close-shoe --by NAME",
    "close_table": "sudo shoe do close-table --by NAME",
    "bets_open": "sudo shoe do bets-open --by NAME",
    "bets_closed": "sudo shoe do bets-closed --by NAME",
    "confirmed_by": "--confirmed-by NAME",
    "shoe enter": "sudo shoe enter CARD --by NAME --second NAME",
}
"""Wording of hints for a backend -> the command to type here."""


class NoDaemon(BridgeError, ConnectionError):
    """No answer from the daemon; the text has reason and remedy."""


class NotAllowed(NoDaemon, PermissionError):
    """Daemon that this user may not ask."""


class NotRunning(NoDaemon):
    """No daemon at this socket."""


class NotSent(UsageError):
    """Order with a text that no table accepts."""


def config_option(parser: argparse.ArgumentParser) -> None:
    """Add `--config`, the file that names the daemon's journal and so its socket."""
    parser.add_argument(
        "--config",
        type=Path,
        default=DEFAULT_CONFIG,
        metavar="FILE",
        help=f"the table's config (default {DEFAULT_CONFIG})",
    )


def socket_path(config: Path) -> Path:
    """Return the path of the control socket of a config's daemon. Raises ConfigError if the file cannot be read.

    Only the system's config leads to the system's daemon: an order must not reach a wrong table.
    """
    if given := os.environ.get("RUNTIME_DIRECTORY"):
        return Path(given) / SOCKET
    if config == DEFAULT_CONFIG and (_may_exist(RUNTIME) or not config.exists()):
        return RUNTIME
    return Path(journal_dir(config)) / SOCKET


def journal_dir(config: Path) -> Path:
    """Return the journal's directory in a config. Read only this key: `shoe status` loads no more than it needs."""
    try:
        section = document(config).get("journal", {})
    except OSError as error:
        raise ConfigError(f"{config}: {error.strerror}", "name the file with --config, or use sudo") from None
    given = section.get("dir", JOURNAL_DIR) if isinstance(section, dict) else JOURNAL_DIR
    return Path(str(given))


def ask(path: Path, request: dict[str, Any], lang: str = "en") -> dict[str, Any]:
    """Return the daemon's answer to a request; of an order that waits for a second login, once it was confirmed or not.

    lang: of the text that says so. Raises NoDaemon.
    """
    with connected(path, request["do"]) as control:
        control.settimeout(ANSWER_S)
        answers = _answers(control, request, path)
        answer = next(answers)
        if "waits" in answer:
            _say_that_it_waits(answer, lang)
            control.settimeout(SECOND_LOGIN_S)
            answer = next(answers)
        return answer


def _say_that_it_waits(answer: dict[str, Any], lang: str) -> None:
    from firmware_bridge.config.plain import warn  # imported here: few orders wait
    from firmware_bridge.topics.texts import chosen, text

    at = time.strftime("%H:%M:%S", time.localtime(int(answer["until"]) / 1000))
    warn(text(chosen(lang, "en"), "order.waits", number=int(answer["waits"]), at=at))


def daemons_alone(path: Path) -> tuple[str, str]:
    """Return what is wrong, and what to do, where this user reads a file by the daemon only, and none runs."""
    return f"{path} is the daemon's alone, and no daemon runs", "start the daemon, or put sudo before the command"


def follow(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the daemon's status now and after each change. Raises NoDaemon when it ends."""
    with connected(path, "watch") as control:
        yield from _answers(control, {"do": "watch"}, path)


def checked(request: dict[str, Any]) -> dict[str, Any]:
    """Return the request. Raises NotSent for a text that no table accepts."""
    for field, text in request.items():
        if isinstance(text, str) and (wrong := fault(text, len(text))):
            raise NotSent(f"--{field.replace('_', '-')} {wrong}", REMEDY)
    return request


def at_the_table(hint: str) -> str:
    """Return the hint with the commands to type here in place of order names."""
    return re.sub(rf"\b({'|'.join(_AT_THE_TABLE)})\b", lambda found: _AT_THE_TABLE[found[1]], hint)


def _answers(control: socket.socket, request: dict[str, Any], path: Path) -> Iterator[dict[str, Any]]:
    """Send a request and yield the answers, one a line."""
    try:
        with suppress(BrokenPipeError):  # it was refused, and says why
            control.sendall(json.dumps(signed(request)).encode() + b"\n")
        with control.makefile("rb") as lines:
            for line in lines:
                answer = json_alone(line)
                if answer.get("code") == FULL:
                    from firmware_bridge.topics.texts.refusals import words_of  # imported here: rarely one too many

                    raise NoDaemon(*words_of("en", answer))
                yield answer
    except NoDaemon:
        raise
    except TimeoutError:
        what = f"the daemon at {path} does not answer"
        raise NoDaemon(what, "restart it: systemctl restart firmware-bridge") from None
    except (OSError, ValueError):
        pass
    raise NoDaemon("the daemon closed the connection", "see: systemctl status firmware-bridge")


def signed(request: dict[str, Any]) -> dict[str, Any]:
    """Return the request with this terminal, where it has a name for the record: the kernel cannot say it."""
    try:
        terminal = os.ttyname(0).removeprefix("/dev/") if "by" in request else ""
    except OSError:
        terminal = ""
    return request | {"terminal": terminal} if terminal else request


def connected(path: Path, do: str) -> socket.socket:
    """Return a connection to the daemon for a request: at the control socket, else one of a role. Raises NoDaemon."""
    refused: list[OSError] = []
    for each in (path, *(path.parent / role / path.name for role in roles_for(do))):
        control = socket.socket(socket.AF_UNIX)
        try:
            with socket_address(each) as address:
                control.connect(address)
        except OSError as error:
            control.close()
            refused.append(error)
        else:
            return control
    raise _error_for(path, refused[0], do)


def _error_for(path: Path, error: OSError, do: str) -> NoDaemon:
    """Return the error of a socket that cannot be reached; a right is missing only where a daemon listens behind it."""
    is_shut = isinstance(error, PermissionError)
    if is_shut and any(is_bound(each) for each in (path, *(path.parent / role / path.name for role in GROUPS))):
        groups = " or ".join(GROUPS[role] for role in roles_for(do))
        hint = (
            f"it is for the group {groups} (technician.md, People): log in as a member, or put sudo before the command"
        )
        return NotAllowed(f"no permission to ask the daemon at {path}", hint)
    if is_shut or isinstance(error, FileNotFoundError | NotADirectoryError | ConnectionRefusedError):
        hint = "see: systemctl status firmware-bridge, or give its --config"
        return NotRunning(f"no daemon listens at {path}", hint)
    return NoDaemon(f"{path}: {error.strerror or error}", "see: systemctl status firmware-bridge")


def _may_exist(path: Path) -> bool:
    """Return whether a file exists, or may exist hidden from this user."""
    try:
        return path.exists()
    except PermissionError:
        return True
