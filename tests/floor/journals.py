"""Messages as a table publishes them, read off a journal line made by the real shoe."""

from collections.abc import Iterable
from pathlib import Path

from firmware_bridge.floor.record.message import Row, row
from firmware_bridge.floor.store import Store
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.messages import OutMessage, messages
from firmware_bridge.journal.reader import Place, read_lines

AT = "2026-11-20T21:33:05.123Z"

Kept = dict[tuple[object, ...], object]


def published(directory: Path) -> list[OutMessage]:
    """Every message that the journals in a directory make."""
    lines = (line for path in journal_files(directory) for line, _ in read_lines(Place(path, 0)))
    return [each for line in lines for each in messages(line)]


def made(messages: Iterable[OutMessage], table: str = "T07") -> Kept:
    """Key -> bytes, as a store should have them."""
    return {(each.topic, table, each.journal, each.seq, each.n): each.payload.decode() for each in messages}


def kept(store: Store) -> Kept:
    """Key -> bytes, as a store has them."""
    return {each[:5]: each[-1] for each in store.rows("messages", None, None)}


def event(seq: int, n: int = 1, of: int = 1, *, kind: str = "Confirmed", journal: str = "3-5ad1", shoe: int = 3) -> Row:
    """An event message of table T07."""
    body = (
        f'{{"v":1,"table":"T07","shoe":{shoe},"journal":"{journal}","seq":{seq},"at":"{AT}","boot":"5c1e",'
        f'"n":{n},"of":{of},"event":{{"type":"{kind}"}}}}'
    )
    return row("event", "T07", body.encode(), AT)


def round_of(
    seq: int, number: int, *, revision: int = 0, status: str = "closed", prev: str = "null", journal: str = "3-5ad1"
) -> Row:
    """A round message of table T07, as far as a store looks into it."""
    body = (
        f'{{"v":1,"table":"T07","shoe":3,"journal":"{journal}","seq":{seq},"at":"{AT}","boot":"5c1e","n":1,"of":1,'
        f'"game":"baccarat","round":{number},"status":"{status}","revision":{revision},"prev":{prev}}}'
    )
    return row("round", "T07", body.encode(), AT)
