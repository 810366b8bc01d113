"""The addresses of guests' screens: a file with the secret of each table.

The secrets are kept as they are, not as hashes: the address of a screen that is replaced can be read again, without
a new one for all other screens of its table. A reader of the file gets no more than what guests see.
"""

import re
import secrets
from collections.abc import Iterable
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import quote

import msgspec

from firmware_bridge.errors import BridgeError, ConfigError
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.page.people import alone, stamp_of, write_private

BYTES: Final = 16
"""Random bytes of a secret: 128 bits, 22 characters."""

NAME: Final = re.compile(r"[^\x00-\x20/+#$\x7f-\x9f]{1,64}")
"""Valid name of a table in a topic."""

_DUMMY: Final = "no table has this secret"


class AddressError(BridgeError, ValueError):
    """A screen that cannot have an address."""


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    table: str
    secret: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{22}\Z")]


class Addresses:
    """The secrets in a file, read again when it has changed. Raises ConfigError for one that cannot be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        self._secrets: dict[str, str] = {}

    def all(self) -> dict[str, str]:
        """Return table -> the secret of its screens."""
        stamp = stamp_of(self._path)
        if stamp != self._stamp:
            self._secrets = _read(self._path) if stamp else {}
            self._stamp = stamp
        return self._secrets

    def opens(self, table: str, secret: str) -> bool:
        """Return whether it is the secret of this table. Takes as long for a table that has none."""
        known = self.all()
        return compare_digest(_hashed(known.get(table, _DUMMY)), _hashed(secret)) and table in known

    def complete(self, tables: Iterable[str]) -> dict[str, str]:
        """Make the secrets of those that have none; return all."""
        with alone(self._path):
            known = self.all()
            if fresh := {each: _fresh() for each in tables if each not in known}:
                self._write(known | fresh)
            return self.all()

    def rotate(self, table: str) -> str:
        """Renew a table's secret; return it. The old one opens nothing more. Raises AddressError for a wrong name."""
        if not NAME.fullmatch(table):
            raise AddressError(f"{escaped(table)} is no name of a table", "write it as in its bridge.toml: T07")
        with alone(self._path):
            self._write(self.all() | {table: _fresh()})
            return self.all()[table]

    def _write(self, known: dict[str, str]) -> None:
        write_private(self._path, [{"table": table, "secret": known[table]} for table in sorted(known)])


def path_of(table: str, secret: str) -> str:
    """Return the path of a table's screen."""
    return f"/screen/{quote(table, safe='')}/{secret}"


def _fresh() -> str:
    return secrets.token_urlsafe(BYTES)


def _hashed(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _read(path: Path) -> dict[str, str]:
    try:
        rows = from_json(path.read_bytes(), list[_Row])
    except (OSError, Undecodable) as error:
        raise ConfigError(f"{path}: {error}", "remove it; shoe-floor screens makes new addresses") from None
    return {each.table: each.secret for each in rows}
