"""Golden digests of all that the core says: proof that code was moved and renamed, and that nothing else changed.

Scenarios (tests/core/golden_play.py) are played by seeded chance. What comes out is digested part by part:

- `journal`: each line as it is written, the public and the sealed part (checksum, chain and the digest of the
  settings are checked here and left out: they follow from the rest);
- `messages`: the topics `event` and `round`;
- `table`, `roads`, `lamps`, `alarm`: the state topics after each input (`lamps` with the signals driven);
- `clock`: the moment the shoe waits for; `status`: mode, last rounds and disclosed cards;
- `replay`: what the command `shoe replay` prints.

`golden.txt` holds a row of digests per scenario: what differs names the scenario and the part. It proves that the same
inputs give the same bytes as when it was written; not that these are right. To see what differs:
`python -m tests.core.golden NAME > now.txt`, the same in a checkout from before, and `diff`.

When the code was renamed on purpose: fill the tables of golden_words.py, so that what comes out now is read as
it was said before; rows stay as they are. When behaviour was changed on purpose: `python -m tests.core.golden --write`
renews all rows, `--write PART ..` those parts only and nothing where another part differs. Once the rows are renewed
under empty tables, those of before have done their work. `--coverage` tells what the scenarios reach.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import msgspec

from tests import wire
from tests.core.golden_words import ADDED, AS_BEFORE, MAPS, RENAMED, TAGS

SECTOR: Final = 512
FORMATS: Final = {b"2": b"1"}
"""The line's format -> what the rows call it: what a line says did not change with where it lies."""

ROWS: Final = Path(__file__).with_name("golden.txt")
PARTS: Final = ("journal", "messages", "table", "roads", "lamps", "alarm", "clock", "status", "replay")
DIGITS: Final = 12

# ---------------------------------------------------------------- the form that is digested

_NESTED: Final = (dict, list)
_IS_CHANGED: Final = bool(RENAMED or ADDED or AS_BEFORE)
_validated: Final[set[str]] = set()
ADDED_TO: Final = {kind: {field for of, field in ADDED if of == kind} for kind, _ in ADDED}
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


def old(value: Any, kind: str) -> Any:
    """Decoded JSON in the words of before. The order of keys is kept: it is part of the bytes."""
    if type(value) is dict:
        return _old_object(value, kind)
    return [old(each, kind) if type(each) in _NESTED else each for each in value] if type(value) is list else value


def _old_object(value: dict[str, Any], kind: str) -> dict[str, Any]:
    tag = value.get("type") or value.get("do") or value.get("topic")
    kind = RENAMED.get(tag, tag) if type(tag) is str else kind
    said: dict[str, Any] = {}
    for key, each in value.items():
        word = old_word(key, kind)
        if type(each) in _NESTED:
            said[word] = old(each, MAPS.get(kind, word))
        else:
            said[word] = RENAMED.get(each, each) if word in TAGS else each
    for name in ADDED_TO.get(kind, ()):
        said.pop(name, None)
    return AS_BEFORE[kind](said) if kind in AS_BEFORE else said


@cache
def old_word(key: str, kind: str) -> str:
    """What a key of an object of this kind was called."""
    return RENAMED.get(f"{kind}.{key}") or RENAMED.get(key, key)


def read(raw: bytes, kind: str) -> Any:
    """JSON bytes in the words of before. Nothing is lost by decoding them: they are in the one form there is."""
    value = _decode(raw)
    assert _encode(value) == raw, "bytes that JSON does not give back"
    return old(value, kind) if _IS_CHANGED else value


class Tape:
    """Digests what a scenario says, part by part; `texts` also keeps it in words."""

    def __init__(self, texts: list[str] | None = None) -> None:
        self.texts = texts
        self.reached: Counter[tuple[str, ...]] = Counter()
        self.now: dict[str, Any] = {"table": {"phase": "empty", "due": None, "round": 0}, "alarm": {"open": []}}
        self._hashes = {part: sha256() for part in PARTS}
        self._said: dict[str, bytes] = {}
        self._used: set[str] = set()
        self._steps = 0

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

    def told(self, raw: bytes, is_journaled: bool) -> None:
        """An input was judged: where nothing became true of it, that is worth a word too."""
        told = read(raw, "input")
        self.reached["cell", kind_of(told), self.now["table"]["phase"]] += 1
        self.reached["input", told["type"]] += 1
        if not is_journaled:
            self.say("journal", ["nothing", told])

    def line(self, data: bytes, chain_before: str) -> None:
        """A line of the journal; its checksum and its chain follow from the rest."""
        version, checksum, chain, shown, hidden = data.rstrip(b" \n").split(b"\t")
        assert data.endswith(b"\n")
        assert len(data) % SECTOR == 0
        assert checksum == b"%08x" % crc32(version + b"\t".join((chain, shown, hidden)))
        sealed_hash = sha256(hidden).hexdigest()
        assert chain == sha256((chain_before + sealed_hash).encode() + shown).hexdigest().encode()
        _check_settings(_decode(shown))
        public, sealed = read(shown, "public"), read(hidden, "sealed")
        self._reach(public)
        public["events"] = [unversioned(event) for event in public["events"]]
        self.say("journal", FORMATS[version])
        self.say("journal", public)
        sealed["input"].pop("salt", None)  # chance, and no fact
        self.say("journal", sealed)

    def message(self, topic: str, n: int, payload: bytes) -> None:
        """A message of the topics `event` and `round`."""
        self._validate(topic, payload)
        said = read(payload, topic)
        if "event" in said:
            said["event"] = unversioned(said["event"])
        self.say("messages", [topic, n, said])

    def states(self, topics: dict[str, Any], **more: Any) -> None:
        """The state topics after an input, and what else can be read off the shoe, where they changed."""
        self._steps += 1
        for topic, value in (topics | more).items():
            raw = _encode(value)
            part = {"signals": "lamps"}.get(name := RENAMED.get(topic, topic), name)
            if ("topics", name) in ADDED:
                continue
            if raw != self._said.get(name):
                before, said = self._said.get(name), read(raw, name)
                self._said[name] = raw
                if before is None or said != self.now[name]:  # not only what the rows do not know
                    self.now[name] = said
                    self.say(part, said, b"%d " % self._steps)

    def _validate(self, topic: str, payload: bytes) -> None:
        """The first of each kind is as its schema says: thousands more are of the same code."""
        plain = _decode(payload)
        name = wire.kind(topic, plain)
        if name not in _validated:
            _validated.add(name)
            assert wire.fault(topic, plain) is None

    def _reach(self, public: dict[str, Any]) -> None:
        for event in public["events"]:
            self.reached["event", event["type"]] += 1
            if event["type"] == "Irregular":
                self.reached["irregular", event["id"]] += 1
            if event["type"] == "IrregularityClosed":
                self.reached["closed", event["id"], event["choice"]] += 1
            if event["type"] in ("KeyRefused", "CommandAnswered"):
                self.reached["refused", str(event.get("why") or event["answer"].get("error", ""))] += 1


def kind_of(told: dict[str, Any]) -> str:
    """The row of the table of judges that an input belongs to."""
    match told:
        case {"type": "Ordered", "order": {"do": "reveal"}}:
            return "reveal_order"
        case {"type": "Ordered", "order": {"do": order}}:
            return str(order)
        case {"type": "Pressed", "key": key}:
            return str(key)
        case {"type": "DeviceLost" | "DeviceBack" as what, "device": device}:
            return f"{device}_{'lost' if what == 'DeviceLost' else 'back'}"
    return str(told["type"])


def _check_settings(public: dict[str, Any]) -> None:
    """The digest of what a shoe is judged by is that of what is published with it."""
    for event in public["events"]:
        if "digest" in event:
            judged_by = [event["house"], event["policy"], event["version"]]
            assert event["digest"] == sha256(_encode(judged_by)).hexdigest()


def unversioned(event: dict[str, Any]) -> dict[str, Any]:
    """The event that opens a shoe without its version and digest, which change with each release and name."""
    return event | {"version": "", "digest": ""} if event["type"] == "ShoeOpened" else event


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


if __name__ == "__main__":
    from tests.core.golden_command import main

    raise SystemExit(main())
