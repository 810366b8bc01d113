"""`shoe-floor page`, and `metrics`, as they are installed: what they need, and the unit of the page."""

import sys
from pathlib import Path

import pytest

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import parse
from firmware_bridge.floor.page_config import PageSection

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("command", ["page", "metrics"])
@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_a_missing_package_names_the_extra_that_brings_it(
    package: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / "floor.toml").write_text("")
    assert main(["--config", str(tmp_path / "floor.toml"), command]) == 78
    said = capsys.readouterr().err
    assert "the package" in said
    assert said.endswith("pip install '.[floor]'\n")


def test_its_unit_is_as_hardened_as_the_ingests() -> None:
    ingest, page = (
        set((ROOT / f"systemd/shoe-floor-{name}.service").read_text().split("LimitCORE=0")[1].splitlines())
        for name in ("ingest", "page")
    )
    assert {line.partition("=")[0] for line in ingest - page if not line.startswith("#")} == {"TasksMax", "MemoryMax"}
    added = {line for line in page - ingest if not line.startswith(("#", "TasksMax", "MemoryMax"))}
    assert added == {f"SocketBindAllow=tcp:{PageSection().port}"}


@pytest.mark.parametrize(
    ("keys", "mistake"),
    [
        ({"host": "0.0.0.0"}, "is on a network, where passwords must not be read"),
        (
            {"sign_in": "off", "host": "0.0.0.0", "cert": "/c", "key": "/k"},
            'sign_in = "off" is only for a host of this',
        ),
        ({"sign_in": "off", "names": ["pit.example"]}, 'sign_in = "off" is only for a host of this machine'),
        ({"sign_in": "off", "proxies": ["127.0.0.1"]}, 'sign_in = "off" is only for a host of this machine'),
        ({"cert": "/c"}, "cert and key need each other"),
        ({"proxies": ["nginx"]}, '"nginx" is no address'),
        ({"sign_in": "off", "order_key_file": "k"}, "order_key_file needs a sign-in, as each order has its person"),
        ({"user_header": "X-Remote-User"}, "could be set by anybody: set socket or user_secret_file too"),
        ({"user_secret_file": "/s"}, "user_secret_file needs user_header: set both"),
        ({"socket": "page.sock"}, "socket: write the full path, starting with /, without cert"),
        ({"socket": "/run/page.sock", "sign_in": "off"}, "and with sign_in"),
        ({"users": "users.json"}, "write the full path"),
    ],
)
def test_a_page_that_anybody_could_reach_does_not_start(keys: dict[str, object], mistake: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse({"page": keys})
    assert mistake in str(refused.value)


def test_a_page_on_a_network_has_tls_or_a_proxy_and_sign_in_is_on() -> None:
    assert parse({"page": {"host": "0.0.0.0", "cert": "/c", "key": "/k"}}).page.sign_in == "on"
    assert parse({"page": {"host": "0.0.0.0", "proxies": ["10.0.0.2"]}}).page.sign_in == "on"
    assert parse({}).page.sign_in == "on"


def test_a_password_of_the_page_without_its_user_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match=r"\[page\] password_file needs username"):
        parse({"page": {"password_file": "page-password"}})
