"""The commands of the page, `shoe-floor user` and `shoe-floor screens`, as they are read and carried out."""

import argparse
import sys
from collections.abc import Callable
from getpass import getpass
from pathlib import Path
from typing import Final

from firmware_bridge.config.arguments import Exit
from firmware_bridge.config.plain import say, warn
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.page.addresses import Addresses, path_of
from firmware_bridge.floor.page.people import ROLES, People, PeopleError, verify
from firmware_bridge.floor.page_config import base_of

Act = Callable[[argparse.Namespace, People], None]

AGAIN: Final = "and once more: "


def run_people(arguments: argparse.Namespace, config: FloorConfig) -> int:
    """Carry out a command on the file of `[page] users`."""
    arguments.act(arguments, People(Path(config.page.users)))
    return Exit.FINE


def add_people(user: argparse.ArgumentParser, default: Path) -> None:
    """Add the commands. default: the configuration that is read without --config."""
    parts = user.add_subparsers(dest="part", metavar="PART", required=True)

    def add(name: str, text: str, act: Act) -> argparse.ArgumentParser:
        command = parts.add_parser(name, help=text, description=text)
        command.set_defaults(act=act)
        where = f"(default: {default})"
        command.add_argument("--config", type=Path, default=argparse.SUPPRESS, metavar="FILE", help=where)
        return command

    text = "let somebody sign in, or give him another password; it is asked for, or read from stdin"
    command = add("add", text, _add)
    command.add_argument("name", metavar="NAME")
    command.add_argument("--role", choices=ROLES, default="look", help="what he may do (default: look)")
    text = "he signs in at the proxy ([page] user_header): only his role is kept"
    command.add_argument("--no-password", action="store_true", help=text)
    command = add("remove", "let somebody no longer sign in; his sessions end at once", _remove)
    command.add_argument("name", metavar="NAME")
    add("list", "everybody who may sign in", _list)


def run_screens(arguments: argparse.Namespace, config: FloorConfig) -> int:
    """Print the address of each table's screens, or of one with a new secret."""
    addresses, base = Addresses(Path(config.screen.secrets)), base_of(config.page, config.screen)
    table = getattr(arguments, "table", None)
    known = addresses.complete(config.tables) if table is None else {table: addresses.rotate(table)}
    for name, secret in sorted(known.items()):
        print(f"{base}{path_of(name, secret)}")
    if not known:
        warn("no table yet: list them in [tables] of floor.toml, or: shoe-floor screens rotate T07")
    return Exit.FINE


def add_screens(screens: argparse.ArgumentParser, default: Path) -> None:
    """Add the command with its part. default: the configuration that is read without --config."""
    parts = screens.add_subparsers(dest="part", metavar="PART")
    text = "a new address for a table: screens at the one before end within 5 s"
    command = parts.add_parser("rotate", help=text, description=text)
    command.add_argument("table", metavar="TABLE", help="as in its bridge.toml: T07")
    where = f"(default: {default})"
    command.add_argument("--config", type=Path, default=argparse.SUPPRESS, metavar="FILE", help=where)


def _add(given: argparse.Namespace, people: People) -> None:
    verify(given.name, None, is_new=people[given.name] is None)
    was_there = people.add(given.name, given.role, None if given.no_password else _password())
    say(f"{escaped(given.name)} {'was changed' if was_there else 'may sign in'}, role {given.role}")


def _password() -> str:
    """Return a password, typed twice at a terminal, or a line of stdin. Raises PeopleError."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass("password: ")
    if getpass(AGAIN) != password:
        raise PeopleError("the two are not the same", "type the password again")
    return password


def _remove(given: argparse.Namespace, people: People) -> None:
    people.remove(given.name)
    say(f"{escaped(given.name)} may no longer sign in")


def _list(_: argparse.Namespace, people: People) -> None:
    for each in sorted(people.all().values()):
        print(f"{each.role:<5} {escaped(each.name)}" + ("" if each.hashed else "  (signs in at the proxy)"))
