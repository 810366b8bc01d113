"""`shoe key`: makes, shows and changes the key that signs the record."""

import argparse
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from firmware_bridge.cli.daemon_socket import ask, checked, config_option, socket_path
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.printable import harmless
from firmware_bridge.record.signer import write_seed
from firmware_bridge.topics.texts.refusals import words_of

CREDENTIAL: Final = Path("/etc/credstore/firmware-bridge.record-key")
"""Where systemd finds the key of the service: owned by root, mode 0600."""

_NOT_YET: Final = "its public half has a name once the daemon has started with it: shoe key show"


class NoKey(BridgeError):
    """A key that cannot be made or shown."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe key`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    new = actions.add_parser("new", help="make the key of this device", description="make the key of this device")
    new.add_argument("--file", type=Path, default=CREDENTIAL, metavar="FILE", help=f"(default: {CREDENTIAL})")
    new.add_argument("--if-none", action="store_true", help="do nothing where there is a key")
    text = "the public key of this table's record, for those who verify it"
    show = actions.add_parser("show", help=text, description=text)
    config_option(show)
    show.add_argument("--qr", action="store_true", help="as a QR code, too")
    for name, text in (
        ("rotate", "change to another key, which signs beside the old one until that is retired"),
        ("retire", "let the old key sign no longer, and remove it"),
    ):
        change_options(actions.add_parser(name, help=text, description=text))


def change_options(parser: argparse.ArgumentParser) -> None:
    """Add the file of the key, and the names of the two people who change the record."""
    config_option(parser)
    parser.add_argument("--file", type=Path, default=CREDENTIAL, metavar="FILE", help=f"(default: {CREDENTIAL})")
    parser.add_argument("--by", required=True, metavar="NAME", help="your name, on record")
    help = "the second person; not where he confirms it from his own login ([rights] two_people)"
    parser.add_argument("--second", default="", metavar="NAME", help=help)


def run(arguments: argparse.Namespace) -> int:
    """Run the action; return 0 if all is well. Raises NoKey, and NoDaemon where none answers."""
    match arguments.action:
        case "new":
            return _new(arguments.file, arguments.if_none)
        case "show":
            return _show(arguments)
        case "rotate":
            return _rotate(arguments)
        case _:
            return _retire(arguments)


def _new(path: Path, if_none: bool) -> int:
    """Make a key that is there whole or not at all; one that is there stays."""
    if path.exists():
        if if_none:
            print(f"{path} is there already")
            return 0
        raise NoKey(f"{path} is there already", "a record has one key: to change it, shoe key rotate")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_seed(path)
    except FileExistsError:
        raise NoKey(f"{path} is there already", "somebody else made it just now") from None
    except OSError as error:
        raise NoKey(f"{path} cannot be written ({error.strerror})", "put sudo before the command") from None
    print(f"{path} is made; restart the daemon: {_NOT_YET}")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    record = ask(socket_path(arguments.config), {"do": "status"})["record"]
    if record["key"] is None:
        raise NoKey("this table has no record yet", "make a key with sudo shoe key new, and restart the daemon")
    print(record["key"])
    print(f"fingerprint  {fingerprint(record['key'])}")
    print(f"signs        {'yes' if record['signed'] else 'no: see shoe status'}; {record['size']} entries")
    if arguments.qr:
        _draw(record["key"])
    return 0


def _rotate(arguments: argparse.Namespace) -> int:
    """Make the next key, then change to it once the daemon has read it."""
    path = socket_path(arguments.config)
    record = ask(path, {"do": "status"})["record"]
    if record["key"] is None:
        raise NoKey("this table has no record yet", "make a key with sudo shoe key new, and restart the daemon")
    if not has_next(record, arguments.file):
        return 0
    order(path, {"do": "rotate_key", "by": arguments.by, "second": arguments.second})
    print(f"{record['next']}\nfingerprint  {fingerprint(record['next'])}")
    print("signs from now on, and the old key beside it; enrol it in the back office, then: shoe key retire")
    return 0


def _retire(arguments: argparse.Namespace) -> int:
    """Retire the old key, and put the present one in its place."""
    order(socket_path(arguments.config), {"do": "retire_key", "by": arguments.by, "second": arguments.second})
    replace_old(arguments.file)
    return 0


def has_next(record: dict[str, Any], file: Path) -> bool:
    """Return whether the daemon has read the next key; else it is made in the file beside `file`. Raises NoKey."""
    if record["next"]:
        return True
    following = _following(file)
    if not following.exists():
        try:
            write_seed(following)
        except OSError as error:
            raise NoKey(f"{following} cannot be written ({error.strerror})", "put sudo before the command") from None
    print(f"{following} is made; restart the daemon between shoes, then give this command again")
    return False


def replace_old(file: Path) -> None:
    """Put the key that signs now in the place of the old one. Raises NoKey."""
    following = _following(file)
    try:
        following.replace(file)
    except OSError as error:
        remedy = f"sudo mv {following} {file}"
        raise NoKey(f"the old key signs no longer, but its file stays ({error.strerror})", remedy) from None
    print("the old key signs no longer, and its file is replaced; traces of it may stay on the card")


def order(path: Path, request: dict[str, str]) -> None:
    """Give an order about the record. Raises NoKey where the daemon refuses, NoDaemon where none answers."""
    answer = harmless(ask(path, checked(request)))
    if not answer["ok"]:
        raise NoKey(*words_of("en", answer))


def _following(path: Path) -> Path:
    """Return the file of the next key, beside that of the present one."""
    return path.with_name(f"{path.name}-next")


def fingerprint(vkey: str) -> str:
    """Return five groups of four hex digits, to be read aloud: the beginning of the key's SHA-256."""
    digits = sha256(vkey.encode()).hexdigest()[:20]
    return " ".join(digits[n : n + 4] for n in range(0, 20, 4))


def _draw(text: str) -> None:
    try:
        from firmware_bridge.record import qr
    except ImportError:
        raise NoKey("segno is not installed", "it draws the QR code: install the extra record") from None
    print(qr.in_terminal(text), end="")
