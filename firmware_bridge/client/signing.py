"""Signs orders and messages to tables with the key of a backend."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.bounds import MOST
from firmware_bridge.facts.decoding import from_json, text_of
from firmware_bridge.record.envelope import wrapped
from firmware_bridge.record.signer import NoSigner, Signer, read_seed, signer

OLD: Final = "old_count"
AHEAD: Final = "count_ahead"
"""Codes of a table that refuses the count of an order."""


class Signing:
    """A key of tables' `[[orders]]`, and the last count that it has used at each. now_ms: ms since 1970."""

    def __init__(self, by: Signer, now_ms: Callable[[], float]) -> None:
        self.by = by
        self._last: dict[str, int] = {}
        self._now_ms = now_ms

    def order(self, topic: str, payload: bytes, **claims: Any) -> bytes:
        """Return an order of `command` in its envelope, with the next count. claims: of `CLAIMS`."""
        count = self._last[topic] = max(self._last.get(topic, 0) + 1, int(self._now_ms()))
        fields = from_json(payload) | claims | {"count": count}
        return wrapped(self.by, topic, msgspec.json.encode(fields).decode())

    def go_on(self, topic: str, code: str | None, last: int | None) -> None:
        """Go on from what the table of a topic answered. code: of its refusal. last: the count that it took last."""
        if last is None or code not in (OLD, AHEAD):
            return
        last = min(max(last, 0), MOST - 1)
        if code == OLD:
            last = max(last, self._last.get(topic, 0))  # where it is AHEAD, this clock was, and may be right now
        self._last[topic] = last

    def message(self, topic: str, payload: bytes) -> bytes:
        """Return a message of another topic in its envelope."""
        return wrapped(self.by, topic, text_of(payload))


def signing(name: str, path: Path, now_ms: Callable[[], float]) -> Signing:
    """Return the key in a file, by the name that it has at the tables. now_ms: as for `Signing`. Raises ConfigError."""
    try:
        seed = read_seed(path)
        if seed is None:
            raise ConfigError(f"{path} is no key: it has not exactly 32 bytes", "make one: shoe-floor key new NAME")
        return Signing(signer(name, seed), now_ms)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", "make a key: shoe-floor key new NAME") from None
    except NoSigner as error:
        raise ConfigError(str(error), "install it: pip install PyNaCl") from None
