"""Signs the record with a device's Ed25519 key: checkpoints as C2SP signed notes, and `round` messages."""

import base64
import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.record.tiles import sync_path
from firmware_bridge.record.verify import ED25519, Key, key_of, round_bytes

SEED_BYTES: Final = 32


class Signer(NamedTuple):
    """A key that signs. key: its public half, named by the origin of its log; sign: 64 bytes for a message."""

    key: Key
    sign: Callable[[bytes], bytes]


class NoSigner(ValueError):
    """No signature can be made: the message says why."""


def read_seed(path: Path) -> bytes | None:
    """Return the secret half of a key in a file; None where it does not hold exactly `SEED_BYTES`. Raises OSError."""
    with path.open("rb") as file:
        seed = file.read(SEED_BYTES + 1)
    return seed if len(seed) == SEED_BYTES else None


def write_seed(path: Path) -> None:
    """Make a key in a file that only its owner reads: there whole, or not at all. Raises FileExistsError, OSError."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(secrets.token_bytes(SEED_BYTES))
            file.flush()
            os.fsync(file.fileno())
        os.link(new, path)  # fails where there is a key by now
        sync_path(path.parent)
    finally:
        with suppress(OSError):
            new.unlink()


def signer(origin: str, seed: bytes) -> Signer:
    """Return the key with this seed, under the name of a log. Raises NoSigner without a library that signs."""
    try:
        from nacl.bindings import crypto_sign, crypto_sign_seed_keypair
    except ImportError:
        raise NoSigner("PyNaCl is not installed") from None
    public, secret = crypto_sign_seed_keypair(seed)
    return Signer(key_of(origin, ED25519, public), lambda message: bytes(crypto_sign(message, secret)[:64]))


def signed_note(text: str, signers: Sequence[Signer]) -> str:
    """Return the note of a text that ends with LF: a signature line for each key."""
    lines = [f"\u2014 {each.key.name} {_base64(each.key.id + each.sign(text.encode()))}\n" for each in signers]
    return f"{text}\n{''.join(lines)}"


def checkpoint_text(origin: str, size: int, root: bytes) -> str:
    """Return what a log says of its tree (C2SP tlog-checkpoint), to be signed."""
    return f"{origin}\n{size}\n{_base64(root)}\n"


def signed_round(by: Signer, payload: bytes) -> str:
    """Return the `sig` of a `round` message, base64. payload: the message without it."""
    return _base64(by.sign(round_bytes(by.key.name, payload)))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
