"""The technician's calibration, `calibration.toml`: settings and measurements, by whom, and the values before."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, TypedDict

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import fields, replace

from firmware_bridge.config.toml_text import quoted
from firmware_bridge.config.whole_file import locked, write_whole
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.decoding import Undecodable, converted, text_in, toml

FILE: Final = "calibration.toml"
"""File name, in `[journal] dir`."""

Value = int | str | bool

Counts = Annotated[float, Meta(ge=0, le=4095)]
Byte = Annotated[int, Meta(ge=0, le=255)]
Word = Annotated[int, Meta(ge=0, le=65_535)]
Share = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(ge=0, le=10)]
Ms = Annotated[float, Meta(ge=0, le=86_400_000)]


class ReaderSettings(TypedDict, total=False):
    """Parameters of a native board; `repeats` in seconds, of any reader, as in `[reader]`."""

    threshold: Word
    hysteresis: Word
    gain: Word
    exposure_us: Word
    min_quality: Byte
    samples: Word
    repeats: Seconds


class CutCardSettings(TypedDict, total=False):
    """Settings of the sensor's wire, with the limits of `[pins]`."""

    debounce_ms: Annotated[int, Meta(ge=1, le=1000)]
    min_dwell_ms: Annotated[int, Meta(ge=0, le=1000)]


class Reading(Struct, frozen=True, kw_only=True):
    """Measurements of a reader. Levels and noise in ADC counts (0..4095), quality and lamp 0..255, times in ms.

    Levels are None for readers without a signal. `decode_rate`: 0..1 of the `cards` of the test pass.
    """

    cards: int
    decode_rate: Share
    dark: Counts | None = None
    white: Counts | None = None
    black: Counts | None = None
    noise: Counts | None = None
    quality_mean: Annotated[float, Meta(ge=0, le=255)] | None = None
    quality_sd: Annotated[float, Meta(ge=0, le=255)] | None = None
    transit_ms: Ms | None = None
    transit_sd: Ms | None = None
    lamp: Byte | None = None
    ambient: Word | None = None
    temperature: Annotated[int, Meta(ge=-273, le=1000)] | None = None
    serial: str | None = None


class Pulses(Struct, frozen=True, kw_only=True):
    """Pulses of the cut-card sensor in ms: the longest of cards, the shortest and longest of the cut card."""

    passes: int
    card_longest: Ms
    cut_shortest: Ms
    cut_longest: Ms
    bounce_longest: Ms


class Count(Struct, frozen=True, kw_only=True):
    """Numbers tried and good: lamps seen, keys pressed, cards of a pack read. `lot`: the pack's batch."""

    tried: int
    good: int
    decode_rate: Share | None = None
    lot: int | None = None


class Section(Struct, frozen=True, kw_only=True):
    """One calibrated part: `at` (RFC 3339, UTC), `by` (name), settings `before` and `after`."""

    at: str
    by: str


class ReaderSection(Section, frozen=True, kw_only=True):
    """`[reader]`: parameters of the reader board, and the measurements of a test pass. protocol: "" if not known."""

    measured: Reading
    protocol: str = ""
    before: ReaderSettings = {}
    after: ReaderSettings = {}
    previous: "ReaderSection | None" = None


class CutCardSection(Section, frozen=True, kw_only=True):
    """`[cut_card]`: how long cards and the cut card hold its sensor."""

    measured: Pulses
    before: CutCardSettings = {}
    after: CutCardSettings = {}
    previous: "CutCardSection | None" = None


class CountSection(Section, frozen=True, kw_only=True):
    """`[lamps]`, `[keypad]`, `[codebook]` and `[pack]`."""

    measured: Count
    before: dict[str, Value] = {}
    after: dict[str, Value] = {}
    previous: "CountSection | None" = None


class Calibration(Struct, frozen=True, kw_only=True):
    """All calibrations of a table; None for a part never calibrated."""

    reader: ReaderSection | None = None
    cut_card: CutCardSection | None = None
    lamps: CountSection | None = None
    keypad: CountSection | None = None
    codebook: CountSection | None = None
    pack: CountSection | None = None


AnySection = ReaderSection | CutCardSection | CountSection


class Damaged(ConfigError):
    """Calibration file that cannot be read as one; calibrating again sets it aside."""


def load(path: Path) -> Calibration:
    """Return the calibration in a file; an empty one if the file or its directory is missing.

    Raises Damaged if the content is wrong, naming the key; ConfigError if the file cannot be read.
    """
    try:
        return _calibration(text_in(path))
    except (FileNotFoundError, NotADirectoryError):
        return Calibration()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error})", "put sudo before the command") from None
    except Undecodable as error:
        what = f"{path} is damaged ({error})"
        raise Damaged(what, "calibrate again (sudo shoe calibrate reader --by NAME), or move the file away") from None


def save(path: Path, calibration: Calibration) -> None:
    """Write the calibration to disk, whole or not at all.

    Raises OSError; ValueError, before anything is written, for one that `load` would refuse or read otherwise.
    """
    text = document(calibration)
    if _calibration(text) != calibration:
        raise ValueError("this is no calibration")
    write_whole(path, text)


def found(path: Path) -> tuple[Calibration, str]:
    """Return the calibration in a file, and "". A damaged one is set aside: an empty calibration, and the text that
    says so.

    Raises OSError; ConfigError if the file may not be read or moved.
    """
    try:
        return load(path), ""
    except Damaged:
        with _alone(path):
            return _found_alone(path)


def keep(path: Path, step: str, section: AnySection | None) -> str:
    """Write a new section of a step to disk, or (None) the one from before; return the text of `found`.

    Change the file as it is now: another visit may have written its section since. Raises as `found` and `save` do.
    """
    with _alone(path):
        now, moved = _found_alone(path)
        save(path, undone(now, step) if section is None else calibrated(now, step, section))
    return moved


def section_of(step: object, given: object, at: str, by: str) -> AnySection | None:
    """Return the section a technician's command sends, None for none; `at` and `by` are ours. Raises ValueError."""
    kinds = {each.name: each.type for each in fields(Calibration)}
    if not isinstance(step, str) or step not in kinds:
        raise ValueError("there is no such step")
    if given is None:
        return None
    if not isinstance(given, dict):
        raise ValueError("the section is missing")
    section: AnySection = converted({**given, "at": at, "by": by, "previous": None}, kinds[step])
    return section


def calibrated(calibration: Calibration, name: str, section: AnySection) -> Calibration:
    """Return the calibration with a new section; the previous one is kept, for one undo."""
    before = getattr(calibration, name)
    kept = replace(before, previous=None) if before else None
    return replace(calibration, **{name: replace(section, previous=kept)})


def undone(calibration: Calibration, name: str) -> Calibration:
    """Return the calibration with a section as it was before the last one; still older values are lost."""
    section: AnySection | None = getattr(calibration, name)
    return replace(calibration, **{name: section.previous if section else None})


def document(calibration: Calibration) -> str:
    """Return the calibration as TOML, the inverse of `load`."""
    return "\n".join(_lines("", msgspec.to_builtins(calibration)))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Lock the file against other visits for the block. Raises ConfigError if it may not be written."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(path.parent):
            yield
    except PermissionError:
        raise ConfigError(f"{path} cannot be written", "put sudo before the command") from None


def _found_alone(path: Path) -> tuple[Calibration, str]:
    try:
        return load(path), ""
    except Damaged as damaged:
        aside = path.with_name(f"{path.name}.damaged")
        path.replace(aside)
        return Calibration(), f"{damaged.what}: it was moved to {aside}; calibrate everything again"


def _calibration(text: str) -> Calibration:
    return converted(toml(text), Calibration)


def _lines(name: str, table: Mapping[str, Any]) -> Iterator[str]:
    if name:
        yield f"[{name}]"
    plain = {key: value for key, value in table.items() if value is not None and not isinstance(value, dict)}
    for key, value in plain.items():
        yield f"{key} = {quoted(value) if isinstance(value, str) else json.dumps(value)}"
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield ""
            yield from _lines(f"{name}.{key}" if name else key, value)
    if not name:
        yield ""
