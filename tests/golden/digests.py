"""Golden digests of all that the core says: proof that code was moved and renamed, and that nothing else changed.

Scenarios (tests/golden/play.py) are played by seeded chance. What comes out is digested part by part, byte by
byte as it is written and sent (`steady` says what alone is left out):

- `journal`: each line, the public and the sealed part; inputs of which nothing became true;
- `messages`: the topics `event` and `round`;
- `table`, `roads`, `lamps`, `alarm`: the state topics after each input (`lamps` with the signals driven);
- `clock`: the moment the shoe waits for; `status`: mode, last rounds and disclosed cards;
- `replay`: what the command `shoe replay` prints.

`golden.txt` holds a row of digests per scenario: what differs names the scenario and the part. It proves that the same
inputs give the same bytes as when it was written; not that these are right. To see what differs:
`python -m tests.golden NAME > now.txt`, the same in a checkout from before, and `diff`.

When behaviour was changed on purpose: `python -m tests.golden --write` renews all rows, `--write PART ..` those
parts only and nothing where another part differs. `--coverage` tells what the scenarios reach.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import msgspec

from tests.kit import wire

SECTOR: Final = 512

ROWS: Final = Path(__file__).with_name("golden.txt")
PARTS: Final = ("journal", "messages", "table", "roads", "lamps", "alarm", "clock", "status", "replay")
DIGITS: Final = 12

# ---------------------------------------------------------------- what is digested

_RELEASE: Final = re.compile(rb'"version":"[^"]*","digest":"[0-9a-f]{64}"|"head":"[0-9a-f]{64}"')
_validated: Final[set[str]] = set()
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


def steady(raw: bytes) -> bytes:
    """The bytes without what each release changes: version and digest of `ShoeOpened`, and with them every chain."""
    return _RELEASE.sub(b'"":""', raw)


class Tape:
    """Digests what a scenario says, part by part; `texts` also keeps it in words. now: the state topics."""

    def __init__(self, texts: list[str] | None = None) -> None:
        self.texts = texts
        self.reached: Counter[tuple[str, ...]] = Counter()
        self.now: dict[str, Any] = {"table": {"phase": "empty", "due": None, "round": 0}, "alarm": {"open": []}}
        self._hashes = {part: sha256() for part in PARTS}
        self._said: dict[str, bytes] = {}
        self._used: set[str] = set()
        self._steps, self._chain = 0, b""

    @property
    def digests(self) -> tuple[str, ...]:
        """One for each of the parts; `-` where nothing was said."""
        return tuple(self._hashes[part].hexdigest()[:DIGITS] if part in self._used else "-" for part in PARTS)

    def say(self, part: str, value: Any, at: bytes = b"") -> None:
        """Something came out, `at` some step."""
        data = value if isinstance(value, bytes) else _encode(value)
        self._used.add(part)
        self._hashes[part].update(at + data + b"\n")
        if self.texts is not None:
            self.texts.append(f"{part:<8} {data.decode()}")

    def judged(self, raw: bytes, is_journaled: bool) -> None:
        """An input was judged: where nothing became true of it, that is worth a word too."""
        fact = _decode(raw)
        self.reached["cell", kind_of(fact), self.now["table"]["phase"]] += 1
        self.reached["input", fact["type"]] += 1
        if not is_journaled:
            self.say("journal", b"nothing " + raw)

    def line(self, data: bytes, chain_before: str) -> None:
        """A line of the journal; its checksum and its chain follow from the rest."""
        version, checksum, chain, shown, hidden, proof = data.rstrip(b" \n").split(b"\t")
        assert data.endswith(b"\n")
        assert len(data) % SECTOR == 0
        assert checksum == b"%08x" % crc32(version + b"\t".join((chain, shown, hidden, proof)))
        sealed_hash = sha256(hidden).hexdigest()
        assert chain == sha256((chain_before + sealed_hash).encode() + shown).hexdigest().encode()
        self._chain = chain
        self._reach(_decode(shown)["events"])
        self.say("journal", b"\t".join((version, steady(shown), hidden)))

    def message(self, topic: str, n: int, payload: bytes) -> None:
        """A message of the topics `event` and `round`; its `head` is the chain of its line."""
        self._validate(topic, payload)
        assert b'"head":"%b"' % self._chain in payload
        self.say("messages", b"%b %d %b" % (topic.encode(), n, steady(payload)))

    def states(self, topics: dict[str, Any], **more: Any) -> None:
        """The state topics after an input, and what else can be read off the shoe, where they changed."""
        self._steps += 1
        for name, value in (topics | more).items():
            if (raw := _encode(value)) != self._said.get(name):
                self._said[name], self.now[name] = raw, _decode(raw)
                self.say("lamps" if name == "signals" else name, raw, b"%d " % self._steps)

    def _validate(self, topic: str, payload: bytes) -> None:
        """The first of each kind is as its schema says: thousands more are of the same code."""
        plain = _decode(payload)
        name = wire.kind(topic, plain)
        if name not in _validated:
            _validated.add(name)
            assert wire.fault(topic, plain) is None

    def _reach(self, events: list[dict[str, Any]]) -> None:
        for event in events:
            self.reached["event", event["type"]] += 1
            if "digest" in event:  # that of what a shoe is judged by, which is published with it
                judged_by = [event["house"], event["policy"], event["version"]]
                assert event["digest"] == sha256(_encode(judged_by)).hexdigest()
            if event["type"] == "Irregular":
                self.reached["irregular", event["id"]] += 1
            if event["type"] == "IrregularityClosed":
                self.reached["closed", event["id"], event["choice"]] += 1
            if event["type"] in ("KeyRefused", "CommandAnswered"):
                refused = event.get("answer", event)
                self.reached["refused", f"{refused.get('code', '')} {refused.get('values', '')}"] += 1


def kind_of(fact: dict[str, Any]) -> str:
    """The row of the table of judges that an input belongs to."""
    match fact:
        case {"type": "Ordered", "order": {"do": "reveal"}}:
            return "reveal_order"
        case {"type": "Ordered", "order": {"do": order}}:
            return str(order)
        case {"type": "Pressed", "key": key}:
            return str(key)
        case {"type": "DeviceLost" | "DeviceBack" as what, "device": device}:
            return f"{device}_{'lost' if what == 'DeviceLost' else 'back'}"
    return str(fact["type"])


# ---------------------------------------------------------------- the rows

Rows = dict[str, tuple[str, ...]]


def known() -> Rows:
    """The rows as written."""
    lines = ROWS.read_text("ascii").splitlines()[1:]
    return {name: tuple(digests) for name, *digests in map(str.split, lines)}


def differences(now: Rows, before: Rows) -> list[str]:
    """`scenario: part part` for each row of either that differs."""
    return [
        f"{name}: {' '.join(_parts(now.get(name), before.get(name)))}"
        for name in sorted(now.keys() | before.keys())
        if now.get(name) != before.get(name)
    ]


def _parts(now: tuple[str, ...] | None, before: tuple[str, ...] | None) -> Iterator[str]:
    if now is None or before is None:
        return iter(["none-now" if now is None else "none-before"])
    return (part for part, new, known_as in zip(PARTS, now, before, strict=True) if new != known_as)


def write(now: Rows, parts: Iterable[str]) -> list[str]:
    """Renew these parts of all rows, and say which other parts differ: then nothing is written."""
    chosen = set(parts) or set(PARTS)
    before = known() if ROWS.exists() and chosen != set(PARTS) else {}
    others = [line for line in differences(now, before) if set(line.split(": ")[1].split()) - chosen] if before else []
    if not others:
        rows = sorted(" ".join((name, *digests)) for name, digests in now.items())
        ROWS.write_text("\n".join([f"# scenario {' '.join(PARTS)}", *rows, ""]), "ascii")
    return others
