"""Amounts in `[game]`: exact decimals from the file to the frozen house, and what is wrong with them in words."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.config.load import load
from firmware_bridge.config.sections import Config
from firmware_bridge.errors import ConfigError
from firmware_bridge.games.zhajinhua.seats import ZhaJinHua

TABLE = '[table]\nid = "T07"\ngame = "zhajinhua"\ndecks = 1\nbetting = "required"\n[pins]\nnext = 22\n'


def config(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "bridge.toml"
    path.write_text(TABLE + text)
    return load(path)


def test_a_number_with_a_point_is_the_decimal_that_is_written(tmp_path: Path) -> None:
    read = config(tmp_path, "[game]\nante = 0.10\nstep = 0.1000000000000000000000001\ntop = 3\nrake = 0.025\n")
    assert read.terms == ZhaJinHua(
        ante=Decimal("0.1"), step=Decimal("0.1000000000000000000000001"), top=Decimal(3), rake=Decimal("0.025")
    )
    assert msgspec.json.decode(read.house.terms)["rake"] == "0.025"


def test_an_amount_may_be_a_text_too_and_a_bonus_that_is_not_named_is_none(tmp_path: Path) -> None:
    read = config(tmp_path, '[game]\nante = "2.5"\nbonus = { leopard = 12.5 }\n')
    assert read.terms == ZhaJinHua(ante=Decimal("2.5"), bonus={"leopard": Decimal("12.5")})


def test_other_sections_have_floats_as_before(tmp_path: Path) -> None:
    assert config(tmp_path, "[reader]\nhold = 0.25\n").reader.hold == 0.25


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("top = 0.5", "[game] top = 0.5: must be at least the ante, 1"),
        ("ante = 0", "[game] ante = 0: must be more than 0"),
        ("step = 0.0", "[game] step = 0.0: must be more than 0"),
        ("rake = 1.0", "[game] rake = 1.0: must be 0 or more and less than 1, a part of the profit"),
        ("bonus = { leopard = -1 }", "[game] bonus: amounts must be 0 or more"),
        ('ante = "much"', '[game] ante = "much": write an amount such as 12.5'),
        ("bonus = { flush = 1.5 }", "[game] bonus.flush is unknown: use one of: leopard, straight_flush"),
        ("top = 1e150", "[game] top = 1E+150: give an amount of at most 32 characters"),
        ("step = 1e-99999", "[game] step = 1E-99999: give an amount of at most 32 characters"),
        ("bonus = { leopard = 1e40 }", "[game] bonus.leopard = 1E+40: give an amount of at most 32 characters"),
        ("rounds = 0", "[game] rounds = 0: write a whole number from 1 to 100"),
        ("antes = 1", "[game] antes is unknown: did you mean ante?"),
    ],
)
def test_a_mistake_is_reported_with_its_key(tmp_path: Path, text: str, mistake: str) -> None:
    with pytest.raises(ConfigError) as raised:
        config(tmp_path, f"[game]\n{text}\n")
    assert mistake in str(raised.value)
