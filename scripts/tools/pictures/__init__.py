"""All pictures in docs/ and what makes them. An SVG is the same bytes on every machine; a PNG names what it shows."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from firmware_bridge.cli import main
from firmware_bridge.games.baccarat.drawn.words import WORDS
from scripts.tools.pictures import pages, rooms, table

ROOT: Final = Path(__file__).parents[3]
DOCS: Final = ROOT / "docs"
SHOE: Final = (DOCS / "roads/shoe.txt").read_text("utf-8").split()

DRAWN_FROM: Final = "drawn-from"
"""Name of the text in a PNG that holds the digest of its source."""


class Picture(NamedTuple):
    """A picture. make: its bytes. source: of a PNG, what it is drawn from; its pixels depend on the machine's fonts."""

    make: Callable[[], bytes]
    source: Callable[[], bytes] | None = None


def shoe(*words: str, kind: str = "svg") -> bytes:
    """Return the picture that a `shoe` command writes with `--svg` or `--png`. Raises RuntimeError if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"drawn.{kind}"
        with contextlib.redirect_stdout(io.StringIO()):
            if main([*words, f"--{kind}", str(file)]):
                raise RuntimeError(f"shoe {' '.join(words)} failed")
        return file.read_bytes()


TABLES: Final[dict[str, table.Scene]] = {
    "demo.svg": table.Scene("baccarat", 21, 36, "B3", 5, (104, 40)),
    "blackjack.svg": table.Scene("blackjack", 8, 4, "S6.1", 19),
    "niuniu.svg": table.Scene("niuniu", 3, 3, "S3", 18),
    "erbagang.svg": table.Scene("erbagang", 3, 3, "S3", 6),
    "zhajinhua.svg": table.Scene("zhajinhua", 3, 3, "S3", 15),
}
"""The terminal of `shoe demo`, one for each game."""

WIRED: Final = {"wiring.svg": "bridge.toml", "wiring-blackjack.svg": "blackjack.toml"}
"""Picture of a wiring -> the example config in systemd/."""

ROADS: Final[dict[str, tuple[str, ...]]] = {
    **{str(kind): ("--road", kind, "--theme", "light") for kind in WORDS["en"].roads},
    "board-light-en": ("--theme", "light", "--title", "Table T07 · Shoe 12"),
    "board-dark-zh-Hant": ("--theme", "dark", "--lang", "zh-Hant", "--title", "T07 號枱 · 第 12 靴"),
    "board-light-zh-Hans": ("--theme", "light", "--lang", "zh-Hans", "--title", "T07 号桌 · 第 12 靴", "--pair-dots"),
    "board-upright-en": ("--size", "720x1280", "--title", "Table T07 · Shoe 12"),
}
"""Name of a picture in docs/roads -> options of `shoe roads`."""

BOARD: Final = "board-dark-zh-Hant"
"""The one board that is there as PNG too."""

PICTURES: Final[dict[str, Picture]] = {
    **{name: Picture(partial(table.picture, scene)) for name, scene in TABLES.items()},
    **{name: Picture(partial(pages.picture, page), partial(pages.source, page)) for name, page in pages.PAGES.items()},
    "rooms.svg": Picture(lambda: rooms.svg().encode()),
    **{
        name: Picture(partial(shoe, "wiring", "--config", str(ROOT / "systemd" / config)))
        for name, config in WIRED.items()
    },
    **{f"roads/{name}.svg": Picture(partial(shoe, "roads", *SHOE, *options)) for name, options in ROADS.items()},
    f"roads/{BOARD}.png": Picture(
        partial(shoe, "roads", *SHOE, *ROADS[BOARD], kind="png"), partial(shoe, "roads", *SHOE, *ROADS[BOARD])
    ),
}
"""File in docs/ -> its picture."""


def is_stale(name: str) -> bool:
    """Return whether the file in docs/ is missing, or shows something else than the code draws."""
    file, picture = DOCS / name, PICTURES[name]
    if not file.exists():
        return True
    if picture.source is None:
        return file.read_bytes() != picture.make()
    with Image.open(file) as image:
        return image.info.get(DRAWN_FROM) != sha256(picture.source()).hexdigest()


def draw(name: str) -> None:
    """Draw the file in docs/."""
    picture = PICTURES[name]
    made = picture.make()
    (DOCS / name).write_bytes(made if picture.source is None else _stamped(made, sha256(picture.source()).hexdigest()))


def _stamped(png: bytes, digest: str) -> bytes:
    said, out = PngInfo(), io.BytesIO()
    said.add_text(DRAWN_FROM, digest)
    with Image.open(io.BytesIO(png)) as image:
        image.save(out, "PNG", optimize=True, pnginfo=said)
    return out.getvalue()
