"""The rows `[[forward]]` of `floor.toml`: the receivers of webhooks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from firmware_bridge.config.sections import Text
from firmware_bridge.config.toml_text import as_written
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.decoding import Undecodable, base64
from firmware_bridge.floor.page_config import is_loopback

Kind = Literal["round", "alarm", "entry", "dealer", "shoe", "order", "shift"]
"""What a message that makes facts is about."""

LEAST: Final = 24
"""Fewest bytes of a key."""

PREFIX: Final = "whsec_"
"""How a key in base64 begins."""

Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]


class ForwardRow(Struct, frozen=True, kw_only=True):
    """`[[forward]]`: a receiver of webhooks, to which `shoe-floor forward` sends what is stored.

    name: its name in the store, which keeps how far it is.
    url: where messages are posted.
    key_file: the file with the key that signs them; a name without a path is a credential of the unit.
    kinds: which messages it gets.
    begin: what it gets first: `start`, all that is stored and not compacted yet; `now`, what comes after it was first
    sent to.
    batch: most messages of a request; with 1 a request is one event and no list.
    answer_s: seconds that it has for an answer.
    ca: the file of the authority that signed its certificate; without it, those that this machine trusts.
    plain_http: whether a url with http may be of another machine, so that everybody between can read the messages.
    """

    name: Name
    url: Text
    key_file: Text
    kinds: tuple[Kind, ...] = ("round",)
    begin: Literal["start", "now"] = "start"
    batch: Annotated[int, Meta(ge=1, le=500)] = 100
    answer_s: Annotated[int, Meta(ge=1, le=300)] = 30
    ca: Text | None = None
    plain_http: bool = False


def of_forwards(rows: tuple[ForwardRow, ...]) -> Iterator[str]:
    """Yield error messages for `[[forward]]`."""
    seen = set[str]()
    for number, row in enumerate(rows, 1):
        where = f"[[forward]] number {number}:"
        if row.name in seen:
            yield f"{where} the name {row.name} stands there twice"
        seen.add(row.name)
        if not row.kinds:
            yield f'{where} kinds is empty: write kinds = ["round"]'
        if wrong := _wrong(row):
            yield f"{where} url = {wrong}"


def _wrong(row: ForwardRow) -> str:
    """Return what is wrong with an address; "" for a good one."""
    try:
        parts = urlsplit(row.url)
        is_good = bool(parts.hostname) and (parts.port or 1) > 0 and parts.scheme in ("http", "https")
    except ValueError:
        is_good = False
    if not is_good or parts.fragment or not row.url.isascii() or " " in row.url:
        return f"{as_written(row.url)}: write https://HOST/PATH"
    if "@" in parts.netloc:
        return "an address with user or password is not allowed: the signature says who sends"
    if parts.scheme == "http" and not is_loopback(parts.hostname or "") and not row.plain_http:
        return f"{as_written(row.url)}: http could be read on its way: write https://, or set plain_http = true"
    return ""


def key_of(row: ForwardRow, path: Path) -> bytes:
    """Return the key in a file: `whsec_` and base64, or the bytes as they are. Raises ConfigError."""
    try:
        found = path.read_bytes().strip()
    except OSError as error:
        raise ConfigError(f"[[forward]] {row.name}: {path}: {error.strerror}", "check key_file and its owner") from None
    if found.startswith(PREFIX.encode()):
        try:
            found = base64(found.removeprefix(PREFIX.encode()))
        except Undecodable:
            hint = "make one: echo whsec_$(openssl rand -base64 32)"
            raise ConfigError(f"[[forward]] {row.name}: the key is not in base64", hint) from None
    if len(found) < LEAST:
        hint = "make one: echo whsec_$(openssl rand -base64 32)"
        raise ConfigError(f"[[forward]] {row.name}: the key has {len(found)} bytes, {LEAST} are the fewest", hint)
    return found
