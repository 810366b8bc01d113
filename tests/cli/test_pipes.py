"""A reader that goes before the end (`| head -1`) leaves a command its exit code."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.journal import kept_files
from tests.cli.journal.kept_files import edit
from tests.cli.watch.test_cli_screen import status
from tests.floor.test_command import filled
from tests.kit.command import spawn
from tests.kit.control import answering
from tests.kit.process import ran

files = kept_files.files  # fixture


@pytest.fixture
def nobody() -> Iterator[int]:
    """A pipe without a reader, to write to."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


def ended(output: int, *words: object, module: str = "firmware_bridge") -> tuple[int, str]:
    """The exit code of a command that writes to `output`, and its stderr."""
    done = ran("-m", module, *words, execute=True, stdout=output)  # what Python itself does at its end is told too
    return done.returncode, done.stderr


def config_in(folder: Path) -> Path:
    path = folder / "bridge.toml"
    path.write_text(f'[table]\nid = "T07"\n[journal]\ndir = "{folder / "j"}"\n[mqtt]\nport = 1\n')
    return path


@pytest.mark.parametrize(("script", "code"), [("9s ??", 1), ("9s", 0)], ids=["stopped", "in order"])
def test_the_status_of_a_table_keeps_its_code(script: str, code: int, nobody: int, tmp_path: Path) -> None:
    config = config_in(tmp_path)
    with answering(config, status=status(script)):
        assert ended(nobody, "status", "--exit-code", "--config", config) == (code, "")
        assert ended(nobody, "status", "--exit-code", "--json", "--config", config) == (code, "")


def test_a_failed_check_stays_failed(nobody: int, tmp_path: Path) -> None:
    assert ended(nobody, "check", "--config", config_in(tmp_path)) == (1, "")
    (tmp_path / "bridge.toml").write_text("[tabel]\n")
    assert ended(nobody, "check", "--config", tmp_path / "bridge.toml") == (78, "")


def test_a_failed_verify_stays_failed(nobody: int, files: list[Path]) -> None:
    edit(files[1], 2, lambda line: b"x" + line)
    assert ended(nobody, "journal", "verify", "--dir", files[1].parent) == (1, "")
    assert ended(nobody, "journal", "list", "--dir", files[1].parent) == (0, "")


def test_an_export_that_was_cut_is_a_failure(nobody: int, files: list[Path], tmp_path: Path) -> None:
    assert ended(nobody, "journal", "export", files[0], "--dir", files[0].parent)[0] == 1
    (tmp_path / "floor.toml").write_text(f'[store]\npath = "{tmp_path / "floor.db"}"\n')
    filled(tmp_path / "floor.db")
    words = ("export", "messages", "--config", tmp_path / "floor.toml")
    assert ended(nobody, *words, module="firmware_bridge.floor") == (1, "")


def test_the_check_of_the_back_office_stays_failed(nobody: int, tmp_path: Path) -> None:
    (tmp_path / "floor.toml").write_text(f'[mqtt]\nport = 1\n[store]\npath = "{tmp_path / "none" / "floor.db"}"\n')
    assert ended(nobody, "check", "--config", tmp_path / "floor.toml", module="firmware_bridge.floor")[0] == 1


def test_what_has_no_end_ends_with_its_reader(nobody: int, tmp_path: Path) -> None:
    config = config_in(tmp_path)
    with answering(config, watch=status("9s")):
        assert ended(nobody, "watch", "--plain", "--config", config) == (0, "")


def test_a_pipe_that_another_program_set_to_wait_for_nothing_gets_all() -> None:
    """As a shell's, or node's: a write that does not fit is no error then, and takes a part."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with spawn("schema", "--asyncapi", stdout=writer) as process, os.fdopen(reader, "rb") as file:
        os.close(writer)
        assert json.loads(file.read())["asyncapi"] == "3.0.0"
    assert process.returncode == 0


def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        code, text = ended(full.fileno(), "roads", "BPT")
        assert ended(full.fileno(), "--help")[0] == 0
    assert (code, text) == (1, "shoe: the output cannot be written: No space left on device; write it elsewhere\n")
