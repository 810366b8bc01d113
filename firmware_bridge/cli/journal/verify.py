"""`shoe journal verify`: whether the record is whole and unchanged."""

import argparse
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from firmware_bridge.cli.long_commands import Bar, Workers, jobs_option
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.decoding import Undecodable, text_in
from firmware_bridge.facts.printable import escaped
from firmware_bridge.journal.audit import Audit, Met, Verdict
from firmware_bridge.journal.files import chosen
from firmware_bridge.record.verify import Key, Refused, parse_policy
from firmware_bridge.screen.words import counted
from firmware_bridge.topics.before import as_written

BLOCK: Final = 8
"""Files in a task, at most: a process must also read the one before them."""

TASKS: Final = 4
"""Tasks for each process, at least, given enough files: no process is left alone at the end."""

T = TypeVar("T")


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe journal verify`."""
    parser.add_argument("journals", nargs="*", metavar="JOURNAL", help="files, ids or numbers (default: all)")
    parser.add_argument("--replay", action="store_true", help="process every input again and compare")
    parser.add_argument("--head", type=_head, metavar="SEQ:HASH", help="a head noted earlier")
    parser.add_argument("--json", action="store_true", help="one JSON object per journal, for programs")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="the page of keys that must have signed the record")
    jobs_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Verify files in order up to the first fault; return 0 if there is none, else 1.

    An open round that is not signed yet is no fault: a table in play has one.
    """
    keys = _keys(arguments.policy) if arguments.policy else ()
    whole, replay = not arguments.journals, arguments.replay
    audit = Audit(arguments.dir, arguments.head, whole=whole, replay=replay, keys=keys, as_written=as_written)
    paths = chosen(arguments.dir, arguments.journals)
    head, is_found = "", False
    with Bar("verified", sum(map(_size, paths))) as bar, Workers(min(arguments.jobs, len(paths))) as crew:
        for path, (verdict, met) in zip(paths, _verified(audit, paths, crew), strict=True):
            head, is_found = verdict.head or head, is_found or met.found
            bar.clear()
            print(json.dumps(verdict._asdict()) if arguments.json else _text(verdict))
            if verdict.fault:
                return 1
            bar.reach(bar.done + _size(path))
    audit.met = met._replace(found=is_found)
    if fault := audit.finish():
        print(json.dumps({"fault": fault}) if arguments.json else f"FAIL  {fault}")
        return 1
    if not arguments.json:
        print(f"head {head}")
        if behind := audit.behind():
            print(behind)
    return 0


def _keys(path: Path) -> tuple[Key, ...]:
    try:
        policy = parse_policy(text_in(path))
    except (Refused, Undecodable) as error:
        raise JournalError(f"{path}: {error}", "give the page of keys (C2SP tlog-policy)") from None
    if not policy.logs:
        raise JournalError(f"{path} names no log", "add the line `log` and what shoe key show prints")
    return policy.logs


def _verified(audit: Audit, paths: list[Path], workers: Workers) -> Iterator[tuple[Verdict, Met]]:
    """Yield the verdict on each file, and the audit's state after it."""
    if workers.jobs == 1:
        yield from _met(audit, paths)
        return
    block = max(1, min(BLOCK, len(paths) // (TASKS * workers.jobs)))
    for begin in range(0, len(paths), block):
        before = paths[begin - 1] if begin else None
        yield from workers.start(partial(_block, audit, before, paths[begin : begin + block]))
    yield from workers.finish()


def _block(audit: Audit, before: Path | None, paths: list[Path]) -> Iterator[tuple[Verdict, Met]]:
    """Yield the verdicts on files after `before`, or only its fault, which its own task reports first."""
    if before and (fault := _checked(audit.follow, before)):
        yield fault, audit.met
    else:
        yield from _met(audit, paths)


def _met(audit: Audit, paths: list[Path]) -> Iterator[tuple[Verdict, Met]]:
    return ((_checked(audit.verify, path), audit.met) for path in paths)


def _checked(check: Callable[[Path], T], path: Path) -> T | Verdict:
    """Return the result of a check, or the verdict on a file that fails it."""
    try:
        return check(path)
    except JournalError as error:
        return Verdict(path.name, fault=str(error))
    except OSError as error:
        return Verdict(path.name, fault=f"{path}: {error.strerror}; put sudo before the command, or restore the file")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # reported in its verdict


def _text(verdict: Verdict) -> str:
    good = f"OK    {verdict.file}: {counted(verdict.entries, 'entry', 'entries')}, {', '.join(verdict.proved)}"
    last = f"FAIL  {verdict.fault}" if verdict.fault else good
    return "\n".join(map(escaped, [*(f"WARN  {text}" for text in verdict.warnings), last]))


def _head(text: str) -> tuple[int, str]:
    found = re.fullmatch(r"(\d{1,9}):([0-9a-fA-F]{64})", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not a head: write SEQ:HASH as printed by `shoe journal list`")
    return int(found[1]), found[2].lower()
