"""The key of a witness: made once, shown to the logs that it watches."""

import os
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from firmware_bridge.errors import BridgeError, ConfigError
from firmware_bridge.record.signer import SEED_BYTES, NoSigner, Signer, read_seed, signer
from firmware_bridge.record.verify import COSIGNATURE, key_of

CREDENTIAL: Final = Path("/etc/credstore/shoe-floor.witness-key")
"""Where systemd finds the key for the unit: owned by root, mode 0600."""


class NoKey(BridgeError):
    """A key that cannot be made."""


def key_file(name: str) -> Path:
    """Return a key's file. A name without a path: a credential of the running unit, else the file it is taken from."""
    given = os.environ.get("CREDENTIALS_DIRECTORY")
    return Path(given, name) if given else CREDENTIAL.parent / (name if "/" in name else f"shoe-floor.{name}")


def make(path: Path, *, if_none: bool = False) -> str:
    """Make a key that is there whole or not at all; return what was done. Raises NoKey: one that is there stays."""
    if path.exists():
        if if_none:
            return f"{path} is there already"
        raise NoKey(f"{path} is there already", "a witness with a new key needs a new name, and a new [witness] path")
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(secrets.token_bytes(SEED_BYTES))
            file.flush()
            os.fsync(file.fileno())
        os.link(new, path)  # never over a key that came in between
    except FileExistsError:
        raise NoKey(f"{path} is there already", "another program made it just now") from None
    except OSError as error:
        raise NoKey(f"{path} cannot be written ({error.strerror})", "put sudo before the command") from None
    finally:
        with suppress(OSError):
            new.unlink()
    return f"{path} is made"


def load(name: str, path: Path) -> Signer:
    """Return the key in a file, under the name of the witness. Raises ConfigError."""
    try:
        seed = read_seed(path)
    except OSError as error:
        hint = "make it: sudo shoe-floor witness key new"
        raise ConfigError(f"[witness] key_file {path}: {error.strerror}", hint) from None
    if seed is None:
        raise ConfigError(f"[witness] key_file {path} does not hold {SEED_BYTES} bytes", "put back the right file")
    try:
        made = signer(name, seed)
    except NoSigner as error:
        raise ConfigError(
            str(error), "sudo scripts/install --floor installs it; in a clone: pip install PyNaCl"
        ) from None
    return Signer(key_of(name, COSIGNATURE, made.key.public), made.sign)


def fingerprint(vkey: str) -> str:
    """Return five groups of four hex digits, to be read aloud: the beginning of the key's SHA-256."""
    digits = sha256(vkey.encode()).hexdigest()[:20]
    return " ".join(digits[n : n + 4] for n in range(0, 20, 4))
