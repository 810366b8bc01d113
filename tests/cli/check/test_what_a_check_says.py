"""What `shoe check` says around its findings: the example's config, failures once more, what it waits for."""

import os
import pty
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.cli import main
from firmware_bridge.cli.check import example
from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.config.findings import Finding, report
from firmware_bridge.config.load import load
from tests.kit.patience import until
from tests.kit.process import python

PROJECT = Path(__file__).parents[3]
EXAMPLE = PROJECT / "systemd/bridge.toml"

FAILS = Finding("FAIL", "config", "[table] decks is wrong")


def findings(path: Path, root: Path = Path("/")) -> list[Finding]:
    return list(example(Machine(load(path), None, path, root)))


def test_an_example_that_nobody_has_edited_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "bridge.toml"
    text = EXAMPLE.read_text()
    path.write_text(text + "# a comment changes nothing\n")
    [found] = findings(path)
    assert (found.level, "[record] origin before the first start" in found.remedy) == ("WARN", True)
    for edited in (text.replace('id = "T07"', 'id = "T01"'), text.replace('# origin = "', 'origin = "')):
        path.write_text(edited)
        assert findings(path) == []


def test_the_example_is_that_of_the_installed_version(tmp_path: Path) -> None:
    installed = tmp_path / "opt/firmware-bridge/share/firmware-bridge/bridge.toml"
    installed.parent.mkdir(parents=True)
    older = EXAMPLE.read_text().replace("decks = 8", "decks = 6")
    path = tmp_path / "bridge.toml"
    path.write_text(older)
    assert findings(path, tmp_path) == []
    installed.write_text(older)
    assert len(findings(path, tmp_path)) == 1


def test_failures_come_again_only_where_something_in_order_stands_between(capsys: pytest.CaptureFixture[str]) -> None:
    for between, times in (([], 1), ([Finding("OK", "disk", "fine")], 2)):
        assert report([FAILS, *between], as_json=False) == ["config"]
        assert capsys.readouterr().out.count("[table] decks is wrong") == times


def test_a_config_with_mistakes_names_each_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bridge.toml"
    path.write_text('[table]\nid = "T1"\ndecks = "x"\nburm = 1\n')
    assert main(["check", "--config", str(path)]) == 78
    out = capsys.readouterr().out
    assert (out.count("decks"), out.count("burm")) == (1, 1)


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Of a broker that accepts and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_terminal_shows_that_the_broker_is_asked(tmp_path: Path, silent_port: int) -> None:
    path = tmp_path / "bridge.toml"
    path.write_text(
        f'[table]\nid = "T1"\n[reader]\nport = "{tmp_path}/r"\n[pins]\nfactory = "mock"\n'
        f'[mqtt]\nport = {silent_port}\n[journal]\ndir = "{tmp_path}"\n'
    )
    ours, its = pty.openpty()
    running = python("-m", "firmware_bridge", "check", "--config", path, stdout=subprocess.DEVNULL, stderr=its)
    os.close(its)
    try:
        seen = bytearray()

        def asked() -> bool:
            seen.extend(os.read(ours, 1024))
            return b"asking the broker .." in seen

        until(asked, story=lambda: bytes(seen))
    finally:
        running.kill()
        running.wait()
        os.close(ours)
