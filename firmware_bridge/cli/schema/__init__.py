"""`shoe schema`: every message, as JSON Schema, as an AsyncAPI document with examples, or as a page."""

from __future__ import annotations

import argparse
import sys

import msgspec


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe schema`."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--asyncapi", action="store_true", help="AsyncAPI 3.0: topics, messages and examples, as JSON")
    what.add_argument("--reference", action="store_true", help="every topic and message, as Markdown")


def run(arguments: argparse.Namespace) -> int:
    """Write one document; 0."""
    if arguments.reference:
        from firmware_bridge.cli.schema.page import page

        sys.stdout.buffer.write(page().encode())
    elif arguments.asyncapi:
        from firmware_bridge.cli.schema.document import document

        _write(document())
    else:
        from firmware_bridge.cli.schema.json_schema import schema

        _write(schema())
    return 0


def _write(told: object) -> None:
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(told, order="sorted")) + b"\n")
