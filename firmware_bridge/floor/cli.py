"""The command `shoe-floor`: the back office of all tables of a floor."""

import argparse
import logging
import sys
from pathlib import Path
from typing import Any, Final

from firmware_bridge.client.signing import signing
from firmware_bridge.config.arguments import Exit, Parser, installed
from firmware_bridge.config.bundle import TEXT, bundle_options, run_bundle
from firmware_bridge.config.plain import say, warn
from firmware_bridge.config.streams import outlived
from firmware_bridge.config.version import Version
from firmware_bridge.errors import BridgeError, ConfigError
from firmware_bridge.facts.orders import LONGEST_NAME
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.cli_close import add_close, run_close
from firmware_bridge.floor.cli_export import add_export
from firmware_bridge.floor.cli_facts import add_facts
from firmware_bridge.floor.cli_people import add_people, add_screens, run_people, run_screens
from firmware_bridge.floor.cli_record import add_record, run_record
from firmware_bridge.floor.cli_store import add_store
from firmware_bridge.floor.cli_tls import add_tls
from firmware_bridge.floor.cli_witness import WITNESS, add_witness, with_config
from firmware_bridge.floor.config import FloorConfig, load, need
from firmware_bridge.floor.store import OtherFormat, Part
from firmware_bridge.record.signer import write_seed
from firmware_bridge.record.verify import Refused, key_of

ROLES: Final[dict[Part, str]] = {
    "ingest": "store messages",
    "reader": "read them",
    "closer": "close what is open",
    "forward": "send them on",
}
HELP: Final = "this help, the manual page, or the completion for a shell"
FILES: Final = {
    "/etc/firmware-bridge/floor.toml": "the configuration of the back office",
    "/var/lib/shoe-floor/users.json": "the people who may sign in to the page",
    "/var/lib/shoe-floor/screens.json": "the secrets in the addresses of guests' screens",
    "/etc/firmware-bridge/witness.toml": "the configuration of a witness",
    "/var/lib/shoe-floor": "the store, if it is no PostgreSQL",
    "/var/lib/shoe-floor-witness": "what a witness has cosigned, and its evidence",
    "/etc/credstore/shoe-floor.mqtt-password": "the broker's password, mode 0600",
    "/etc/credstore/shoe-floor.order-key": "the key that signs orders and `stored`, mode 0600",
    "/etc/credstore/shoe-floor.page-order-key": "the key that signs what people order on the page, mode 0600",
    "/etc/credstore/shoe-floor.witness-key": "the key of a witness, mode 0600",
    "/usr/local/share/doc/shoe-floor": "the documents",
}

CONFIG: Final = Path("/etc/firmware-bridge/floor.toml")


def main(argv: list[str] | None = None) -> int:
    """Run a command; return its exit code, one of `Exit`."""
    with outlived() as output, installed("shoe-floor"):
        arguments = _parser().parse_args(argv)
        level = logging.ERROR if arguments.command == "check" else logging.INFO  # its findings say it all
        logging.basicConfig(level=level, format="%(levelname)s %(message)s")
        output.is_all = arguments.command == "export"
        try:
            code: int = arguments.run(arguments, arguments.load(arguments.config or arguments.default))
            sys.stdout.flush()
            return code
        except BridgeError as error:
            warn(f"shoe-floor: {error}")
            return Exit.CONFIG if isinstance(error, (ConfigError, OtherFormat)) else Exit.FAILED
        except BrokenPipeError:  # an export whose reader has gone is not whole
            return Exit.FAILED
        except KeyboardInterrupt:
            output.interrupt()
            return Exit.INTERRUPTED


def _help(arguments: argparse.Namespace, _: None) -> int:
    if arguments.man:
        sys.stdout.write(manual())
    elif arguments.completion:
        sys.stdout.write(completion())
    else:
        _parser().print_help()
    return Exit.FINE


def manual() -> str:
    """Return the manual page of the command, in roff."""
    from firmware_bridge.config.manual import page

    return page("shoe-floor", _parser(), FILES, "shoe(1)")


def completion() -> str:
    """Return the script for bash-completion of the command."""
    from firmware_bridge.config.manual import bash

    return bash("shoe-floor", _parser())


def _ingest(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.service import run

    return run(config)


def _metrics(arguments: argparse.Namespace, config: FloorConfig) -> int:
    _verify_served(config)
    from firmware_bridge.floor.metrics.service import run

    return run(config)


def _check(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.config.findings import report
    from firmware_bridge.floor.check import findings
    from firmware_bridge.floor.check_record import open_incidents

    failed = report(findings(config, whole=arguments.record), arguments.json)
    if not arguments.json:
        for line in open_incidents(config):
            print(escaped(line))
    return Exit.FAILED if failed else Exit.FINE


def _prepare(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.service import prepared

    roles: dict[Part, list[str]] = {name: getattr(arguments, name) for name in ROLES}
    for line in prepared(config, roles):
        say(line)
    return Exit.FINE


def _page(arguments: argparse.Namespace, config: FloorConfig) -> int:
    _verify_served(config)
    from firmware_bridge.floor.page.service import run

    return run(config)


def _forward(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.forward.service import run
    from firmware_bridge.floor.store.open import Asked

    Asked(config).verify_format()
    return run(config)


def _verify_served(config: FloorConfig) -> None:
    """Check what a service over HTTP needs. Raises OtherFormat for another store, ConfigError for a missing package."""
    from firmware_bridge.floor.store.open import Asked

    Asked(config).verify_format()
    need("starlette", "floor")
    need("uvicorn", "floor")


def _pseudonym(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.record.names import names

    if (found := names(config.ingest.pseudonym_key_file)) is None:
        raise ConfigError("names of people are not replaced", "set [ingest] pseudonym_key_file (docs/floor.md)")
    for name in arguments.names:
        print(f"{found.pseudonym(name)} {escaped(name)}")
    return Exit.FINE


def _acl(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.acl import mosquitto, nats, read_passwords, users

    who = users(config, arguments.backend, arguments.reader)
    passwords = arguments.nats
    lines = nats(who, read_passwords(passwords), config.nats.consumer) if passwords else mosquitto(who)
    print("\n".join(lines))
    return Exit.FINE


def _bundle(arguments: argparse.Namespace, config: None) -> int:
    return run_bundle(arguments, ["--floor"])


ORDER_KEY: Final = Path("/etc/credstore/shoe-floor.order-key")
"""Where systemd finds the key of the ingest: owned by root, mode 0600."""


class NoKey(BridgeError):
    """A key that cannot be made."""


def _add_key(commands: Any, load: object, default: Path) -> None:
    """Add `key` with its actions."""
    text = "the key that signs a backend's orders"
    key = commands.add_parser("key", help=text, description=text)
    actions = key.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text, act in (
        ("new", "make a key, and print the [[orders]] for the bridge.toml of each table", _key_new),
        ("show", "print the [[orders]] of a key", _key_show),
    ):
        action = actions.add_parser(name, help=text, description=text)
        action.add_argument("name", metavar="NAME", help="its name at the tables, on record with each order: cage")
        action.add_argument("--file", type=Path, default=ORDER_KEY, metavar="FILE", help=f"(default: {ORDER_KEY})")
        action.set_defaults(run=act, load=load, default=default, config=None)


def _key_new(arguments: argparse.Namespace, config: None) -> int:
    path: Path = arguments.file
    try:
        key_of(arguments.name, 1, bytes(32))
        if len(arguments.name) > LONGEST_NAME or set(arguments.name) & set("/#$"):
            raise Refused("a name has at most 64 characters, and none of / # $")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_seed(path)
    except Refused as error:
        raise NoKey(str(error), "write a short name: cage") from None
    except FileExistsError:
        raise NoKey(f"{path} is there already", "a new key needs a file of its own: --file FILE") from None
    except OSError as error:
        raise NoKey(f"{path} cannot be written ({error.strerror})", "put sudo before the command") from None
    print(f"# {path} is made: keep it secret. In the bridge.toml of each table:")
    return _key_show(arguments, config)


def _key_show(arguments: argparse.Namespace, config: None) -> int:
    vkey = signing(arguments.name, arguments.file, lambda: 0).by.key.vkey
    print(f'[[orders]]\nname = "{arguments.name}"\nkey = "{vkey}"\nallows = ["bets_open", "bets_closed"]')
    return Exit.FINE


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="shoe-floor", description="The back office of all tables of a floor.")
    parser.add_argument("--version", action=Version)
    text = f"(default: {CONFIG}; of witness: {WITNESS})"
    parser.add_argument("--config", type=Path, metavar="FILE", help=text)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add(name: str, text: str, run: object) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run, load=load, default=CONFIG)
        return with_config(command, CONFIG)

    add("ingest", "store every message of every table (a service, under systemd)", _ingest)
    add("metrics", "serve metrics of all tables to Prometheus (a service, under systemd)", _metrics)
    command = add("check", "check the store and the broker", _check)
    command.add_argument("--json", action="store_true", help="one JSON object, for programs")
    command.add_argument("--record", action="store_true", help="read all of the store, and verify its rows")
    text = "the keys of tables, their records, and incidents of these"
    add_record(add("record", text, run_record), CONFIG)
    command = add("prepare", "set up what the ingest needs, before tables connect", _prepare)
    for part, what in ROLES.items():
        text = f"a PostgreSQL role to {what}"
        command.add_argument(f"--{part}", action="append", default=[], metavar="ROLE", help=text)
    text = "close a gap, a conflict or quarantine that cannot be mended; who and why is kept"
    add_close(add("close", text, run_close), CONFIG)
    add("page", "serve the web page of all tables for the pit", _page)
    add("forward", "send what is stored to receivers of webhooks (a service, under systemd)", _forward)
    text = "the people who may sign in to the page"
    add_people(add("user", text, run_people), CONFIG)
    add_screens(add("screens", "the addresses of guests' screens, each with a secret", run_screens), CONFIG)
    add_witness(commands)
    command = add("acl", "write the broker's rights, for each table of [tables]", _acl)
    command.add_argument("--backend", action="append", default=[], metavar="NAME", help="a user that gives orders")
    command.add_argument("--reader", action="append", default=[], metavar="NAME", help="a user that only reads")
    text = "the users of NATS instead of mosquitto's rights; FILE: a line NAME:PASSWORD for each user"
    command.add_argument("--nats", type=Path, metavar="FILE", help=text)
    _add_key(commands, lambda _: None, CONFIG)
    add_tls(commands, lambda _: None, CONFIG)
    add_store(add)
    command = add("pseudonym", "show the pseudonyms of names", _pseudonym)
    command.add_argument("names", nargs="+", metavar="NAME")
    add_export(add)
    add_facts(add)
    command = commands.add_parser("bundle", help=TEXT, description=TEXT)
    command.set_defaults(run=_bundle, load=lambda _: None, default=CONFIG)
    bundle_options(command)
    command = commands.add_parser("help", help=HELP, description=HELP)
    command.set_defaults(run=_help, load=lambda _: None, default=CONFIG)
    made = command.add_mutually_exclusive_group()
    made.add_argument("--man", choices=("shoe-floor.1",), help="write the manual page")
    made.add_argument("--completion", choices=("bash",), help="write the completion script for a shell")
    return parser
