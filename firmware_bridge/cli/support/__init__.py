"""`shoe support`: one file for a ticket, with everything that helps and nothing secret."""

from __future__ import annotations

import argparse
import io
import os
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from firmware_bridge.cli import FAILED, FINE
from firmware_bridge.cli.daemon_socket import JOURNAL_DIR, config_option, journal_dir
from firmware_bridge.cli.support.parts import PARTS, Place, journals
from firmware_bridge.cli.support.scrub import scrubbed, secrets_of
from firmware_bridge.errors import BridgeError, ConfigError

FOLDER: Final = "shoe-support"
"""The folder inside the file that holds everything."""

JOURNALS: Final = "the newest journals"


class NoSupport(BridgeError, OSError):
    """The file cannot be written."""


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe support`."""
    config_option(parser)
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="(default: shoe-support-TIME.tar.gz here)")


def run(arguments: argparse.Namespace) -> int:
    """Write the file, whether a daemon runs or not; 0, or 1 if this user may not read all that belongs into it.

    Raises NoSupport if it cannot be written.
    """
    place = Place(arguments.config, _journals(arguments.config))
    out = arguments.out or Path(time.strftime("shoe-support-%Y%m%dT%H%M%SZ.tar.gz", time.gmtime()))
    fresh = out.with_name(f".{out.name}.{os.getpid()}")
    without: list[str] = []
    try:
        fresh.touch(0o600)
        with tarfile.open(fresh, "w:gz") as tar:
            for name, content in _parts(place, without):
                _add(tar, name, content)
        fresh.replace(out)
    except OSError as error:
        raise NoSupport(f"{out} cannot be written ({error.strerror})", "name another place with --out") from None
    finally:
        fresh.unlink(missing_ok=True)
    there = [name for name in (*PARTS, JOURNALS) if name not in without]
    print(f"{out}: {', '.join(there)}; no sealed card and no password is in it")
    if without:
        print(f"shoe: this user may not read {', '.join(without)}: put sudo before the command", file=sys.stderr)
    return FAILED if without else FINE


def _journals(config: Path) -> Path:
    """Where the journals are, the usual place for a config that cannot be read."""
    try:
        return journal_dir(config)
    except ConfigError:
        return Path(JOURNAL_DIR)


def _parts(place: Place, without: list[str]) -> Iterator[tuple[str, bytes]]:
    """Each part; one that cannot be had says why. without: takes the names of those that this user may not read."""
    secrets = secrets_of(place.config)
    for name, part in PARTS.items():
        try:
            text = part(place)
        except Exception as error:  # a machine that is broken is what this is for
            without += [name] if isinstance(error, PermissionError) else []
            text = f"could not be had: {error}" if isinstance(error, BridgeError | OSError) else type(error).__name__
        yield name, scrubbed(text, secrets).encode()
    try:
        yield from journals(place)
    except FileNotFoundError:
        return
    except OSError as error:
        without += [JOURNALS] if isinstance(error, PermissionError) else []
        yield "journal/none.txt", f"could not be had: {error}".encode()


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(f"{FOLDER}/{name}")
    info.size, info.mode, info.mtime = len(content), 0o600, int(time.time())
    tar.addfile(info, io.BytesIO(content))
