"""Certificates for a broker and a bridge, made by openssl."""

import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a CA, a broker's and a bridge's certificate, and a CA that signed neither.

    `expired` has another certificate of this broker, which is out of date.
    """
    folder = tmp_path_factory.mktemp("tls")
    root = "-addext keyUsage=critical,keyCertSign,cRLSign"
    leaf = "-CA ca.pem -CAkey ca.key"
    leaf += " -addext basicConstraints=critical,CA:FALSE -addext keyUsage=critical,digitalSignature"
    for name, more in {
        "ca": root,
        "other": root,
        "broker": f"{leaf} -addext subjectAltName=IP:127.0.0.1",
        "bridge": leaf,
    }.items():
        new = f"openssl req -x509 -newkey rsa:2048 -nodes -subj /CN={name} -keyout {name}.key -out {name}.pem"
        subprocess.run([*new.split(), *more.split()], cwd=folder, check=True, capture_output=True)
    _make_expired(folder)
    return folder


def _make_expired(folder: Path) -> None:
    old = folder / "expired"
    old.mkdir()
    for name in ("ca.pem", "broker.key"):
        (old / name).symlink_to(folder / name)
    for command in (
        "openssl x509 -x509toreq -in broker.pem -signkey broker.key -copy_extensions copy -out broker.csr",
        (
            "openssl x509 -req -in broker.csr -CA ca.pem -CAkey ca.key -copy_extensions copy -days -1 "
            "-out expired/broker.pem"
        ),
    ):
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
