"""The addresses of guests' screens: their file, and the commands that print and change them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import parse
from firmware_bridge.floor.page.addresses import Addresses, path_of
from firmware_bridge.floor.page_config import base_of
from tests.kit.patience import ended
from tests.kit.process import python


@pytest.fixture
def addresses(tmp_path: Path) -> Addresses:
    return Addresses(tmp_path / "screens.json")


def test_each_table_has_a_secret_of_128_bits_that_opens_its_own_screen_alone(addresses: Addresses) -> None:
    known = addresses.complete(["T07", "T08"])
    assert set(known) == {"T07", "T08"}
    assert all(re.fullmatch("[A-Za-z0-9_-]{22}", each) for each in known.values())
    assert addresses.opens("T07", known["T07"])
    for table, secret in (("T07", known["T08"]), ("T07", ""), ("T09", known["T07"]), ("T09", ""), ("T07", "\udcff")):
        assert not addresses.opens(table, secret)
    assert not addresses.opens("T09", "no table has this secret")
    assert addresses.complete(["T07"]) == known


def test_a_new_secret_ends_the_one_before_also_for_who_has_read_the_file(addresses: Addresses, tmp_path: Path) -> None:
    page = Addresses(tmp_path / "screens.json")
    before = addresses.complete(["T07", "T08"])
    assert page.opens("T07", before["T07"])
    after = addresses.rotate("T07")
    assert not page.opens("T07", before["T07"])
    assert page.opens("T07", after)
    assert page.opens("T08", before["T08"])


def test_only_its_owner_reads_the_file(addresses: Addresses, tmp_path: Path) -> None:
    addresses.complete(["T07"])
    assert (tmp_path / "screens.json").stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["screens.json"]


def test_no_secret_is_lost_where_several_write_at_a_time(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from firmware_bridge.floor.page.addresses import Addresses\n"
        "for number in range(20): Addresses(Path(sys.argv[1])).rotate(f'{sys.argv[2]}-{number}')"
    )
    path = tmp_path / "screens.json"
    writers = [python("-c", program, path, f"T{each}") for each in range(4)]
    assert [ended(each) for each in writers] == [0] * 4
    assert len(Addresses(path).all()) == 80


@pytest.mark.parametrize(
    "rows",
    ["", "{}", '[{"table": "T07", "secret": "short"}]', '[{"table": "T07"}]', '[{"table": "T07", "key": 1}]', "\xff"],
)
def test_a_file_that_cannot_be_read_is_a_mistake_and_names_no_secret(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "screens.json"
    path.write_text(rows, "latin-1")
    with pytest.raises(ConfigError, match=r"screens\.json") as refused:
        Addresses(path).opens("T07", "x")
    assert "short" not in str(refused.value)
    with pytest.raises(ConfigError):
        Addresses(path).rotate("T07")
    assert path.read_text("latin-1") == rows


def test_a_name_stands_in_the_path_as_browsers_send_it() -> None:
    assert path_of("桌 1?", "S") == "/screen/%E6%A1%8C%201%3F/S"


@pytest.mark.parametrize(
    ("page", "screen", "base"),
    [
        ({}, {}, "http://127.0.0.1:8080"),
        ({"names": ["pit.example"]}, {}, "http://pit.example"),
        ({"host": "::", "cert": "/c", "key": "/k"}, {}, "https://[::]:8080"),
        ({"names": ["pit.example"], "cert": "/c", "key": "/k"}, {}, "https://pit.example:8080"),
        ({}, {"address": "http://screens.example"}, "http://screens.example"),
        ({"socket": "/run/p"}, {"address": "https://screens.example"}, "https://screens.example"),
        ({"socket": "/run/p", "names": ["pit.example"]}, {}, "http://pit.example"),
    ],
)
def test_the_address_begins_as_screens_call_the_page(page: object, screen: object, base: str) -> None:
    config = parse({"page": page, "screen": screen})
    assert base_of(config.page, config.screen) == base


def test_behind_a_socket_somebody_must_say_what_screens_call_the_page_by() -> None:
    config = parse({"page": {"socket": "/run/p"}})
    with pytest.raises(ConfigError, match=r"write it in \[screen\] address"):
        base_of(config.page, config.screen)


@pytest.mark.parametrize("address", ["screens.example", "http://screens.example/", "ftp://x", "http://a b"])
def test_an_address_that_is_none_is_a_mistake(address: str) -> None:
    with pytest.raises(ConfigError, match=r"\[screen\] address"):
        parse({"screen": {"address": address}})


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "floor.toml"

    def screens(*words: str) -> tuple[int, list[str], str]:
        code = main(["--config", str(config), "screens", *words])
        said = capsys.readouterr()
        return code, said.out.splitlines(), said.err

    config.write_text(f'[screen]\nsecrets = "{tmp_path}/screens.json"\n')
    code, lines, said = screens()
    assert (code, lines) == (0, [])
    assert "list them in [tables]" in said
    config.write_text(config.read_text() + "[tables.T07]\n[tables.T08]\n")
    code, lines, said = screens()
    assert (code, len(lines), said) == (0, 2, "")
    assert re.fullmatch(r"http://127\.0\.0\.1:8080/screen/T07/[A-Za-z0-9_-]{22}", lines[0])
    assert screens() == (0, lines, "")
    code, fresh, _ = screens("rotate", "T07")
    assert (code, len(fresh)) == (0, 1)
    assert fresh[0] != lines[0]
    assert screens()[1] == [fresh[0], lines[1]]
    code, _, said = screens("rotate", "a/b")
    assert (code, "no name of a table" in said) == (1, True)
    (tmp_path / "screens.json").write_text("[1]")
    code, _, said = screens()
    assert (code, "screens.json" in said) == (78, True)
