"""Bytes that nobody should send: known bad ones, and messages of the documents with something bad in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

DEEP: Final = 20_000
"""Brackets that no parser follows: the limit is near 1,000, with Python 3.13 near 10,000."""

NESTED: Final = (b"[" * 900 + b"]" * 900, b"[" * 3_000 + b"]" * 3_000)
"""What parsers follow, and programs may not."""

DIGITS: Final = b"7" * 5_000
"""More than Python turns into an integer (4,300)."""

BAD_VALUES: Final = (
    *(
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b'"\\ud800"',
        b'"\\u0000"',
        b'"\xe2\x80\xae\\n\\u001b[2J"',
        b'"../../../etc/passwd"',
    ),
    *(DIGITS, b"-" + DIGITS, b'"' + DIGITS + b'"', b"1e999", b"-1", b"0", b"1.5", b"NaN", b"9223372036854775808"),
    *(b"[" * DEEP + b"]" * DEEP, b'{"a":' * DEEP + b"1" + b"}" * DEEP, b"[" * DEEP, *NESTED),
    *(b"null", b"true", b"[]", b"{}", b'""', b'{"a":1,"a":2}', b'{"\xff":1}', b'[null,"\xff"]', b'"', b"\0", b""),
)
"""What may stand where a document has a value."""

ALONE: Final = (
    *(
        b"",
        b"\0",
        b"\0" * 64,
        b"\xff",
        b"\xff\xfe{\0}\0",
        b"\xef\xbb\xbf{}",
        b"\r\n",
        b" ",
        b"=",
        b"\n" * 50,
        b"-",
        b"{",
    ),
    *(b"\xf0\x9f\x82", bytes(range(256)), b"a" * 20_000, b"\t" * 100, DIGITS, b"[" * DEEP, "\u202e\u2066".encode()),
    *('{"a":1}'.encode("utf-16"), b"PK\x03\x04", b"\x1f\x8b\x08\0\0\0\0\0\0\3", b"%s%n", b"1 2 3", b"a = 1"),
    *(b"a = " + DIGITS, b"a = " + b"[" * DEEP, b"a = 0x" + b"f" * 40, b"a = 1e99999999999999999999"),
)
"""What may stand where a document is expected."""

_MARK: Final = "\ue000"


@cache
def examples() -> dict[str, tuple[bytes, ...]]:
    """The messages of docs/asyncapi.json by the topic they are of."""
    document = json.loads((Path(__file__).parents[2] / "docs" / "asyncapi.json").read_bytes())
    found: dict[str, list[bytes]] = {}
    for name, message in document["components"]["messages"].items():
        for each in message["examples"]:
            given = each["payload"]
            payload = given.encode() if isinstance(given, str) else json.dumps(given, separators=(",", ":")).encode()
            found.setdefault(name.partition(".")[0], []).append(payload)
    return {name: tuple(each) for name, each in found.items()}


def rubbish(seeds: Sequence[bytes], random: Random, count: int) -> Iterator[bytes]:
    """Yields what is bad alone, a good document with each bad value in it, then `count` that are spoiled anyhow."""
    yield from ALONE
    yield from BAD_VALUES
    for value in BAD_VALUES:
        yield _with_value(random.choice(seeds), value, random)
    for _ in range(count):
        yield spoiled(random.choice(seeds), random)


def spoiled(seed: bytes, random: Random) -> bytes:
    """A document with a bad value in the place of a good one, or with bytes changed, left out or added."""
    if random.random() < 0.7:
        return _with_value(seed, random.choice(BAD_VALUES), random)
    made = bytearray(seed)
    for _ in range(random.choice((1, 1, 2, 8))):
        at, more = random.randrange(len(made) + 1), random.choice((b"", random.randbytes(3), random.choice(BAD_VALUES)))
        made[at : at + random.choice((0, 1, 1, 9, 10_000))] = more
    return bytes(made)


def _with_value(seed: bytes, value: bytes, random: Random) -> bytes:
    """A document with this value in the place of another one: of JSON, else of a word of TOML, CSV or a signed note."""
    try:
        document = json.loads(seed) if random.random() < 0.8 else None
    except ValueError:
        document = None
    if places := list(_places(document)):
        parent, key = random.choice(places)
        parent[key] = _MARK
        if isinstance(parent, dict) and random.random() < 0.1:  # as a key
            parent[_MARK] = parent.pop(key)
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
        return text.replace(f'"{_MARK}"'.encode(), value)
    begin, end = random.choice([each.span() for each in _WORDS.finditer(seed)] or [(0, 0)])
    return seed[:begin] + value + seed[end:]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container with a key, or an index, of it."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in list(items):
        yield value, key
        yield from _places(each)


_WORDS: Final = re.compile(rb"[^=: ,\t\n]+")
