"""`shoe-floor page` where its packages are not installed."""

import sys
from pathlib import Path

import pytest

from firmware_bridge.floor.cli import main


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_a_missing_package_names_the_extra_that_brings_it(
    package: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / "floor.toml").write_text("")
    assert main(["--config", str(tmp_path / "floor.toml"), "page"]) != 0
    said = capsys.readouterr().err
    assert "this needs the package" in said
    assert said.endswith("pip install 'firmware-bridge[floor]'\n")
