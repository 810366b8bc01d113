"""`shoe bundle`: the next version of a shoe's software."""

import argparse

from firmware_bridge.config.bundle import bundle_options, run_bundle


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe bundle`."""
    bundle_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the action; return 0 if all is well. Raises NotTaken."""
    return run_bundle(arguments, ())
