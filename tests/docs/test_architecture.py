"""docs/architecture.md: every step, room and path it names exists."""

import re
from importlib import import_module

from tests.docs.pages import DOCS, ROOT
from tests.kit.rows import each_row

TEXT = (DOCS / "architecture.md").read_text("utf-8")
PLACES = [ROOT / "firmware_bridge", ROOT, ROOT / "hardware"]


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) <= 160


def test_every_step_of_card_and_order_exists() -> None:
    steps = re.findall(r"^\d+\. `([\w/]+)\.py` `([\w.]+)`", TEXT, re.M)
    assert len(steps) == 15
    for path, name in steps:
        found: object = import_module(path.replace("/", "."))
        for part in name.split("."):
            found = getattr(found, part)


@each_row("path", sorted(set(re.findall(r"`([a-z_]+/[\w/.]*)`", TEXT))))
def test_every_path_exists(path: str) -> None:
    assert any((place / path).exists() for place in PLACES)
