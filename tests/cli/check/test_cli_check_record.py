"""`shoe check`: whether the record is signed, by its key while no daemon runs, else by what the daemon says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.check import checked
from tests.cli.check.checked import Checked
from tests.kit import broker as real
from tests.kit import command

broker, brokers, check, shoe = real.broker, real.brokers, checked.check, command.shoe  # fixtures

HOUSE: dict[str, Any] = {"origin": "casino.example"}


def test_a_key_will_sign(check: Checked) -> None:
    level, text, _ = check.one("record", record=HOUSE)
    assert (level, text) == ("OK", f"{check.table.key_file} will sign")


def test_a_name_that_names_no_house_is_a_warning(check: Checked) -> None:
    level, text, remedy = check.one("record")
    assert level == "WARN"
    assert "shoe.invalid names no house" in text
    assert "write [record] origin" in remedy


@pytest.mark.parametrize(
    ("key", "says"),
    [(None, "there is no key"), (b"", "is no key: it has not exactly 32 bytes"), (bytes(33), "is no key")],
    ids=["none", "empty", "longer"],
)
def test_no_key_fails(check: Checked, key: bytes | None, says: str) -> None:
    path = check.table.key_file
    path.unlink()
    if key is not None:
        path.write_bytes(key)
    level, text, remedy = check.one("record", record=HOUSE)
    assert (level, says in text, "sudo shoe key new" in remedy) == ("FAIL", True, True)
