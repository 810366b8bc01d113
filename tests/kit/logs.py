"""A log of a shoe in memory: its leaves, its key, its notes and proofs, and forks of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firmware_bridge.floor.verified.proofs import Proofs
from firmware_bridge.record.signer import checkpoint_text, signed_note, signer
from firmware_bridge.record.verify import Key, leaf_hash


class Log:
    """A log with `count` entries; `seed` is of its key. Another `story` is another history under the same key."""

    def __init__(self, origin: str, count: int, seed: int = 1, story: str = "") -> None:
        self.origin, self._seed = origin, bytes([seed]) * 32
        self._signer = signer(origin, self._seed)
        self.hashes = [leaf_hash(f"{story} {n}".encode().rjust(32)) for n in range(count)]
        self._proofs = Proofs(Memory(self))

    @property
    def key(self) -> Key:
        return self._signer.key

    def seed_file(self, folder: Path) -> Path:
        """A file with the seed of its key."""
        (folder / "seed").write_bytes(self._seed)
        return folder / "seed"

    def note(self, size: int) -> str:
        """Its checkpoint over the first `size` entries."""
        return signed_note(checkpoint_text(self.origin, size, self.root(size)), [self._signer])

    def root(self, size: int) -> bytes:
        return self._proofs.root(self.origin, size)

    def proof(self, old: int, size: int) -> list[bytes]:
        return self._proofs.consistency(self.origin, old, size)

    def fork(self, at: int, story: str = "other") -> Log:
        """The same log up to entry `at` - 1, with another one there and all after it."""
        made = Log(self.origin, len(self.hashes), self._seed[0], story)
        made.hashes[: at - 1] = self.hashes[: at - 1]
        return made


class Memory:
    """The leaves of logs, as a store has them. `known`: origin -> how many of them it has, all without."""

    def __init__(self, *logs: Log) -> None:
        self._logs = {each.origin: each for each in logs}
        self.known: dict[str, int] = {}

    def size(self, origin: str) -> int:
        log = self._logs.get(origin)
        return self.known.get(origin, len(log.hashes)) if log else 0

    def leaves(self, origin: str, first: int, end: int) -> Sequence[bytes]:
        assert 0 <= first <= end <= self.size(origin)
        return self._logs[origin].hashes[first:end]
