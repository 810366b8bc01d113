"""Certificates for a broker and a bridge, made by openssl."""

import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a CA, a broker's and a bridge's certificate, and a CA that signed neither."""
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
    return folder
