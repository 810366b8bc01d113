"""The people who may sign in to the page: a file with a row each, and passwords as scrypt leaves them."""

import json
import os
import secrets
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import scrypt
from hmac import compare_digest
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

import msgspec

from firmware_bridge.config.whole_file import locked
from firmware_bridge.errors import BridgeError, ConfigError
from firmware_bridge.facts.decoding import Undecodable, base64, from_json
from firmware_bridge.facts.names import REMEDY, one_person, unfit
from firmware_bridge.facts.printable import escaped

Role = Literal["look", "act"]
"""What a person may do: see all tables; send orders too."""

ROLES: Final[tuple[Role, ...]] = get_args(Role)

N, R, P = 2**15, 8, 3
"""Cost of scrypt (OWASP's choice for 32 MiB): a quarter of a second of one core."""

MEMORY: Final = 64 * 1024 * 1024
LONGEST_NAME: Final = 32
SHORTEST, LONGEST = 10, 1024
"""Fewest and most characters of a password."""

_DUMMY: Final = b"no such person, as long to try as one that is there"


ANOTHER_FILE: Final = "try it with sudo, or name another file in floor.toml"


class PeopleError(BridgeError, ValueError):
    """A person that cannot be added, or removed."""


class Person(NamedTuple):
    """A person. salt, hashed: of the password; empty for one who signs in elsewhere."""

    name: str
    role: Role
    salt: bytes = b""
    hashed: bytes = b""


class _Row(msgspec.Struct, frozen=True):
    name: str
    role: Role
    salt: str = ""
    hashed: str = ""


class People:
    """The people in a file, read again when it has changed. Raises ConfigError for one that cannot be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        self._people: dict[str, Person] = {}

    def __getitem__(self, name: str) -> Person | None:
        """Return the person of a name, whatever its case; None for none."""
        return self.all().get(name.casefold())

    def all(self) -> dict[str, Person]:
        """Return everybody, by name."""
        stamp = stamp_of(self._path)
        if stamp != self._stamp:
            self._people = _read(self._path) if stamp else {}
            self._stamp = stamp
        return self._people

    def verified(self, name: str, password: str) -> Person | None:
        """Return the person, if this is the password. Takes as long for a name that is not there."""
        found = self[name]
        salt, wanted = (found.salt, found.hashed) if found and found.hashed else (_DUMMY, bytes(32))
        is_right = compare_digest(_hashed(password, salt), wanted)
        return found if found and found.hashed and is_right else None

    def add(self, name: str, role: Role, password: str | None) -> bool:
        """Add a person, or replace one; return whether he was there. password: None for one who signs in elsewhere.

        Raises PeopleError for a name or a password that is not good enough.
        """
        verify(name, password, is_new=self[name] is None)
        salt = secrets.token_bytes(16)
        person = Person(name, role, *((salt, _hashed(password, salt)) if password is not None else ()))
        with alone(self._path):
            people = dict(self.all())
            was_there = name.casefold() in people
            like = next((each for each in people.values() if one_person(each.name, name)), None)
            if like and not was_there:
                raise PeopleError(f"the name looks like {escaped(like.name)}, who is there", REMEDY)
            people[name.casefold()] = person
            _write(self._path, people)
        return was_there

    def remove(self, name: str) -> None:
        """Remove a person; his sessions end. Raises PeopleError if there is none of this name."""
        with alone(self._path):
            people = dict(self.all())
            if people.pop(name.casefold(), None) is None:
                raise PeopleError(f"there is no {escaped(name)}", "shoe-floor user list shows all")
            _write(self._path, people)


def verify(name: str, password: str | None, *, is_new: bool) -> None:
    """Raise PeopleError for a new name, or a password, that is not good enough."""
    if not name.strip() or name != name.strip():
        what = "the name is empty, or begins or ends with a blank"
        raise PeopleError(what, f"write at most {LONGEST_NAME} printable characters")
    if is_new and (wrong := unfit(name, LONGEST_NAME)):
        raise PeopleError(f"the name {wrong}", REMEDY)
    if password is None:
        return
    if not SHORTEST <= len(password) <= LONGEST:
        raise PeopleError(f"a password has {SHORTEST} to {LONGEST} characters", "choose a longer one: four words do")
    if password.casefold() in (name.casefold() * 4, name.casefold()):
        raise PeopleError("the password is the name", "choose another one")


def stamp_of(path: Path) -> tuple[int, int, int] | None:
    """Return what changes when a file does; None without one. Raises ConfigError if it cannot be read."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", "let the user of shoe-floor page read it") from None
    return found.st_mtime_ns, found.st_ino, found.st_size


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold off other writers of a file for the block. Raises ConfigError."""
    try:
        with locked(path.parent):
            yield
    except OSError as error:
        what = f"{path} cannot be written ({error.strerror})"
        raise ConfigError(what, ANOTHER_FILE) from None


def write_private(path: Path, document: Any) -> None:
    """Write JSON to a file that only its owner, that of the directory, may read; atomically. Raises ConfigError."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        owner = path.parent.stat()
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as out:
            json.dump(document, out, ensure_ascii=False, indent=1)
            out.write("\n")
            out.flush()
            os.fsync(out.fileno())
        if os.geteuid() == 0:
            os.chown(fresh, owner.st_uid, owner.st_gid)
        fresh.replace(path)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        what = f"{path} cannot be written ({error.strerror})"
        raise ConfigError(what, ANOTHER_FILE) from None


def _hashed(password: str, salt: bytes) -> bytes:
    return scrypt(password.encode("utf-8", "surrogatepass"), salt=salt, n=N, r=R, p=P, maxmem=MEMORY, dklen=32)


def _read(path: Path) -> dict[str, Person]:
    try:
        rows = from_json(path.read_bytes(), list[_Row])
        people = [Person(each.name, each.role, base64(each.salt), base64(each.hashed)) for each in rows]
    except (OSError, Undecodable) as error:
        raise ConfigError(f"{path}: {error}", "write it with shoe-floor user add") from None
    return {each.name.casefold(): each for each in people}


def _write(path: Path, people: dict[str, Person]) -> None:
    rows = [
        {"name": each.name, "role": each.role, "salt": _text(each.salt), "hashed": _text(each.hashed)}
        for each in sorted(people.values())
    ]
    write_private(path, rows)


def _text(value: bytes) -> str:
    return b64encode(value).decode()
