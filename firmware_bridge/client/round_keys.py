"""Verifies the signature of round messages by the keys that a policy file names."""

from pathlib import Path
from typing import Final

from firmware_bridge.client.heads import signed_part
from firmware_bridge.client.payload import MessageError
from firmware_bridge.facts.decoding import Undecodable, text_in
from firmware_bridge.record.verify import Key, Refused, is_round_signed, parse_policy

MOST: Final = 100_000
"""Most tables with a remembered key; later ones are looked for among all keys again."""


class RoundKeys:
    """The keys of tables. Which of them signs for a table is learned from its first signed round, and stays so.

    any_record: a table may begin another record, with another of these keys. path: a file of C2SP tlog-policy, as
    `shoe-floor record policy` and the auditor have it; its lines `log` count.
    """

    def __init__(self, path: str | Path, *, any_record: bool = False) -> None:
        try:
            self.policy = parse_policy(text_in(Path(path)))
        except (Refused, OSError, Undecodable) as error:
            hint = "write `log VKEY` for each table, and `quorum none` (docs/backend.md)"
            raise MessageError(f"the keys in {path} cannot be read: {error}", hint) from None
        self._keys, self._any_record = self.policy.logs, any_record
        self._origins: dict[str, str] = {}

    def wrong(self, table: str, payload: bytes) -> str:
        """Return why a round message of a table does not count; "" for a good one."""
        if not signed_part(payload)[1]:
            return "it is not signed"
        known = self._origins.get(table)
        for key in self._likely(known):
            if is_round_signed(key.public, key.name, payload):
                if known not in (None, key.name) and not self._any_record:
                    return f"it is signed by {key.name}, but earlier rounds of the table by {known}"
                if len(self._origins) < MOST:
                    self._origins[table] = key.name
                return ""
        return "no key that is known signed it"

    def _likely(self, origin: str | None) -> list[Key]:
        """Return all keys, those of a record first."""
        return sorted(self._keys, key=lambda key: key.name != origin)
