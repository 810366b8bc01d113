"""`shoe bundle` and `shoe-floor bundle`: verify what comes next by the version that is here, and install it."""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from firmware_bridge.config.arguments import Exit
from firmware_bridge.config.plain import say, warn
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.record.release import (
    NOTE,
    SUMS,
    Release,
    in_archive,
    in_folder,
    installed_release,
    pinned_keys,
    verified_beside,
    verified_files,
)
from firmware_bridge.record.verify import Key, Refused

TEXT: Final = "verify the next version by the keys of this one, and install it"
VERIFIED: Final = {"SHOE_BUNDLE": "verified"}
"""Environment by which scripts/install knows that this command verified it."""

UNSIGNED: Final = {"SHOE_UNSIGNED": "yes"}
"""Environment by which dpkg's scripts install what is not signed."""


class NotTaken(BridgeError):
    """A bundle that is not verified: nothing in it was run."""


def bundle_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `bundle`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text in (
        ("verify", "say whether a bundle or package is signed, whole and no older than this version"),
        ("install", "verify a bundle or package, then install it; nothing in it runs before"),
    ):
        action = actions.add_parser(name, help=text, description=text)
        text = "a bundle (.tar.gz, or its folder), or a package (.deb) with SHA256SUMS and its note beside it"
        action.add_argument("file", type=Path, metavar="FILE", help=text)
        action.add_argument("--rollback", action="store_true", help="take an older release, too")
        action.add_argument("--unsigned", action="store_true", help="ask for no signature: anybody may have made it")
        if name == "install":
            text = "options of scripts/install: all words behind it"
            action.add_argument(
                "--with", dest="options", nargs=argparse.REMAINDER, default=[], metavar="OPTION", help=text
            )


def run_bundle(arguments: argparse.Namespace, installer: Sequence[str]) -> int:
    """Carry out the action. installer: options of scripts/install. Raises NotTaken."""
    try:
        if arguments.action == "verify":
            _say(_verified(arguments.file, arguments), arguments.unsigned)
            return Exit.FINE
        return _install(arguments, installer)
    except Refused as error:
        raise NotTaken(escaped(str(error)), "nothing in it was run") from None
    except OSError as error:
        raise NotTaken(f"{arguments.file}: {error.strerror}") from None


def _verified(file: Path, how: argparse.Namespace, to: Path | None = None) -> Release:
    """Return the release of a file or folder, which is written to another folder, if that is given. Raises Refused."""
    keys: tuple[Key, ...] | None = None
    if not how.unsigned:
        keys = pinned_keys()
        if not keys:
            raise Refused("this version knows no key of releases, so it can verify none; --unsigned takes it")
    if file.is_dir():
        release = verified_files(in_folder(file), keys, to)
    else:
        inner = None if file.suffix == ".deb" else verified_files(in_archive(file), keys, to)
        beside = verified_beside(file, keys)  # a package is named there alone, and an archive may be packed otherwise
        found = beside or (inner if how.unsigned else None)
        if found is None:
            raise Refused(f"{file.name}: no {SUMS}{'' if how.unsigned else f' with its {NOTE}'} beside it names it")
        release = found
    here = installed_release(Path(sys.prefix))
    if here and not how.rollback and release.order < here.order:
        raise Refused(f"{release} is older than what is installed, {here.version}; --rollback takes it")
    return release


def _install(arguments: argparse.Namespace, installer: Sequence[str]) -> int:
    """Verify a copy that only this process can change, then let its installer run. Return the exit code of that."""
    file: Path = arguments.file
    with TemporaryDirectory(prefix="shoe-bundle-") as private:
        copy, to = Path(private, file.name), Path(private, "verified")
        if file.is_dir():
            shutil.copytree(file, copy, symlinks=True)
        else:
            for each in (file, file.with_name(SUMS), file.with_name(NOTE)):
                if each == file or each.exists():
                    shutil.copyfile(each, copy.with_name(each.name))
        _say(_verified(copy, arguments, to), arguments.unsigned)
        command = ["dpkg", "-i", str(copy)] if file.suffix == ".deb" else ["bash", str(to / "scripts/install")]
        words = [] if file.suffix == ".deb" else [*installer, *arguments.options]
        env = os.environ | VERIFIED | (UNSIGNED if arguments.unsigned else {})
        return subprocess.run([*command, *words], check=False, env=env).returncode


def _say(release: Release, unsigned: bool) -> None:
    if unsigned:
        warn(f"{release}: NOT SIGNED, or not asked; its {len(release.files)} files are those that it names itself")
    else:
        signers = ", ".join(f"{key.name} ({key.fingerprint})" for key in release.signers)
        say(f"{release}: {len(release.files)} files verified, signed by {signers}")
