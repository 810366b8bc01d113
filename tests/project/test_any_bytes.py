"""No bytes that a stranger can send, or leave in a file, raise what their receiver does not document."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import msgspec
import pytest

from firmware_bridge.facts.decoding import Undecodable, from_json
from tests.kit.nightly import EVERY
from tests.kit.rows import each_row
from tests.kit.rubbish import rubbish
from tests.project.receivers import CONFIG, FILES, SENT, STATES, Receiver

COUNT: Final = 1_000 if EVERY else 0
"""Spoiled documents for each place."""


def wrong(name: str, receiver: Receiver, folder: Path) -> dict[str, bytes]:
    """What a receiver raises that it does not document -> bytes with which it does."""
    seeds, made, raises = receiver
    take, found = made(folder), dict[str, bytes]()
    for each in (*seeds, *rubbish(seeds, Random(name), COUNT)):
        try:
            take(each)
        except raises:
            pass
        except Exception as error:
            found.setdefault(f"{type(error).__name__}: {error}"[:90], each[:120])
    getattr(take, "close", lambda: None)()
    return found


@each_row("name", list(SENT), ids=str)
def test_any_bytes_that_are_sent_are_a_value_or_the_error_that_is_documented(
    name: str, tmp_path_factory: pytest.TempPathFactory, caplog: pytest.LogCaptureFixture
) -> None:
    assert not wrong(name, SENT[name], tmp_path_factory.mktemp("folder"))
    assert not [each for each in caplog.records if each.exc_info], "a traceback for what a stranger sent"


@each_row("name", list(FILES), ids=str)
def test_any_bytes_in_a_file_are_a_value_or_the_error_that_is_documented(
    name: str, tmp_path_factory: pytest.TempPathFactory, caplog: pytest.LogCaptureFixture
) -> None:
    assert not wrong(name, FILES[name], tmp_path_factory.mktemp("folder"))
    assert not [each for each in caplog.records if each.exc_info], "a traceback for what stands in a file"


def _by(
    read: Callable[[bytes], object], *raises: type[Exception], seeds: tuple[bytes, ...] = tuple(STATES.values())
) -> Receiver:
    return Receiver(seeds, lambda _: read, raises)


def _toml(text: bytes) -> object:
    return tomllib.loads(text.decode("latin-1"))


PLANTED: Final = {
    "no UTF-8 and msgspec": _by(msgspec.json.decode, msgspec.MsgspecError, RecursionError),
    "deep JSON and msgspec": _by(msgspec.json.decode, ValueError),
    "deep JSON": _by(json.loads, ValueError),
    "many digits": _by(lambda body: int(body) if body.isdigit() else 0),
    "NULs in a path": _by(lambda body: Path("/nowhere", body.decode("latin-1")).is_file()),
    "a list for an object": _by(lambda body: from_json(body)["state"], Undecodable, KeyError),
    "deep TOML": _by(_toml, ValueError, seeds=(CONFIG,)),
    "digits in TOML": _by(_toml, tomllib.TOMLDecodeError, RecursionError, seeds=(CONFIG,)),
}


@each_row("name", list(PLANTED), ids=str)
def test_a_planted_mistake_is_found(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert wrong(name, PLANTED[name], tmp_path_factory.mktemp("folder"))
