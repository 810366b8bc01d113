"""`shoe-floor key`: makes a key that signs orders, and prints what a table's config needs."""

import argparse
from pathlib import Path
from typing import Any, Final

from firmware_bridge.client.signing import signing
from firmware_bridge.config.arguments import Exit
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.orders import LONGEST_NAME
from firmware_bridge.record.signer import write_seed
from firmware_bridge.record.verify import Refused, key_of

CREDENTIAL: Final = Path("/etc/credstore/shoe-floor.order-key")
"""Where systemd finds the key of the ingest: owned by root, mode 0600."""


class NoKey(BridgeError):
    """A key that cannot be made."""


def add_key(commands: Any, load: object, default: Path) -> None:
    """Adds `key` with its actions."""
    text = "the key that signs a backend's orders"
    key = commands.add_parser("key", help=text, description=text)
    actions = key.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text, run in (
        ("new", "make a key, and print the [[orders]] for the bridge.toml of each table", _new),
        ("show", "print the [[orders]] of a key", _show),
    ):
        action = actions.add_parser(name, help=text, description=text)
        action.add_argument("name", metavar="NAME", help="its name at the tables, on record with each order: cage")
        action.add_argument("--file", type=Path, default=CREDENTIAL, metavar="FILE", help=f"(default: {CREDENTIAL})")
        action.set_defaults(run=run, load=load, default=default, config=None)


def _new(arguments: argparse.Namespace, config: None) -> int:
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
    return _show(arguments, config)


def _show(arguments: argparse.Namespace, config: None) -> int:
    vkey = signing(arguments.name, arguments.file, lambda: 0).by.key.vkey
    print(f'[[orders]]\nname = "{arguments.name}"\nkey = "{vkey}"\nallows = ["bets_open", "bets_closed"]')
    return Exit.FINE
