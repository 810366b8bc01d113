"""The commands `shoe-floor record`, as they are read and carried out."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from firmware_bridge.config.arguments import Exit, file_to_write, line, person
from firmware_bridge.config.plain import warn
from firmware_bridge.facts.decoding import text_of
from firmware_bridge.facts.orders import LONGEST_REASON
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.open import open_store

Act = Callable[[argparse.Namespace, Store, FloorConfig], Iterator[str]]


def run_record(arguments: argparse.Namespace, config: FloorConfig) -> int:
    """Carry out a command, on an open store; its lines go to stdout."""
    with closing(open_store(config)) as store:
        for line in arguments.act(arguments, store, config):
            print(line)
    return Exit.FINE


def add_record(record: argparse.ArgumentParser, default: Path) -> None:
    """Add the commands. default: the configuration that is read without --config."""
    parts = record.add_subparsers(dest="part", metavar="PART", required=True)

    def add(name: str, text: str, act: Act, *words: str) -> argparse.ArgumentParser:
        command = parts.add_parser(name, help=text, description=text)
        command.set_defaults(act=act)
        text = f"(default: {default})"
        command.add_argument("--config", type=Path, default=argparse.SUPPRESS, metavar="FILE", help=text)
        for word in words:
            command.add_argument(word, metavar=word.upper())
        return command

    reason = line("reason", LONGEST_REASON)

    def by_two(command: argparse.ArgumentParser) -> argparse.ArgumentParser:
        command.add_argument("--by", type=person, required=True, metavar="NAME", help="who does it")
        command.add_argument("--second", type=person, required=True, metavar="NAME", help="who looked at it too")
        return command

    by_two(add("enrol", "let a key of a table count", _enrol, "table", "vkey"))
    command = by_two(add("revoke", "let a key of a table no longer count", _revoke, "table", "vkey"))
    command.add_argument("--until", type=int, metavar="SIZE", help="it counts up to this size of its record")
    command = add("show", "the keys of all tables, and how far their records are verified", _show)
    command.add_argument("--json", action="store_true", help="one JSON object a line")
    add("policy", "the page of keys (C2SP tlog-policy): keys of tables and witnesses, and the quorum", _policy)
    add("note", "the newest note of a table that a quorum cosigned, for shoe-verify.py --notes", _note, "table")
    text = "the verified entries of a table, as shoe journal export has them, for shoe-verify.py"
    command = add("export", text, _export, "table")
    command.add_argument("--journal", metavar="ID", help="only this journal")
    command.add_argument("-o", "--output", type=file_to_write, metavar="FILE", help="(default: stdout)")
    command = add("prove", "the proof of one entry (.tlog-proof), for shoe-verify.py", _prove, "table")
    command.add_argument("entry", metavar="JOURNAL:SEQ|newest", help="an entry; the last one witnessed")
    command.add_argument("-o", "--output", type=file_to_write, metavar="FILE", help="(default: stdout)")
    command = add("incidents", "what should not be, and is not closed", _incidents)
    command.add_argument("--json", action="store_true", help="one JSON object a line")
    command = by_two(add("close", "close the incidents of a kind at a table", _close, "table", "kind"))
    command.add_argument("--why", type=reason, required=True, metavar="TEXT", help="what was found")


def _enrol(given: argparse.Namespace, store: Store, _: FloorConfig) -> Iterator[str]:
    from firmware_bridge.floor.verified.commands import enrol

    yield enrol(store, given.table, given.vkey, given.by, given.second)


def _revoke(given: argparse.Namespace, store: Store, _: FloorConfig) -> Iterator[str]:
    from firmware_bridge.floor.verified.commands import revoke

    yield revoke(store, given.table, given.vkey, given.until, given.by, given.second)


def _show(given: argparse.Namespace, store: Store, _: FloorConfig) -> Iterator[str]:
    from firmware_bridge.floor.verified.commands import shown

    return shown(store, as_json=given.json)


def _policy(_: argparse.Namespace, store: Store, config: FloorConfig) -> Iterator[str]:
    from firmware_bridge.floor.verified.quorum import page_of_keys

    return page_of_keys(config, [each.vkey for each in store.record_keys() if each.was_enrolled])


def _note(given: argparse.Namespace, store: Store, _: FloorConfig) -> Iterator[str]:
    from firmware_bridge.floor.verified.commands import witnessed_note

    yield witnessed_note(store, given.table).removesuffix("\n")


def _export(given: argparse.Namespace, store: Store, _: FloorConfig) -> Iterator[str]:
    from firmware_bridge.floor.store.commands import output
    from firmware_bridge.floor.verified.audit import behind
    from firmware_bridge.floor.verified.exported import Exported

    exported = Exported(store, given.table, given.journal)
    with output(given.output) as out:
        for line in exported.lines():
            out.write(text_of(line))
    for each in (*exported.left_out, *behind(store, given.table)):
        warn(each)
    warn(f"{exported.count} entries exported")
    yield from ()


def _prove(given: argparse.Namespace, store: Store, _: FloorConfig) -> Iterator[str]:
    from firmware_bridge.floor.store.commands import output
    from firmware_bridge.floor.verified.exported import proof

    made = proof(store, given.table, given.entry)
    with output(given.output) as out:
        out.write(made.text)
    warn(made.words)
    yield from ()


def _incidents(given: argparse.Namespace, store: Store, _: FloorConfig) -> Iterator[str]:
    from firmware_bridge.floor.verified.commands import incidents

    return incidents(store, as_json=given.json)


def _close(given: argparse.Namespace, store: Store, _: FloorConfig) -> Iterator[str]:
    from firmware_bridge.floor.verified.commands import close

    yield close(store, given.table, given.kind, given.by, given.second, given.why)
