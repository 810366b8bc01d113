"""The technician's record, `calibration.toml`: what was set and measured, by whom, and what was before."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.errors import ConfigError
from firmware_bridge.whole_file import write_whole

FILE: Final = "calibration.toml"
"""Its name, in `[journal] dir`."""

Value = int | float | str | bool


class Reading(Struct, frozen=True, kw_only=True):
    """What a reader measured. Levels and noise in ADC counts (0..4095), quality and lamp 0..255, times in ms.

    Levels are None for readers that show none of them. `decode_rate`: 0..1 of the `cards` of the test pass.
    """

    cards: int
    decode_rate: float
    dark: float | None = None
    white: float | None = None
    black: float | None = None
    noise: float | None = None
    quality_mean: float | None = None
    quality_sd: float | None = None
    transit_ms: float | None = None
    transit_sd: float | None = None
    lamp: int | None = None
    ambient: int | None = None
    temperature: int | None = None
    serial: str | None = None


class Pulses(Struct, frozen=True, kw_only=True):
    """What the cut-card sensor showed, in ms: the longest of cards, the shortest and longest of the cut card."""

    passes: int
    card_longest: float
    cut_shortest: float
    cut_longest: float
    bounce_longest: float


class Count(Struct, frozen=True, kw_only=True):
    """What was tried and what was good: lamps seen, keys felt, cards of a pack read. `lot`: the pack's."""

    tried: int
    good: int
    decode_rate: float | None = None
    lot: int | None = None


class Section(Struct, frozen=True, kw_only=True):
    """One part calibrated: `at` (RFC 3339, UTC) `by` whom; the settings `before` and `after`."""

    at: str
    by: str
    before: dict[str, Value] = {}
    after: dict[str, Value] = {}


class ReaderSection(Section, frozen=True, kw_only=True):
    """`[reader]`: the parameters of the reader board, and what they made of a test pass."""

    measured: Reading
    previous: ReaderSection | None = None


class CutCardSection(Section, frozen=True, kw_only=True):
    """`[cut_card]`: `after` holds `debounce_ms` and `min_dwell_ms`."""

    measured: Pulses
    previous: CutCardSection | None = None


class CountSection(Section, frozen=True, kw_only=True):
    """`[lamps]`, `[keypad]`, `[codebook]` and `[pack]`."""

    measured: Count
    previous: CountSection | None = None


class Calibration(Struct, frozen=True, kw_only=True):
    """All that was calibrated at this table; None for what never was."""

    reader: ReaderSection | None = None
    cut_card: CutCardSection | None = None
    lamps: CountSection | None = None
    keypad: CountSection | None = None
    codebook: CountSection | None = None
    pack: CountSection | None = None


AnySection = ReaderSection | CutCardSection | CountSection


def load(path: Path) -> Calibration:
    """The record in a file, an empty one where there is no file. Raises ConfigError for one that makes no sense."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Calibration)
    except FileNotFoundError:
        return Calibration()
    except (OSError, ValueError) as error:  # TOML, UTF-8 and the fields' types all end here
        what = f"{path} cannot be used ({error})"
        raise ConfigError(what, "calibrate again (shoe calibrate reader), or move the file away") from None


def save(path: Path, calibration: Calibration) -> None:
    """Put the record on disk, all of it or nothing, whatever happens meanwhile. Raises OSError."""
    write_whole(path, document(calibration))


def calibrated(calibration: Calibration, name: str, section: AnySection) -> Calibration:
    """The record with a section renewed; the one before is kept, for one undo."""
    before = getattr(calibration, name)
    kept = replace(before, previous=None) if before else None
    return replace(calibration, **{name: replace(section, previous=kept)})


def undone(calibration: Calibration, name: str) -> Calibration:
    """The record as it was before the last calibration of a section; what came before that is forgotten."""
    return replace(calibration, **{name: getattr(calibration, name).previous})


def document(calibration: Calibration) -> str:
    """The record as TOML, the inverse of `load`."""
    return "\n".join(_lines("", msgspec.to_builtins(calibration)))


def _lines(name: str, table: Mapping[str, Any]) -> Iterator[str]:
    if name:
        yield f"[{name}]"
    plain = {key: value for key, value in table.items() if value is not None and not isinstance(value, dict)}
    yield from (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in plain.items())
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield ""
            yield from _lines(f"{name}.{key}" if name else key, value)
    if not name:
        yield ""
