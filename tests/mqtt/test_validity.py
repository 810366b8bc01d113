"""How long a certificate is valid, as read from its bytes."""

from __future__ import annotations

import base64
import ssl
import subprocess
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.mqtt.certificates import Validity, validity
from tests.kit.certificates import Authority


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority") / "a")


def as_openssl_says(path: Path) -> Validity:
    command = ["openssl", "x509", "-noout", "-startdate", "-enddate", "-in", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    begins, ends = (line.partition("=")[2] for line in done.stdout.splitlines())
    return Validity(*(float(ssl.cert_time_to_seconds(each)) for each in (begins, ends)))


@pytest.mark.parametrize("ends", [-1.0, 1.0, 3650.0, 20_000.0])
def test_it_is_what_openssl_says(authority: Authority, ends: float) -> None:
    """Beyond 2049 a time has another form."""
    authority.issue("leaf", "DNS:a.example,IP:10.0.0.1", begins=-40.0, ends=ends)
    path = authority.folder / "leaf.pem"
    found = validity("what stands before it\n" + path.read_text())
    assert found == as_openssl_says(path)
    assert abs(found.ends - time.time() - ends * 86_400) < 120


def test_a_certificate_of_version_1_too(authority: Authority, tmp_path: Path) -> None:
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=one -keyout k -out c.csr"
    subprocess.run(command.replace(" -x509", " -new").split(), cwd=tmp_path, check=True, capture_output=True)
    signed = "openssl x509 -req -in c.csr -signkey k -days 3 -out c.pem"
    subprocess.run(signed.split(), cwd=tmp_path, check=True, capture_output=True)
    assert validity((tmp_path / "c.pem").read_text()) == as_openssl_says(tmp_path / "c.pem")


def pem(der: bytes) -> str:
    text = base64.encodebytes(der).decode().replace("\n", "") or "AA=="
    return f"-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n"


@given(at=st.integers(0, 10_000), to=st.integers(0, 255), cut=st.integers(0, 10_000))
def test_damaged_bytes_are_an_error_of_value_or_another_time(authority: Authority, at: int, to: int, cut: int) -> None:
    der = bytearray(ssl.PEM_cert_to_DER_cert((authority.folder / "ca.pem").read_text()))
    der[at % len(der)] = to
    with suppress(ValueError):
        assert all(isinstance(each, float) for each in validity(pem(bytes(der[: cut or None]))))


@given(st.text())
def test_any_text_is_an_error_of_value(text: str) -> None:
    with pytest.raises(ValueError, match="no certificate"):
        validity(text)


def test_a_year_is_that_of_the_certificate() -> None:
    der = bytes.fromhex("3043 3041") + bytes.fromhex("020101 3000 3000 301e")
    for text, tag, year in (("491231235959Z", 0x17, 2049), ("20500101000000Z", 0x18, 2050)):
        one = bytes([tag, len(text)]) + text.encode()
        found = validity(pem(der[:4] + der[4:11] + bytes([0x30, 2 * len(one)]) + one * 2 + bytes(40)))
        assert datetime.fromtimestamp(found.ends, UTC).year == year
