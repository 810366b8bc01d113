"""`shoe journal list`, `show` and `export`: the record without sealed cards, for people here and outside."""

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from firmware_bridge.config.arguments import file_to_write
from firmware_bridge.config.plain import warn
from firmware_bridge.config.streams import print_json
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.book.notes import NOTES_BEFORE
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.printable import escaped
from firmware_bridge.games import GAMES
from firmware_bridge.journal.cursor import Cursor, read_cursor
from firmware_bridge.journal.files import chosen, file_name, files_in, journal_id
from firmware_bridge.journal.line import Line, NotWhole, Public, unseal, without_sealed
from firmware_bridge.journal.preallocate import content_size, is_fill
from firmware_bridge.journal.reader import Walk
from firmware_bridge.screen.words import counted, headline, named, remarks
from firmware_bridge.topics.texts.names import voided

LENGTHY: Final = ("type", "policy", "house", "digest", "settings")
"""Fields left out for people (`--json` has them)."""

MOMENTS: Final = ("since",)
"""Fields that are milliseconds since 1970."""

_DIGITS: Final = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{20,}\b")
"""Commitments and nonces, shortened for people."""

_encode = msgspec.json.Encoder().encode


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe journal show`."""
    parser.add_argument("journal", nargs="?", metavar="JOURNAL", help="file, id or number (default: the newest)")
    parser.add_argument("--seq", type=_range, default=(1, sys.maxsize), metavar="A-B", help="only these entries")
    parser.add_argument("--json", action="store_true", help="one JSON object per entry, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print the entries; return 0. Raises JournalError at the first line that cannot be trusted, and without one."""
    path = chosen(arguments.dir, [arguments.journal] if arguments.journal else [])[-1]
    first, last = arguments.seq
    walk, shown = Walk(path.name), 0
    with path.open("rb") as file:
        for line in walk.lines(file):
            if line.public.seq > last:
                break
            if line.public.seq >= first:
                _show(line, arguments.json)
                shown += 1
    if not shown:
        have = f"it has 1 to {walk.count}" if walk.count else "its first line is incomplete"
        raise JournalError(f"{path.name} has no entry {first} or later", have)
    return 0


def export_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe journal export`."""
    parser.add_argument("journal", metavar="JOURNAL", help="file, id or number")
    parser.add_argument("-o", "--output", type=file_to_write, metavar="FILE", help="(default: stdout)")


def export(arguments: argparse.Namespace) -> int:
    """Write the export; return 0. Raises JournalError at the first untrusted line; then no file is written."""
    (path,) = chosen(arguments.dir, [arguments.journal])
    walk = Walk(path.name)
    with path.open("rb") as file, _output(arguments.output, path) as out:
        for line in walk.lines(file):
            out.write(without_sealed(line))
    warn(f"{counted(walk.count, 'entry', 'entries')} exported, head {walk.count}:{walk.chain}")
    return 0


def lines_of(public: Public) -> list[str]:
    """Return the lines of an entry, one for each event, the first with number and time; safe to print on a terminal."""
    head = f"{public.seq:>5}  {local(datetime.fromisoformat(public.at))}"
    heads = [head] + [" " * len(head)] * (len(public.events) - 1)
    events = [from_json(raw) for raw in public.events]
    return [escaped(f"{head}  {event['type']:<18} {_words(event)}") for head, event in zip(heads, events, strict=True)]


def local(moment: datetime) -> str:
    """Return the local time with its offset from UTC."""
    here = moment.astimezone()
    return f"{here:%Y-%m-%d %H:%M:%S}.{here.microsecond // 1000:03} {here:%z}"


def _words(event: dict[str, Any]) -> str:
    """Return an event in words; as JSON where it has not the fields that this software knows it by."""
    with suppress(LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        return _in_words(event)
    return _encode(event).decode()


def _in_words(event: dict[str, Any]) -> str:
    if event["type"] in ("RoundClosed", "RoundCorrected"):
        return "  ".join(_result(event))
    if event["type"] == "RoundVoided":
        return f"round {event['round']}  VOID by {_act(event)}"
    if event["type"] == "Noted":
        event = _noted(event)
    fields = {name: value for name, value in event.items() if name not in LENGTHY and value not in (None, "", [], {})}
    return _DIGITS.sub(r"\1..", "  ".join(f"{name} {_value(name, value)}" for name, value in fields.items()))


def _noted(event: dict[str, Any]) -> dict[str, Any]:
    """Return a note with its English in place of code and values; one of a later version as it came."""
    if (english := NOTES_BEFORE.get(event.get("code", ""))) is None:
        return event
    rest = {name: value for name, value in event.items() if name not in ("code", "values")}
    return {"what": english.format(**event.get("values", {})), **rest}


def _value(name: str, value: Any) -> str:
    if name in MOMENTS and isinstance(value, int):
        return local(datetime.fromtimestamp(value / 1000, UTC))
    return value if isinstance(value, str) else _encode(value).decode()


def _result(event: dict[str, Any]) -> Iterator[str]:
    """Yield round, outcome with points, hands and remarks; `--json` has every bet."""
    yield f"round {event['round']}"
    yield headline(event)
    for name, hand in named(event["hands"]).items():
        yield f"{name} {' '.join(hand['cards'])}"
    if revision := event["revision"]:
        yield f"corrected by {_act(event)} (revision {revision} of entry {event['corrects']})"
    flags = [flag for flag in event["flags"] if flag != "corrected"]
    game = GAMES.get(event["game"])
    if game and (notes := remarks(game, event | event["own"] | {"flags": flags})):
        yield ", ".join(notes)


def _act(event: dict[str, Any]) -> str:
    """Return the people behind a void or a correction, and their reason."""
    people = " and ".join(name for name in (event["by"], event.get("second")) if name)
    is_void = event["type"] == "RoundVoided"
    why = voided("en", event["why"], event.get("reasons", ())) if is_void else event["why"]
    return f"{people}: {'; '.join(why)}"


def _show(line: Line, as_json: bool) -> None:
    """Print the public part; sealed values are not in it."""
    if as_json:
        shown = {"chain": line.chain} | from_json(_encode(line.public))
        print_json(_encode(shown).decode())
    else:
        print("\n".join(lines_of(line.public)))


@contextmanager
def _output(target: Path | None, source: Path) -> Iterator[BinaryIO]:
    """Yield the target of the export; a file appears whole or not at all."""
    if target is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if target.resolve().parent == source.resolve().parent:
        raise JournalError(
            f"{target} is in the directory of the journals",
            "export to another directory: this one belongs to the daemon",
        )
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as out:
            yield out
        fresh.replace(target)
    except OSError as error:
        raise JournalError(f"{target} cannot be written ({error.strerror})", "give another place with -o") from None
    finally:
        fresh.unlink(missing_ok=True)


def _range(text: str) -> tuple[int, int]:
    """Return the range in `5-9`, `5-` or `5`."""
    found = re.fullmatch(r"(\d{1,9})(-(\d{1,9})?)?", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of entries: write 5-9, 5- or 5")
    first = int(found[1])
    last = int(found[3]) if found[3] else sys.maxsize if found[2] else first
    if last < first:
        raise argparse.ArgumentTypeError(f"{text!r} ends before it begins: write the smaller number first")
    return first, last


TAIL: Final = 65_536
"""Bytes read from the end of a file; the last line is within them."""


def list_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe journal list`."""
    parser.add_argument("--json", action="store_true", help="one JSON object per journal, for programs")


def list_all(arguments: argparse.Namespace) -> int:
    """List the journals, oldest first; return 0. Raises JournalError if the directory cannot be read."""
    files = files_in(arguments.dir)
    cursor = read_cursor(arguments.dir / "cursor")
    rows = [_row(path, cursor, arguments.sizes.get(path.name)) for path in files]
    for row in rows:
        print(json.dumps(row) if arguments.json else escaped(_text(row)))
    if not rows:
        warn(f"no journal in {arguments.dir}")
    if rows and not arguments.json and rows[-1]["head"]:
        print(f"head {rows[-1]['head']}")
    return 0


def _row(path: Path, cursor: Cursor | None, size: int | None) -> dict[str, Any]:
    """Return a journal's summary from its first and last line; `verify` reads the middle. size: of what it copies."""
    first, last, fault = None, None, None
    try:
        first, last = _ends(path)
    except (JournalError, OSError) as error:
        fault = str(error)
    return {
        "journal": journal_id(path),
        "entries": last.public.seq if last else 0,
        "from": first.public.at if first else None,
        "to": last.public.at if last else None,
        "bytes": content_size(path) if size is None else size,
        "delivered": _delivered(path, last, cursor),
        "head": f"{last.public.seq}:{last.chain}" if last else None,
        "fault": fault,
    }


def _ends(path: Path) -> tuple[Line | None, Line | None]:
    """Return the first and the last whole line; None in a file with an unfinished first line."""
    with path.open("rb") as file:
        first = file.readline()
        if not first.endswith(b"\n") or is_fill(first):
            return None, None
        end = content_size(path)
        file.seek(max(0, end - TAIL))
        whole = [data for data in file.read(TAIL).split(b"\n") if not is_fill(data)]
    return unseal(first), _last(whole)


def _last(whole: list[bytes]) -> Line:
    """Return the last line, or the one before if it is not whole: the daemon may be writing it."""
    try:
        return unseal(whole[-1] + b"\n")
    except NotWhole:
        if len(whole) < 2:
            raise
        return unseal(whole[-2] + b"\n")


def _delivered(path: Path, last: Line | None, cursor: Cursor | None) -> int:
    """Return the number of entries acknowledged by the broker."""
    if cursor is None or last is None or path.name > file_name(cursor.journal):
        return 0
    return cursor.seq if path.name == file_name(cursor.journal) else last.public.seq


def _text(row: dict[str, Any]) -> str:
    if row["fault"]:
        return f"{row['journal']:<12} {row['fault']}"
    if not row["entries"]:
        return f"{row['journal']:<12} its first line is incomplete"
    waiting = row["entries"] - row["delivered"]
    sent = f"{waiting} not delivered" if waiting else "delivered"
    size = f"{row['bytes'] / 1000:.0f} kB"
    entries = counted(row["entries"], "entry", "entries")
    begin, end = (local(datetime.fromisoformat(row[name])) for name in ("from", "to"))
    return f"{row['journal']:<12} {begin} to {end}  {entries:>13}  {size:>7}  {sent}"
