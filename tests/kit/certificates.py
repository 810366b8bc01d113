"""Certificates for a broker and a bridge, made by openssl."""

import subprocess
from datetime import UTC, datetime, timedelta
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


class Authority:
    """A certificate authority in a folder, of `openssl ca`, for any days. Files: NAME.pem, NAME.key, crl.pem."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        (folder / "ca.cnf").write_text(_AUTHORITY)
        (folder / "index.txt").touch()
        (folder / "serial").write_text("01\n")
        self._run("openssl req -x509 -days 3650 -subj /CN=authority -keyout ca.key -out ca.pem", _NEW)
        self.publish()

    def issue(self, name: str, names: str = "", begins: float = -1.0, ends: float = 365.0) -> None:
        """Make a certificate. names: as in subjectAltName. begins, ends: days from now."""
        more = f"-addext subjectAltName={names}" if names else ""
        self._run(f"openssl req -new -subj /CN={name} -keyout {name}.key -out {name}.csr", _NEW, more)
        dates = f"-startdate {_date(begins)} -enddate {_date(ends)}"
        self._run(f"openssl ca -batch -config ca.cnf -notext -in {name}.csr -out {name}.pem", dates)

    def revoke(self, name: str) -> None:
        """Put a certificate into `crl.pem`."""
        self._run(f"openssl ca -config ca.cnf -revoke {name}.pem")
        self.publish()

    def publish(self) -> None:
        """Write `crl.pem` anew."""
        self._run("openssl ca -config ca.cnf -gencrl -out crl.pem")

    def _run(self, *parts: str) -> None:
        subprocess.run(" ".join(parts).split(), cwd=self.folder, check=True, capture_output=True)


_NEW = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
_AUTHORITY = """
[ca]
default_ca = a
[a]
database = index.txt
serial = serial
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
default_md = sha256
default_days = 30
default_crl_days = 30
policy = any
unique_subject = no
copy_extensions = copy
[any]
commonName = supplied
"""


def _date(days: float) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y%m%d%H%M%SZ")
