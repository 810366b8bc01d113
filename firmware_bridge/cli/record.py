"""`shoe record`: begins another record, after the card was restored or moved to another Pi."""

import argparse

from firmware_bridge.cli.daemon_socket import ask, socket_path
from firmware_bridge.cli.key import change_options, fingerprint, has_next, order, replace_old


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe record`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    text = "begin another record, between shoes: the back office must enrol it"
    begin = actions.add_parser("begin", help=text, description=text)
    change_options(begin)
    begin.add_argument("--why", required=True, metavar="TEXT", help="the reason, on record")


def run(arguments: argparse.Namespace) -> int:
    """Begin a record; return 0 if that is done. Raises NoKey where it is refused, NoDaemon where none answers."""
    path = socket_path(arguments.config)
    if not has_next(ask(path, {"do": "status"})["record"], arguments.file):
        return 0
    names = {"by": arguments.by, "second": arguments.second, "why": arguments.why}
    order(path, {"do": "begin_record", **names})
    record = ask(path, {"do": "status"})["record"]
    print(f"{record['key']}\nfingerprint  {fingerprint(record['key'])}")
    replace_old(arguments.file)
    print("a new record has begun: enrol this key in the back office (shoe-floor record enrol)")
    return 0
