"""The digests of the code that runs, and files that differ from what was installed."""

import base64
from hashlib import sha256
from pathlib import Path

import pytest

from firmware_bridge.config.code import changed_files, code_of


def row(path: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(sha256(content).digest()).decode().rstrip("=")
    return f"{path},sha256={digest},{len(content)}\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with an installed wheel of two files, and one other package."""
    files = {"firmware_bridge/a.py": b"a", "hardware/b.py": b"b"}
    for name, content in files.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(content)
    info = tmp_path / "firmware_bridge-0.1.0.dist-info"
    info.mkdir()
    rows = [*(row(*each) for each in files.items()), "../../bin/shoe,sha256=x,1\n", f"{info.name}/RECORD,,\n"]
    (info / "RECORD").write_text("".join(rows))
    (tmp_path / "msgspec-0.19.0.dist-info").mkdir()
    return tmp_path


def test_the_software_has_the_same_digest_wherever_it_is_installed(site: Path) -> None:
    code = code_of({"table": "1"}, site, site)
    record = site / "firmware_bridge-0.1.0.dist-info" / "RECORD"
    record.write_text("".join(reversed(record.read_text().replace("../../bin/shoe", "../x/shoe").splitlines(True))))
    assert code_of({"table": "1"}, site, site) == code
    assert code.software
    lines = [",".join(row(*each).split(",")[:2]) for each in (("firmware_bridge/a.py", b"a"), ("hardware/b.py", b"b"))]
    assert code.software == sha256("\n".join(lines).encode()).hexdigest()


def test_another_package_or_config_is_another_code(site: Path) -> None:
    code = code_of({"table": "1"}, site, site)
    assert code_of({"table": "2"}, site, site).config != code.config
    (site / "msgspec-0.19.0.dist-info").rename(site / "msgspec-0.20.0.dist-info")
    assert code_of({"table": "1"}, site, site).packages != code.packages


def test_a_changed_a_missing_and_an_added_file_are_named(site: Path) -> None:
    assert changed_files(site) == []
    (site / "firmware_bridge" / "__pycache__").mkdir()
    (site / "firmware_bridge" / "__pycache__" / "a.pyc").write_bytes(b"")
    assert changed_files(site) == []
    (site / "firmware_bridge" / "a.py").write_bytes(b"A")
    (site / "hardware" / "b.py").unlink()
    (site / "hardware" / "c.py").write_bytes(b"c")
    assert changed_files(site) == ["firmware_bridge/a.py", "hardware/b.py", "hardware/c.py"]


def test_a_clone_states_nothing(tmp_path: Path) -> None:
    assert changed_files(tmp_path) == []
    assert code_of({}, tmp_path, tmp_path).software is None
