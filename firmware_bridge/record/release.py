"""Verifies releases: a bundle or package with the files of its `SHA256SUMS`, as the note beside that signs it.

Needs the standard library of Python alone. The keys are those of the version that runs, never of the one that comes.
"""

import gzip
import re
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, Final, NamedTuple

from firmware_bridge.facts.decoding import Undecodable, text_in, text_of
from firmware_bridge.record.verify import ED25519, NOTE_BYTES, Key, Refused, is_signed, parse_note, parse_vkey

SUMS: Final = "SHA256SUMS"
NOTE: Final = "SHA256SUMS.note"
KEYS: Final = Path(__file__).with_name("release-keys.txt")

_HEAD: Final = re.compile(r"# ([a-z][a-z-]{0,63}) ([0-9][0-9A-Za-z.+]{0,63}) ([a-z0-9]{1,16})")
_LINE: Final = re.compile(r"([0-9a-f]{64})  ([^\s/\\][^\n\\]*)")
_VERSION: Final = re.compile(r"(\d+(?:\.\d+)*)\+(\d{14})\.[0-9a-f]+(?:\.dirty)?")
_GZIP: Final = bytes.fromhex("1f8b0800000000000403")
"""How `gzip -1n` begins: nothing there may differ without being seen, though it does not change what is packed."""

_FILES: Final = 10_000
_BYTES: Final = 1 << 30
"""Bounds of an archive that is read before its signature can be verified."""

_LONG_NAME: Final = 1 << 12
"""Most bytes of a name that has a header of its own."""

_NAME: Final = re.compile(r"[ -~]{1,400}")
"""A path in a bundle; none has another character, which a terminal might obey."""

_REST: Final = 1 << 16
"""Most bytes behind the end of an archive; `tar` fills its last block of 10,240."""

_CHUNK: Final = 1 << 20

_TYPES: Final = (tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.GNUTYPE_LONGNAME)
"""What `tar` writes for a bundle. Any other header may ask a reader for more than it needs."""


class _Header(tarfile.TarInfo):
    """A header of an archive, judged before anything that it describes is read."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_Header":
        found = super().frombuf(buf, encoding, errors)
        most = _LONG_NAME if found.type == tarfile.GNUTYPE_LONGNAME else _BYTES
        if not _NAME.fullmatch(found.name):
            raise Refused("a name in it is none of a bundle")
        if found.type not in _TYPES:
            raise Refused(f"{found.name}: it is neither a file nor a folder")
        if not 0 <= found.size <= most or (found.size and found.type == tarfile.DIRTYPE):
            raise Refused(f"{found.name}: it is larger than it may be")
        return found


Files = Callable[[], Iterator[tuple[str, IO[bytes]]]]
"""Reads a release from its beginning: each file's path and what it holds."""


class Release(NamedTuple):
    """What a `SHA256SUMS` says. files: path -> SHA-256 as hex; signers: those that signed it, of the known keys."""

    name: str
    version: str
    arch: str
    files: dict[str, str]
    signers: tuple[Key, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} {self.version} {self.arch}"

    @property
    def order(self) -> tuple[tuple[int, ...], int]:
        """What rises from release to release: the numbers of the version, then the time of its commit."""
        found = _VERSION.fullmatch(self.version)
        if not found:
            raise Refused(f"{self.version} is no version of a release")
        return tuple(map(int, found[1].split("."))), int(found[2])


def pinned_keys(path: Path = KEYS) -> tuple[Key, ...]:
    """Return the keys of releases that this version knows. Raises Refused."""
    lines = (line.strip() for line in text_in(path).splitlines())
    keys = tuple(parse_vkey(line) for line in lines if line and not line.startswith("#"))
    if any(key.kind != ED25519 for key in keys):
        raise Refused(f"{path}: a release is signed by keys of type Ed25519")
    return keys


def installed_release(prefix: Path) -> Release | None:
    """Return the release that an environment was installed from; None where it was made of sources."""
    for path in sorted(prefix.glob(f"share/*/{SUMS}")):
        return parse_sums(text_in(path))
    return None


def parse_sums(text: str) -> Release:
    """Return what the lines of `SHA256SUMS` say; the first one names the release. Raises Refused."""
    head, *lines = text.split("\n")
    found = _HEAD.fullmatch(head)
    if not found or lines[-1:] != [""]:
        raise Refused(f"{SUMS}: it does not begin with a line that names the release, or it is cut off")
    files: dict[str, str] = {}
    for number, line in enumerate(lines[:-1], 2):
        each = _LINE.fullmatch(line)
        if not each or ".." in PurePosixPath(each[2]).parts or each[2] in files:
            raise Refused(f"{SUMS}, line {number}: not a hash, two blanks and a path of its own")
        files[each[2]] = each[1]
    return Release(found[1], found[2], found[3], files)


def sums_text(release: Release) -> str:
    """Return the lines of `SHA256SUMS`; `sha256sum -c` reads them too."""
    lines = (f"{digest}  {path}\n" for path, digest in sorted(release.files.items()))
    return f"# {release}\n{''.join(lines)}"


def verified_sums(sums: bytes, note: bytes | None, keys: Sequence[Key]) -> Release:
    """Return the release of a `SHA256SUMS` that its note signs. Raises Refused. note: None where none is asked for."""
    try:
        text = text_of(sums)
        signed = parse_note(text_of(note)) if note is not None else None
    except Undecodable:
        raise Refused(f"{SUMS} or {NOTE}: it is no text") from None
    except Refused as error:
        raise Refused(f"{NOTE}: {error}") from None
    if signed is None:
        return parse_sums(text)
    known = {(key.name, key.id): key for key in keys}
    signers = []
    for each in signed.signatures:
        key = known.pop((each.name, each.id), None)
        if key and not is_signed(key.public, each.data, signed.text.encode()):
            raise Refused(f"{NOTE}: the signature of {key.name} is wrong")
        signers += [key] if key else []
    if not signers:
        raise Refused(
            f"{NOTE}: signed by no key that this version knows "
            f"({', '.join(key.name for key in keys) or 'it knows none'}); between two keys there is a release with both"
        )
    if text != signed.text:
        raise Refused(f"{SUMS}: it is not what {NOTE} signs")
    return parse_sums(text)._replace(signers=tuple(signers))


def verified_files(files: Files, keys: Sequence[Key] | None, to: Path | None = None) -> Release:
    """Return the release that these files are, each and no other. Raises Refused, which begins with the file's path.

    keys: None where no signature is asked for. to: a new folder that the files are written to, as they are verified.
    """
    held: dict[str, bytes] = {}
    for name, file in files():
        if name in (SUMS, NOTE):
            if name in held:
                raise Refused(f"{name}: it is there twice")
            held[name] = file.read(NOTE_BYTES + 1)
    if SUMS not in held:
        raise Refused(f"{SUMS}: there is none, so nothing can be verified")
    if keys is not None and NOTE not in held:
        raise Refused(f"{NOTE}: there is none: this is not signed")
    release = verified_sums(held[SUMS], held[NOTE] if keys is not None else None, keys or ())
    seen: set[str] = set()
    for name, file in files():
        if name in held:
            _written(to, name, iter([held[name]]))
            continue
        if name not in release.files or name in seen:
            raise Refused(f"{name}: {SUMS} does not name it" if name not in seen else f"{name}: it is there twice")
        seen.add(name)
        if _written(to, name, iter(lambda: file.read(_CHUNK), b"")) != release.files[name]:  # noqa: B023  # read here
            raise Refused(f"{name}: its bytes are not those in {SUMS}")
    for name in sorted(release.files.keys() - seen):
        raise Refused(f"{name}: it is missing")
    return release


def _written(to: Path | None, name: str, chunks: Iterable[bytes]) -> str:
    """Return the SHA-256 of a file, which is written into a folder, if there is one."""
    digest = sha256()
    if to is None:
        for chunk in chunks:
            digest.update(chunk)
        return digest.hexdigest()
    path = to / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as out:
        for chunk in chunks:
            digest.update(chunk)
            out.write(chunk)
    return digest.hexdigest()


def in_folder(folder: Path) -> Files:
    """Return the files of a bundle that is unpacked. Raises Refused for a link, a device and the like."""

    def files() -> Iterator[tuple[str, IO[bytes]]]:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                raise Refused(f"{name}: it is neither a file nor a folder")
            if path.is_file():
                with path.open("rb") as file:
                    yield name, file

    return files


def in_archive(archive: Path) -> Files:
    """Return the files of a bundle, as `scripts/package` packs it, in one folder. Raises Refused for other things."""

    def files() -> Iterator[tuple[str, IO[bytes]]]:
        with _opened(archive) as packed, tarfile.open(fileobj=packed, mode="r|", tarinfo=_Header) as tar:
            count = size = 0
            for member in tar:
                count, size = count + 1, size + member.size
                if count > _FILES or size > _BYTES:
                    raise Refused(f"{archive.name}: it holds more than a bundle does")
                parts = PurePosixPath(member.name).parts
                if ".." in parts or not _NAME.fullmatch(member.name):
                    raise Refused("a name in it is none of a bundle")
                if member.isreg() and (file := tar.extractfile(member)):
                    yield "/".join(parts[1:]), file
            if len(packed.read(_REST)) == _REST:  # to its checksum
                raise Refused(f"{archive.name}: something is behind its end")

    return files


@contextmanager
def _opened(archive: Path) -> Iterator[gzip.GzipFile]:
    try:
        with archive.open("rb") as raw:
            if raw.read(len(_GZIP)) != _GZIP:
                raise Refused(f"{archive.name}: it does not begin as a bundle does")
            raw.seek(0)
            with gzip.open(raw) as packed:
                yield packed
    except (tarfile.TarError, zlib.error, gzip.BadGzipFile, EOFError) as error:
        raise Refused(f"{archive.name}: it is damaged ({error})") from None


def verified_beside(file: Path, keys: Sequence[Key] | None) -> Release | None:
    """Return the release with a `SHA256SUMS` beside the file that names it; None where none does. Raises Refused."""
    folder = file.parent
    try:
        sums = (folder / SUMS).read_bytes()
        note = (folder / NOTE).read_bytes() if keys is not None else None
    except FileNotFoundError:
        return None
    release = verified_sums(sums, note, keys or ())
    wanted = release.files.get(file.name)
    if wanted is None:
        return None
    with file.open("rb") as opened:
        if _written(None, "", iter(lambda: opened.read(_CHUNK), b"")) != wanted:
            raise Refused(f"{file.name}: its bytes are not those in {SUMS}")
    return release
