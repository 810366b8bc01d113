"""The table of doors: each row is tried by a test that is there."""

from scripts.tools.documents.doors import rows
from tests.docs.pages import ROOT


def test_each_door_is_tried() -> None:
    for row in rows():
        file, _, name = row.test.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text("utf-8"), row.door
