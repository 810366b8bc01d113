"""Reads the logo and the colours that a house gives its guests' screens, and refuses what guests could not read."""

import re
import struct
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.decoding import Undecodable, text_of, toml
from firmware_bridge.floor.look import colour, contrast

LARGEST: Final = 256 * 1024
"""Most bytes of a logo: it is kept in memory, and sent to every screen."""

WIDEST: Final = 4096
"""Most pixels of a logo across and down."""

COLOURS: Final = "colours.toml"
LOGOS: Final = {"logo.svg": "image/svg+xml", "logo.png": "image/png"}
PNG: Final = b"\x89PNG\r\n\x1a\n"

MAY: Final = ("ground", "panel", "edge", "text", "muted", "title")
"""The colours that a house may choose; those with a meaning stay: bets, sides, winners, cards."""

TEXT, MARK = 4.5, 3.0
"""Least contrast of a text, and of a mark or a filled box, to what it lies on (WCAG 2.1, AA)."""

RULES: Final = (
    ("text", "ground", 7.0),
    ("text", "panel", 7.0),
    ("text", "edge", TEXT),
    ("muted", "ground", TEXT),
    ("muted", "panel", TEXT),
    ("title", "ground", TEXT),
    *((mark, "panel", MARK) for mark in ("red", "blue", "green", "gold", "card")),
    *((mark, "ground", MARK) for mark in ("red", "blue", "green", "gold", "card")),
)
"""What lies on what, and the least contrast of the two; letters that say what happens are read from 5 m: 7."""

_ACTIVE: Final = re.compile(
    rb"<!(?!--)|<\?(?!xml\s)|<\s*(script|foreignObject|iframe|embed|object|audio|video)\b|\bon\w+\s*=|javascript:|@import|"
    rb"""href\s*=\s*["']?\s*(?![\s"'#]|data:image/(png|jpeg);)|url\(\s*["']?(?!#)""",
    re.IGNORECASE,
)
"""What an SVG of shapes alone does not have: scripts, entities, other documents and addresses."""


class House(NamedTuple):
    """The look of a house. colours: name of a token -> `#rrggbb`, sorted. kind: media type of its logo, "" without one.

    version: changes with every change of it.
    """

    colours: tuple[tuple[str, str], ...] = ()
    logo: bytes = b""
    kind: str = ""
    version: str = ""

    @property
    def sheet(self) -> str:
        """The colours as CSS, to be read after the tokens."""
        rows = "".join(f" --{name}: {value};" for name, value in self.colours)
        return f":root {{{rows} }}\n"


PLAIN: Final = House()
"""A house without a look of its own."""


def read_house(folder: str | None) -> House:
    """Return the look in a folder. Raises ConfigError for one that cannot be read, or that guests could not read."""
    if folder is None:
        return PLAIN
    path = Path(folder)
    if not path.is_dir():
        raise ConfigError(f"[screen] house: {folder} is no folder", "make it, or take the key out")
    colours = _colours(path / COLOURS)
    logo, kind = _logo(path)
    version = sha256(repr(colours).encode() + logo).hexdigest()[:8]
    return House(colours, logo, kind, version)


def _colours(path: Path) -> tuple[tuple[str, str], ...]:
    if not path.exists():
        return ()
    try:
        given = toml(text_of(_content(path)))
    except Undecodable as error:
        raise ConfigError(f"{path}: {error}", 'write lines like ground = "#0b1016"') from None
    for name, value in given.items():
        if name not in MAY:
            raise ConfigError(f"{path}: {name!r} is no colour of a house", f"choose of {', '.join(MAY)}")
        if not isinstance(value, str) or not re.fullmatch("#[0-9a-fA-F]{6}", value):
            raise ConfigError(f"{path}: {name} = {value!r} is no colour", f'write it as {name} = "#0b1016"')
    chosen = {name: value.lower() for name, value in given.items()}
    whole = {"title": chosen.get("text", colour("text"))} | chosen
    for ink, ground, least in RULES:
        one, other = (whole.get(each) or colour(each) for each in (ink, ground))
        if (ratio := contrast(one, other)) < least:
            what = f"{path}: {ink} {one} on {ground} {other} has a contrast of {ratio:.1f}, less than {least:g}"
            raise ConfigError(what, f"choose another {ink if ink in MAY else ground}: guests could not read it")
    return tuple(sorted(chosen.items()))


def _logo(folder: Path) -> tuple[bytes, str]:
    """Return the logo and its media type; nothing without one."""
    found = [folder / name for name in LOGOS if (folder / name).exists()]
    if not found:
        return b"", ""
    if len(found) > 1:
        raise ConfigError(f"{folder} has logo.svg and logo.png", "leave one of them")
    path, content = found[0], _content(found[0])
    wrong = _wrong_svg(content) if path.suffix == ".svg" else _wrong_png(content)
    if wrong:
        raise ConfigError(f"{path}: {wrong}", "see docs/screen.md, The house's look")
    return content, LOGOS[path.name]


def _wrong_svg(content: bytes) -> str:
    if not re.search(rb"<svg\b", content[:1024]):
        return "it is no SVG"
    found = _ACTIVE.search(content)
    return f"it has {found[0].decode(errors='replace').strip()!r}: only shapes of its own are taken" if found else ""


def _wrong_png(content: bytes) -> str:
    if not content.startswith(PNG) or len(content) < 24:
        return "it is no PNG"
    width, height = struct.unpack(">II", content[16:24])
    return "" if 0 < width <= WIDEST and 0 < height <= WIDEST else f"it is larger than {WIDEST} x {WIDEST} pixels"


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", "let the user of shoe-floor page read it") from None
    if len(content) > LARGEST:
        raise ConfigError(f"{path} has more than {LARGEST // 1024} KiB", "make it smaller")
    return content
