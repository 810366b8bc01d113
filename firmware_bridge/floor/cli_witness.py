"""The commands of `shoe-floor witness`, as they are read and carried out."""

import argparse
from pathlib import Path
from typing import Any, Final

from firmware_bridge.config.arguments import Exit
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import need

WITNESS: Final = Path("/etc/firmware-bridge/witness.toml")


def _witness(arguments: argparse.Namespace, config: Any) -> int:
    need("uvicorn", "floor")
    from firmware_bridge.floor.witness.service import run

    return run(config)


def _load_witness(path: Path) -> Any:
    from firmware_bridge.floor.witness.config import load

    return load(path)


def _witness_key_new(arguments: argparse.Namespace, config: None) -> int:
    from firmware_bridge.floor.witness.keys import CREDENTIAL, make

    print(make(arguments.file or CREDENTIAL, if_none=arguments.if_none))
    return Exit.FINE


def _witness_key_show(arguments: argparse.Namespace, config: Any) -> int:
    from firmware_bridge.floor.witness.keys import fingerprint, key_file, load

    vkey = load(config.witness.name, key_file(config.witness.key_file)).key.vkey
    print(f"{vkey}\nfingerprint  {fingerprint(vkey)}")
    return Exit.FINE


def _witness_evidence(arguments: argparse.Namespace, config: Any) -> int:
    from firmware_bridge.floor.witness.keeper import Keeper

    keeper = Keeper(Path(config.witness.path), make=False)
    try:
        kept = keeper.evidence()
    finally:
        keeper.close()
    for each in kept:
        print(each.as_json() if arguments.json else escaped(each.in_words()))
    return Exit.FAILED if kept else Exit.FINE


def add_witness(commands: Any) -> None:
    """Add `witness`, which is a service, with its own commands."""

    def add(to: Any, name: str, text: str, run: object, load: object = _load_witness) -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = to.add_parser(name, help=text, description=text)
        command.set_defaults(run=run, load=load, default=WITNESS)
        return command

    text = "cosign the checkpoints of tables (a service, under systemd)"
    witness = with_config(add(commands, "witness", text, _witness), WITNESS)
    parts = witness.add_subparsers(dest="part", metavar="PART")
    key = parts.add_parser("key", help="the key of this witness", description="the key of this witness")
    actions = key.add_subparsers(dest="action", metavar="ACTION", required=True)
    text = "make the key, once"
    new = add(actions, "new", text, _witness_key_new, lambda _: None)
    new.add_argument("--file", type=Path, metavar="FILE", help="(default: /etc/credstore/shoe-floor.witness-key)")
    new.add_argument("--if-none", action="store_true", help="do nothing where there is a key")
    text = "the public key, for the [[witness]] of those who feed it"
    with_config(add(actions, "show", text, _witness_key_show), WITNESS)
    text = "what it refused to cosign as another history; exit code 1 where there is any"
    evidence = with_config(add(parts, "evidence", text, _witness_evidence), WITNESS)
    evidence.add_argument("--json", action="store_true", help="one JSON object a line, with the requests and notes")


def with_config(command: argparse.ArgumentParser, default: Path) -> argparse.ArgumentParser:
    """Add --config, without a default of its own: so it keeps one that stands before the command."""
    command.add_argument("--config", type=Path, default=argparse.SUPPRESS, metavar="FILE", help=f"(default: {default})")
    return command
