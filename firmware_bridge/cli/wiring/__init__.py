"""`shoe wiring`: which wire goes to which pin of the header, as this table's config has it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from firmware_bridge.cli.daemon_socket import DEFAULT_CONFIG, config_option
from firmware_bridge.cli.wiring.header import USES, HeaderPin, header
from firmware_bridge.cli.wiring.svg import picture
from firmware_bridge.config.load import load
from firmware_bridge.config.sections import Config
from firmware_bridge.daemon.devices.wires import wires
from firmware_bridge.errors import ConfigError
from firmware_bridge.games.baccarat.drawn.formats import PictureError

WIDTH = 26


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe wiring`."""
    config_option(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object per pin, for programs")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw it into FILE")


def run(arguments: argparse.Namespace) -> int:
    """Print or draw the header; nothing is touched. Raises ConfigError, PictureError."""
    config = _config(arguments.config)
    pins = header(wires(config))
    if arguments.svg:
        _write(arguments.svg, picture(pins, config.table.id, config.reader.port))
    elif arguments.json:
        for pin in pins:
            print(json.dumps(pin._asdict()))
    else:
        print(f"Table {config.table.id}, seen with the USB ports below.\n")
        for left, right in zip(pins[::2], pins[1::2], strict=True):
            odd = f"{_what(left):>{WIDTH}} {left.name:>6} [{left.number:>2}"
            print(f"{odd}|{right.number:<2}] {right.name:<6} {_what(right)}".rstrip())
        print(
            f"\nThe reader is at {config.reader.port}. (low): active when low, to ground; lamps without it: high = lit."
        )
    return 0


def _config(path: Path) -> Config:
    if path == DEFAULT_CONFIG and not path.exists():
        raise ConfigError(f"there is no {path} yet", "before installing: --config systemd/bridge.toml")
    return load(path)


def _what(pin: HeaderPin) -> str:
    if pin.kind == "ground":
        return f"for {USES[pin.use]}" if pin.use else ""
    return ", ".join(pin.wires) + (" (low)" if pin.active_low else "")


def _write(path: Path, drawn: str) -> None:
    try:
        path.write_text(drawn, "utf-8")
    except OSError as error:
        raise PictureError(f"{path}: {error.strerror}", "name a file that may be written") from None
