"""`shoe journal verify`: whether the record is whole and unchanged."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from firmware_bridge.errors import JournalError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.journal.verify.audit import Audit, Verdict
from firmware_bridge.journal.verify.chosen import chosen


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe journal verify`."""
    parser.add_argument("journals", nargs="*", metavar="JOURNAL", help="files, ids or numbers (default: all)")
    parser.add_argument("--replay", action="store_true", help="judge every input again and compare")
    parser.add_argument("--head", type=_head, metavar="SEQ:HASH", help="a chain value written down earlier")
    parser.add_argument("--json", action="store_true", help="one JSON object per journal, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Verify in order up to the first fault; 0 if there is none, else 1."""
    audit = Audit(arguments.dir, arguments.head, whole=not arguments.journals, replay=arguments.replay)
    head = ""
    for path in chosen(arguments.dir, arguments.journals):
        verdict = _verdict(audit, path)
        head = verdict.head or head
        print(json.dumps(verdict._asdict()) if arguments.json else _text(verdict))
        if verdict.fault:
            return 1
    if fault := audit.finish():
        print(json.dumps({"fault": fault}) if arguments.json else f"FAIL  {fault}")
        return 1
    if not arguments.json:
        print(f"head {head}")
    return 0


def _verdict(audit: Audit, path: Path) -> Verdict:
    try:
        return audit.verify(path)
    except JournalError as error:
        return Verdict(path.name, fault=str(error))
    except OSError as error:
        return Verdict(path.name, fault=f"{path}: {error.strerror}; put sudo before the command, or restore the file")


def _text(verdict: Verdict) -> str:
    good = f"OK    {verdict.file}: {verdict.entries} entries, {', '.join(verdict.proved)}"
    last = f"FAIL  {verdict.fault}" if verdict.fault else good
    return "\n".join(map(escaped, [*(f"WARN  {text}" for text in verdict.warnings), last]))


def _head(text: str) -> tuple[int, str]:
    found = re.fullmatch(r"(\d{1,9}):([0-9a-fA-F]{64})", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no head: write SEQ:HASH as `shoe journal list` prints it")
    return int(found[1]), found[2].lower()
