"""Signed releases, made twice, and what the installed version says of them before anything in them runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from firmware_bridge.record.signer import signer, write_seed
from tests.kit.project_copy import PROJECT, commit, copy_of_the_project, runs
from tests.package.making import ARCH, marks

pytestmark = marks

TRIES = 200
RAN = "it ran"


class Stage(NamedTuple):
    """Two releases of two commits, the newer one also made by another checkout; and a key that is not theirs."""

    older: Path
    newer: Path
    again: Path
    key: Path


def released(project: Path, out: Path, key: Path) -> Path:
    command = [str(project / "scripts/release"), "--key", str(key), "--arch", ARCH, "--out", str(out)]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return Path(said[0]).parent


def pin(project: Path, key: Path) -> None:
    with (project / "firmware_bridge/record/release-keys.txt").open("a") as file:
        file.write(f"{signer('alice', key.read_bytes()).key.vkey}\n")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    base = tmp_path_factory.mktemp("released")
    key, project, clone = base / "alice.key", base / "project", base / "elsewhere/clone"
    write_seed(key)
    copy_of_the_project(project)
    pin(project, key)
    commit(project)
    older = released(project, base / "out", key)
    (project / "firmware_bridge/newer.txt").write_text("newer")
    env = {"GIT_COMMITTER_DATE": "2030-01-01T00:00:00Z"}
    subprocess.run(["git", "-C", str(project), "add", "--all"], check=True)
    author = ["-c", "user.name=a test", "-c", "user.email=test@localhost"]
    words = ["git", "-C", str(project), *author, "commit", "-qm", "newer"]
    subprocess.run(words, check=True, env=os.environ | env)
    subprocess.run(["git", "clone", "--quiet", str(project), str(clone)], check=True)
    yield Stage(older, released(project, base / "out", key), released(clone, base / "again", key), key)
    shutil.rmtree(base)


@pytest.fixture(scope="module")
def root(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory tree with the older release installed: the first time nothing is there that could verify it."""
    base = tmp_path_factory.mktemp("tree")
    bundle = unpacked(stage.older, base)
    command = [str(bundle / "scripts/install"), "--root", str(base / "root")]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd="/").stdout
    assert "nothing could verify it but you" in said
    return base / "root"


def unpacked(release: Path, to: Path) -> Path:
    [archive] = release.glob("*.tar.gz")
    subprocess.run(["tar", "-xf", str(archive), "-C", str(to)], check=True)
    return to / archive.name.removesuffix(".tar.gz")


def bundle_of(root: Path, *words: str | Path) -> tuple[int, str]:
    """What `shoe bundle` of the installed version answers."""
    command = [str(root / "opt/firmware-bridge/bin/python"), "-IB", "-m", "firmware_bridge", "bundle", *map(str, words)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/")
    return done.returncode, done.stdout


def test_a_commit_gives_the_same_bytes_wherever_it_is_made(stage: Stage) -> None:
    held = {path.name: path.read_bytes() for path in stage.newer.iterdir()}
    assert {path.name: path.read_bytes() for path in stage.again.iterdir()} == held
    assert {name.rpartition(".")[2] for name in held} == {"deb", "gz", "json", "txt", "py", "SHA256SUMS", "note"}


def test_the_installed_version_takes_the_newer_one_and_runs_its_installer(
    stage: Stage, root: Path, tmp_path: Path
) -> None:
    tree = tmp_path / "root"
    shutil.copytree(root, tree, symlinks=True)
    [archive] = stage.newer.glob("*.tar.gz")
    assert bundle_of(tree, "verify", archive)[0] == 0
    code, said = bundle_of(tree, "install", archive, "--with", "--root", tree)
    assert (code, "files verified, signed by alice (" in said) == (0, True), said
    newer = runs(tree)
    [archive] = stage.older.glob("*.tar.gz")
    code, said = bundle_of(tree, "install", archive, "--with", "--root", tree)
    assert (code, "--rollback takes it" in said, runs(tree)) == (1, True, newer)
    bundle = unpacked(stage.older, tmp_path)
    done = subprocess.run([bundle / "scripts/install", "--root", tree], check=False, capture_output=True, text=True)
    assert (done.returncode, "bundle install FILE --rollback" in done.stderr, runs(tree)) == (1, True, newer)
    code, said = bundle_of(tree, "install", archive, "--rollback", "--with", "--root", tree)
    assert (code, runs(tree)) == (0, runs(root)), said


def test_one_byte_changed_anywhere_is_refused_before_anything_runs(stage: Stage, root: Path, tmp_path: Path) -> None:
    """Each try copies the bundle, changes one byte, and installs it: the installer would leave a trace."""
    right = unpacked(stage.newer, tmp_path)
    files = sorted(path for path in right.rglob("*") if path.is_file())
    rng, before = Random(31), runs(root)
    for n in range(TRIES):
        path = (
            files[n % len(files)]
            if n < 2 * len(files)
            else right / "scripts/install"
            if n % 4 == 0
            else rng.choice(files)
        )
        content, place = path.read_bytes(), rng.randrange(path.stat().st_size)
        path.write_bytes(content[:place] + bytes([content[place] ^ rng.randrange(1, 256)]) + content[place + 1 :])
        action = "install" if n % 10 == 0 else "verify"
        code, said = bundle_of(
            root, action, right, *(["--with", "--root", str(tmp_path / RAN)] if action == "install" else [])
        )
        assert code == 1, (path, place)
        assert path.relative_to(right).as_posix() in said.replace("\n", " "), (path, said)
        assert "nothing in it was run" in said.replace("\n", " ")
        path.write_bytes(content)
    assert not (tmp_path / RAN).exists()
    assert runs(root) == before
    assert bundle_of(root, "verify", right)[0] == 0


@pytest.mark.parametrize("suffix", [".tar.gz", ".deb"])
def test_one_byte_of_an_archive_or_package_is_refused(stage: Stage, root: Path, tmp_path: Path, suffix: str) -> None:
    release = tmp_path / "stick"
    shutil.copytree(stage.newer, release)
    path = next(each for each in release.iterdir() if each.name.endswith(suffix))
    assert bundle_of(root, "verify", path)[0] == 0
    content, rng = path.read_bytes(), Random(7)
    for place in (4, 9, len(content) - 1, *(rng.randrange(len(content)) for _ in range(10))):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        code, said = bundle_of(root, "install", path)
        assert (code, "nothing in it was run" in said.replace("\n", " ")) == (1, True)
    path.write_bytes(content)


def test_another_key_is_none(stage: Stage, root: Path, tmp_path: Path) -> None:
    bundle = unpacked(stage.newer, tmp_path)
    write_seed(tmp_path / "key")
    note, text = bundle / "SHA256SUMS.note", (bundle / "SHA256SUMS").read_text()
    from firmware_bridge.record.signer import signed_note

    note.write_text(signed_note(text, [signer("alice", (tmp_path / "key").read_bytes())]))
    code, said = bundle_of(root, "verify", bundle)
    assert (code, "signed by no key that this version knows" in said.replace("\n", " ")) == (1, True)
    note.unlink()
    assert bundle_of(root, "verify", bundle)[0] == 1
    code, said = bundle_of(root, "verify", bundle, "--unsigned")
    assert (code, "NOT SIGNED" in said) == (0, True)


def test_the_first_installation_is_verified_by_three_lines_of_openssl(stage: Stage, tmp_path: Path) -> None:
    text = (PROJECT / "docs/releases.md").read_text("utf-8")
    [lines] = re.findall(r"```sh\n(key=.*?)```", text, re.S)
    vkey = signer("alice", stage.key.read_bytes()).key.vkey
    script = lines.replace("alice+1a2b3c4d+AXk..", vkey)
    assert script != lines
    shutil.copytree(stage.newer, tmp_path / "stick")
    done = subprocess.run(["bash", "-euc", script], cwd=tmp_path / "stick", check=True, capture_output=True, text=True)
    assert "Signature Verified Successfully" in done.stdout
    assert signer("alice", stage.key.read_bytes()).key.fingerprint.replace(" ", "") in done.stdout
    [package] = (tmp_path / "stick").glob("shoe-floor*.deb")
    package.write_bytes(package.read_bytes() + b" ")
    assert subprocess.run(["bash", "-euc", script], cwd=tmp_path / "stick", check=False, capture_output=True).returncode
    sums = tmp_path / "stick/SHA256SUMS"
    sums.write_text(sums.read_text() + "#\n")
    assert subprocess.run(["bash", "-euc", script], cwd=tmp_path / "stick", check=False, capture_output=True).returncode


def test_every_wheel_is_in_the_sbom_with_a_licence_and_its_text(stage: Stage, tmp_path: Path) -> None:
    bundle = unpacked(stage.newer, tmp_path)
    sbom = json.loads((bundle / "sbom.cdx.json").read_text())
    wheels = {path.name for path in (bundle / "wheels").iterdir()}
    named = {each["properties"][0]["value"].removeprefix("wheels/"): each for each in sbom["components"]}
    assert named.keys() == wheels
    assert all(each["licenses"][0]["expression"] for each in named.values())
    texts = (bundle / "THIRD-PARTY.txt").read_text()
    for each in sbom["components"]:
        if each["name"] != "firmware-bridge":
            assert re.search(rf"^{re.escape(each['name'])} {re.escape(each['version'])}: .*\(", texts, re.M), each[
                "name"
            ]
    assert "Chris Liechti" in texts


def test_a_release_needs_a_key_of_the_list_and_a_clean_commit(stage: Stage, tmp_path: Path) -> None:
    def refused(*words: str | Path) -> str:
        command = [str(project / "scripts/release"), *map(str, words)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode != 0
        return done.stderr

    project = copy_of_the_project(tmp_path / "project")
    assert "a release is signed: --key FILE" in refused()
    assert "is not in firmware_bridge/record/release-keys.txt" in refused("--key", stage.key, "--arch", ARCH)
    (project / "README.md").write_text("changed")
    assert "files differ from the commit" in refused("--key", stage.key)
    made = subprocess.run(
        [project / "scripts/release", "--new-key", tmp_path / "new", "--name", "bob"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    assert made.splitlines()[0] == signer("bob", (tmp_path / "new").read_bytes()).key.vkey
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(sys.version_info < (3, 11), reason="scripts/audited.py")
@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([{"name": "PyNaCl", "version": "1", "vulns": []}, {"name": "cobs", "version": "1", "vulns": []}], 0),
        (
            [
                {"name": "PyNaCl", "version": "1", "vulns": [{"id": "X-1"}]},
                {"name": "cobs", "version": "1", "vulns": []},
            ],
            1,
        ),
        ([{"name": "PyNaCl", "version": "1", "vulns": []}, {"name": "cobs", "skip_reason": "not found"}], 2),
        ([{"name": "PyNaCl", "version": "1", "vulns": []}], 2),
        (None, 2),
    ],
    ids=["none known", "one known", "one skipped", "one missing", "no report"],
)
def test_could_not_ask_is_not_green(rows: object, code: int, tmp_path: Path) -> None:
    (tmp_path / "a.lock").write_text("pynacl==1 \\\n    --hash=sha256:00\ncobs==1 \\\n")
    (tmp_path / "a.json").write_text(json.dumps({"dependencies": rows}) if rows is not None else "")
    command = [sys.executable, str(PROJECT / "scripts/audited.py"), str(tmp_path / "a.lock"), str(tmp_path / "a.json")]
    assert subprocess.run(command, check=False, stdout=subprocess.PIPE).returncode == code
