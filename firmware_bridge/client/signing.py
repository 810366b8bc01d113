"""Signs orders and messages to tables with the key of a backend."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from firmware_bridge.errors import ConfigError
from firmware_bridge.record.envelope import wrapped
from firmware_bridge.record.signer import NoSigner, Signer, read_seed, signer


class Signing:
    """A key of a table's `[[orders]]`, and the last count that it has used. now_ms: ms since 1970."""

    def __init__(self, by: Signer, now_ms: Callable[[], float]) -> None:
        self.by, self.last = by, 0
        self._now_ms = now_ms

    def order(self, topic: str, payload: bytes, **claims: Any) -> bytes:
        """An order of `command` in its envelope, with the next count. claims: of `CLAIMS`."""
        self.last = max(self.last + 1, int(self._now_ms()))
        fields = msgspec.json.decode(payload) | claims | {"count": self.last}
        return wrapped(self.by, topic, msgspec.json.encode(fields).decode())

    def message(self, topic: str, payload: bytes) -> bytes:
        """A message of another topic in its envelope."""
        return wrapped(self.by, topic, payload.decode())


def signing(name: str, path: Path, now_ms: Callable[[], float]) -> Signing:
    """The key in a file, by the name that it has at the tables. now_ms: as for `Signing`. Raises ConfigError."""
    try:
        seed = read_seed(path)
        if seed is None:
            raise ConfigError(f"{path} is no key: it has not exactly 32 bytes", "make one: shoe-floor key new NAME")
        return Signing(signer(name, seed), now_ms)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", "make a key: shoe-floor key new NAME") from None
    except NoSigner as error:
        raise ConfigError(str(error), "install it: pip install PyNaCl") from None
