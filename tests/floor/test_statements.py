"""The SQL of the store, which is written once: both drivers take all of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Insert
from sqlalchemy.sql import ClauseElement

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.config import parse
from firmware_bridge.floor.store import fact_statements, statements
from firmware_bridge.floor.store.compiled import Statements
from firmware_bridge.floor.store.open import open_reader, open_store
from firmware_bridge.floor.store.tables import TABLES, schema

PROJECT = Path(__file__).parents[2]
DRIVERS = {"?": Statements("sqlite", "qmark"), "%s": Statements("postgresql+psycopg", "format")}
WRITTEN = {
    name: each
    for module in (statements, fact_statements)
    for name, each in vars(module).items()
    if isinstance(each, ClauseElement) and name.isupper()
}
ASKED = {
    "".join(name)
    for file in (PROJECT / "firmware_bridge/floor/store").glob("*.py")
    for name in re.findall(r"\b(?:_sql|SQL)\.([A-Z_]+)\b|\"(FACT_[A-Z_]+)\"", file.read_text())
}


def inserted(name: str) -> Insert:
    statement = WRITTEN[name]
    assert isinstance(statement, Insert)
    return statement


def test_every_statement_that_a_store_asks_for_is_written_and_no_other() -> None:
    assert WRITTEN.keys() == ASKED


@pytest.mark.parametrize("name", sorted(WRITTEN))
@pytest.mark.parametrize("place", DRIVERS)
def test_each_value_has_a_name_and_a_place(place: str, name: str) -> None:
    made = getattr(DRIVERS[place], name)
    assert made.text.count(place) == len(made.names)
    assert made.values(dict.fromkeys(made.names, 1)) == [1] * len(made.names)


@pytest.mark.parametrize("name", sorted(name for name, each in WRITTEN.items() if isinstance(each, Insert)))
def test_a_row_to_insert_has_the_order_of_its_table(name: str) -> None:
    columns = tuple(inserted(name).table.columns.keys())
    assert {getattr(each, name).names for each in DRIVERS.values()} == {columns}


def test_what_is_no_statement_is_none_of_its_attributes() -> None:
    for name in ("NOTHING_OF_THE_KIND", "ORDER"):
        with pytest.raises(AttributeError, match=name):
            getattr(DRIVERS["?"], name)


def test_texts_are_compared_byte_by_byte_and_numbers_are_long_in_postgresql() -> None:
    made = [each for each in schema("postgresql") if each.strip().startswith("CREATE TABLE")]
    columns = re.findall(r"^\t(\S+) (.*?)(?: NOT NULL)?,? *$", "\n".join(made), re.M)
    kinds = {kind for name, kind in columns if name != "PRIMARY"}
    facts = {"TIMESTAMP(3) WITH TIME ZONE", "JSON", "BOOLEAN"}
    assert (len(made), kinds) == (len(TABLES.tables), {'TEXT COLLATE "C"', "BIGINT", "BYTEA", *facts})


def test_without_the_package_a_store_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    config = parse({"store": {"path": str(tmp_path / "floor.db")}})
    for opens in (open_store, open_reader):
        with pytest.raises(ConfigError, match=r"sqlalchemy.*pip install '\.\[floor\]'"):
            opens(config)


def test_a_shoe_needs_no_sqlalchemy_nor_does_the_help_of_the_back_office() -> None:
    modules = ("firmware_bridge.cli", "firmware_bridge.daemon.bridge", "firmware_bridge.floor.cli")
    names = f"import sys; sys.modules['sqlalchemy'] = None; import {', '.join(modules)}"
    subprocess.run([sys.executable, "-c", names], check=True, cwd=PROJECT)
    assert "sqlalchemy" not in (PROJECT / "requirements/pi.lock").read_text()
