from pathlib import Path

import pytest

from firmware_bridge.facts.inputs import Pressed
from firmware_bridge.journal.crashes import ENOUGH, Crashes

INPUT = Pressed(at=1, key="next")


def test_the_same_input_again_and_again_is_too_much(tmp_path: Path) -> None:
    crashes = Crashes(tmp_path)
    assert not crashes.too_many()
    for _ in range(ENOUGH):
        assert not crashes.too_many()
        crashes.note(INPUT)
    assert crashes.too_many()


@pytest.mark.parametrize("rubbish", [b"\xff\xfe\x00", b"\x80" * 9_000, b"", b"0.1.0 \xe9\n"])
def test_rubbish_in_the_file_keeps_no_table_down(tmp_path: Path, rubbish: bytes) -> None:
    crashes = Crashes(tmp_path)
    crashes.path.write_bytes(rubbish + b"\n")
    assert not crashes.too_many()
    for _ in range(ENOUGH):
        crashes.note(INPUT)
    assert crashes.too_many()
