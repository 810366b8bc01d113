"""The floor plan: how many rooms there are, how large their files are, and that the contract names them all."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path

from grimp import build_graph

from firmware_bridge.cli import COMMANDS
from tests.kit.rows import each_row

ALONE = {
    **{
        f"firmware_bridge.games.{game}.payouts": "words for one page, which the daemon does not load"
        for game in ("baccarat", "blackjack", "erbagang", "niuniu", "zhajinhua")
    },
    "firmware_bridge.daemon.table.odds_child": "a process of its own, which loads no daemon",
    "firmware_bridge.floor.page.dealer": "draws without a server, which its one importer needs",
    "firmware_bridge.floor.store.migrations.from_9_to_10": "a step of a migration, which later ones leave as it is",
    "hardware.pins.lgpio": "its module level needs a library that only a Pi has",
}
"""Modules of fewer than 60 lines with one importer -> why each stands alone."""

REGISTRIES = ("firmware_bridge.cli.",)
"""Where modules are loaded by name: a command."""

ROOT = Path(__file__).parents[2]
BRIDGE, HARDWARE = ROOT / "firmware_bridge", ROOT / "hardware"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]


def children(folder: Path) -> set[str]:
    """The modules and packages in a folder, `__init__` left out."""
    found = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    return found - {"__init__"}


def rooms(folder: Path) -> set[str]:
    return {name for name in children(folder) if (folder / name).is_dir()}


def layers_of(package: str) -> list[str]:
    [contract] = [each for each in CONTRACTS if each.get("containers") == [package]]
    assert contract["exhaustive"]
    return [name.strip() for layer in contract["layers"] for name in layer.split("|")]


def test_every_folder_with_code_is_a_package() -> None:
    for path in [*BRIDGE.rglob("*.py"), *HARDWARE.rglob("*.py")]:
        assert (path.parent / "__init__.py").exists(), path


def test_at_most_fifteen_rooms() -> None:
    loose = children(BRIDGE) - rooms(BRIDGE) - {"__main__"}
    assert loose == {"errors"}
    assert len(rooms(BRIDGE) | loose) <= 15


def test_the_command_line_has_an_entry_per_command_and_at_most_two_more() -> None:
    assert len(children(BRIDGE / "cli") - set(COMMANDS)) <= 2


def test_no_file_is_longer_than_400_lines() -> None:
    alone = BRIDGE / "record" / "verify.py"  # one file, shipped alone as shoe-verify.py
    files = {*BRIDGE.rglob("*.py"), *HARDWARE.rglob("*.py")} - {alone}
    assert [str(path) for path in files if len(path.read_text().splitlines()) > 400] == []


def modules() -> dict[str, Path]:
    """Module of the product -> its file."""
    return {_name(path): path for folder in (BRIDGE, HARDWARE) for path in folder.rglob("*.py")}


def importers() -> dict[str, set[str]]:
    """Module -> the modules of the product that import it or from it."""
    graph = build_graph(BRIDGE.name, HARDWARE.name, cache_dir=None)
    return {name: graph.find_modules_that_directly_import(name) - {name} for name in modules()}


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_a_small_module_with_one_importer_says_why_it_stands_alone() -> None:
    small = set()
    for name, by in importers().items():
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        is_entry = any(name.startswith(prefix) for prefix in REGISTRIES) and not by
        if path.exists() and path.stem != "__main__" and len(by) <= 1 and not is_entry:
            small |= {name} if len(path.read_text().splitlines()) < 60 else set()
    assert small == set(ALONE)
    assert len(ALONE) <= 15


def test_the_contract_names_every_module() -> None:
    assert sorted(layers_of("firmware_bridge")) == sorted(children(BRIDGE))
    assert sorted(layers_of("firmware_bridge.daemon")) == sorted(children(BRIDGE / "daemon"))
    assert sorted(layers_of("hardware")) == sorted(children(HARDWARE) - {"__main__"})


@each_row("name", lambda: sorted(name for name in modules() if not name.endswith("__main__")))
def test_a_module_can_be_imported(name: str) -> None:
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        if str(error.name).startswith(("firmware_bridge", "hardware")):  # not just a package that is not installed
            raise
