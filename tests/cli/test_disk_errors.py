"""What a command says when the journal's disk fails: the same words as the daemon, whichever error brings them."""

from __future__ import annotations

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli import FAILED, main
from firmware_bridge.errors import BridgeError
from firmware_bridge.journal.preallocate import SyncFailed, unwritable
from tests.kit.rows import each_row

FULL = "the journal cannot be written (No space left on device); free some space: `shoe check` shows how much is needed"
FAILING = "the disk did not confirm a write (Input/output error); replace the disk"


@each_row(
    ("error", "said"),
    [
        (unwritable(OSError(28, "No space left on device")), FULL),
        (SyncFailed("unconfirmed", OSError(5, "Input/output error")), FAILING),
        (BridgeError("something else", "do this"), "something else; do this"),
    ],
)
def test_an_error_of_the_disk_is_said_in_words(
    error: BridgeError, said: str, mocker: MockerFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    mocker.patch("firmware_bridge.cli.schema.run", side_effect=error)
    assert main(["schema"]) == FAILED
    assert capsys.readouterr().err == f"shoe: {said}\n"
