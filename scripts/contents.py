"""What scripts/package and scripts/release write about what they make: SBOM, licence texts, hashes, signatures.

Run with PyNaCl to sign; everything else needs the standard library. The same wheels and times give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
import zipfile
from datetime import datetime, timezone
from email.message import Message
from email.parser import Parser
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

PROJECT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from firmware_bridge.record.release import NOTE, SUMS, Release, in_folder, parse_sums, pinned_keys, sums_text  # noqa: E402
from firmware_bridge.record.signer import NoSigner, read_seed, signed_note, signer, write_seed  # noqa: E402
from firmware_bridge.record.verify import Refused  # noqa: E402

TEXTS: Final = ("licen", "copying", "notice", "authors", "copyright")
"""How a file of a wheel's dist-info begins that says what its licence is; also all in `licenses/`."""

OWN: Final = PROJECT / "requirements/licences"
"""NAME-VERSION.txt: licence texts of what has none in its wheel."""

EXPRESSIONS: Final = {
    "BSD": "BSD-3-Clause",
    "unlicense.org": "Unlicense",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
}
"""What older wheels say -> its name in SPDX."""


class Wheel(NamedTuple):
    """A wheel. licence: an SPDX expression; texts: file of the wheel, or of `OWN`, -> text."""

    file: str
    name: str
    version: str
    sha256: str
    licence: str
    texts: dict[str, str]


def main() -> None:
    """Carry out one command."""
    parser = argparse.ArgumentParser(description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    about = actions.add_parser("about", help="write sbom.cdx.json and THIRD-PARTY.txt into a bundle's folder")
    sums = actions.add_parser("sums", help=f"write {SUMS} of a folder, and with keys {NOTE}")
    for each in (about, sums):
        each.add_argument("folder", type=Path)
        each.add_argument("release", nargs=3, metavar=("NAME", "VERSION", "ARCH"))
    about.add_argument("--time", type=int, required=True, help="of the commit, in seconds since 1970")
    sums.add_argument("--key", type=Path, action="append", default=[])
    key = actions.add_parser("key", help="make a key of releases, and print the line for the list of them")
    key.add_argument("file", type=Path)
    key.add_argument("name")
    arguments = parser.parse_args()
    try:
        match arguments.action:
            case "about":
                _about(arguments.folder, arguments.release, arguments.time)
            case "sums":
                _sums(arguments.folder, arguments.release, arguments.key)
            case _:
                _new_key(arguments.file, arguments.name)
    except (Refused, NoSigner, OSError) as error:
        sys.exit(f"release: {error}")


def _about(folder: Path, release: list[str], time: int) -> None:
    wheels = [read_wheel(path) for path in sorted((folder / "wheels").glob("*.whl"))]
    sbom = json.dumps(sbom_of(wheels, release, time), indent=1, sort_keys=True, ensure_ascii=False)
    (folder / "sbom.cdx.json").write_text(sbom + "\n", "utf-8")
    (folder / "THIRD-PARTY.txt").write_text(third_party(wheels), "utf-8")


def read_wheel(path: Path) -> Wheel:
    """Return what a wheel says of itself. Raises Refused where its licence or the text of it is not known."""
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        info = next(name for name in names if name.endswith(".dist-info/METADATA") and name.count("/") == 1)
        metadata = Parser().parsestr(wheel.read(info).decode(), headersonly=True)
        said = info.removesuffix("METADATA")
        texts = {
            name: wheel.read(name).decode("utf-8", "replace")
            for name in names
            if name.startswith(said) and not name.endswith("/") and _is_licence(name.removeprefix(said))
        }
    named = f"{str(metadata['Name']).lower()}-{metadata['Version']}"
    if not texts and (own := OWN / f"{named}.txt").exists():
        texts[own.name] = own.read_text("utf-8")
    if not texts:
        raise Refused(f"{path.name} has no licence text; write it into requirements/licences/{named}.txt")
    digest = sha256(path.read_bytes()).hexdigest()
    return Wheel(path.name, str(metadata["Name"]), str(metadata["Version"]), digest, _expression(metadata), texts)


def _is_licence(name: str) -> bool:
    return name.startswith("licenses/") or name.lower().startswith(TEXTS) or name in ("edl-v10", "epl-v20")


def _expression(metadata: Message) -> str:
    if metadata["License-Expression"]:
        return str(metadata["License-Expression"])
    said = [str(metadata["License"] or ""), *metadata.get_all("Classifier", [])]
    if "\n" not in said[0] and said[0] and not said[0].startswith("UNKNOWN"):
        return EXPRESSIONS.get(said[0], said[0])
    found = [EXPRESSIONS[each] for each in said if each in EXPRESSIONS]
    if not found:
        raise Refused(f"{metadata['Name']}: its licence has no name here; add it to EXPRESSIONS in scripts/contents.py")
    return found[0]


def sbom_of(wheels: list[Wheel], release: list[str], time: int) -> dict[str, Any]:
    """Return the wheels as CycloneDX 1.5. release: name, version, machine; time: of the commit, s since 1970."""
    name, version, arch = release
    root = f"pkg:generic/{name}@{version.replace('+', '%2B')}?arch={arch}"
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{_normal(each.name)}@{each.version}",
            "purl": f"pkg:pypi/{_normal(each.name)}@{each.version}",
            "name": each.name,
            "version": each.version,
            "hashes": [{"alg": "SHA-256", "content": each.sha256}],
            "licenses": [{"expression": each.licence}],
            "properties": [{"name": "file", "value": f"wheels/{each.file}"}],
        }
        for each in sorted(wheels)
    ]
    made: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(time, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),  # noqa: UP017
            "component": {"type": "application", "bom-ref": root, "purl": root, "name": name, "version": version},
        },
        "components": components,
        "dependencies": [{"ref": root, "dependsOn": sorted(each["bom-ref"] for each in components)}],
    }
    content = json.dumps(made, sort_keys=True)
    return made | {"serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}"}


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def third_party(wheels: list[Wheel]) -> str:
    """Return the licences of other people's wheels, each with its texts."""
    others = [each for each in sorted(wheels) if each.name != "firmware-bridge"]
    parts = ["What other people made and this holds, each under its own licence.\n"]
    parts += [f"{each.name} {each.version}: {each.licence}" for each in others]
    for each in others:
        for file, text in sorted(each.texts.items()):
            parts.append(f"\n{'=' * 100}\n{each.name} {each.version}: {each.licence} ({file})\n{'=' * 100}\n")
            parts.append("\n".join(line.rstrip() for line in text.strip("\n\f").splitlines()))
    return "\n".join(parts) + "\n"


def _sums(folder: Path, named: list[str], keys: list[Path]) -> None:
    digests = {name: sha256(file.read()).hexdigest() for name, file in in_folder(folder)() if name not in (SUMS, NOTE)}
    name, version, arch = named
    text = sums_text(Release(name, version, arch, digests))
    parse_sums(text)
    signers = []
    for path in keys:
        seed = read_seed(path)
        if seed is None:
            raise Refused(f"{path} is no key of releases; scripts/release --new-key makes one")
        known = [key for key in pinned_keys() if key == signer(key.name, seed).key]
        if not known:
            remedy = "what is installed of this could not verify the next; add its line"
            raise Refused(f"{path} is not in firmware_bridge/record/release-keys.txt: {remedy}")
        signers.append(signer(known[0].name, seed))
    (folder / SUMS).write_text(text, "utf-8")
    if signers:
        (folder / NOTE).write_text(signed_note(text, signers), "utf-8")


def _new_key(path: Path, name: str) -> None:
    write_seed(path)
    key = signer(name, read_seed(path) or b"").key
    print(f"{key.vkey}\nfingerprint  {key.fingerprint}")


if __name__ == "__main__":
    main()
