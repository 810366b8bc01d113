"""The config of `shoe-floor`: its example and its docs name every key, and every mistake in it is told."""

import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec import NODEFAULT
from msgspec.structs import fields

from firmware_bridge.config.load import parse as parse_table
from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import LISTS, SECTIONS, FloorConfig, MqttSection, load, parse, password
from firmware_bridge.floor.store import What
from firmware_bridge.floor.verified.quorum import policy
from firmware_bridge.record.verify import Policy

ROOT = Path(__file__).parents[2]
PAGES = ("floor", "page", "screen", "witness", "forward")
DOC = "\n## ".join((ROOT / f"docs/{name}.md").read_text("utf-8") for name in PAGES)


def test_the_example_is_a_config_with_every_default() -> None:
    text = (ROOT / "systemd/floor.toml").read_text()
    assert load(ROOT / "systemd/floor.toml") == FloorConfig()
    lines = [line for line in text.splitlines() if " = " in line or line.startswith(("[", "# ["))]
    raw = tomllib.loads("\n".join(line.removeprefix("# ") for line in lines))
    assert isinstance(parse({"witness": raw["witness"]}).witness, tuple)
    assert parse({"tables": raw["tables"]}).tables["T07"].hours == "10:00-04:00"
    raw["tables"] = raw["tables"]["T07"]
    assert {name: set(keys[0] if name in LISTS else keys) for name, keys in raw.items()} == {
        name: {field.name for field in fields(section)} for name, section in SECTIONS.items()
    }
    known = {name: {field.name: field.default for field in fields(section)} for name, section in SECTIONS.items()}
    own = {name: {key: value for key, value in keys.items() if value is not NODEFAULT} for name, keys in known.items()}
    own = {name: keys for name, keys in own.items() if name not in LISTS}
    assert all(raw[name][key] == value for name, keys in own.items() for key, value in keys.items() if value)


@pytest.mark.parametrize(
    ("tables", "mistake"),
    [
        ({"T07": {"hours": "10-4"}}, '[tables.T07] hours = "10-4": "1" is not allowed; write text'),
        ({"T07": {"hour": "10:00-04:00"}}, "[tables.T07] hour is unknown: did you mean hours?"),
        ({"T07": {"pending_mb": 0}}, "[tables.T07] pending_mb = 0: write a whole number from 1"),
        ({"T07": 3}, "[tables] T07 is a table: write [tables.T07]"),
    ],
)
def test_a_mistake_in_a_table_names_the_table(tables: dict[str, Any], mistake: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse({"tables": {"T08": {"hours": "22:00-04:00"}, **tables}}, "x.toml")
    assert str(refused.value).startswith(f"x.toml: {mistake}")


def test_the_doc_names_every_key_and_view() -> None:
    for section, kind in SECTIONS.items():
        assert f"[{section}]" in DOC
        assert all(f"{field.name}`" in DOC for field in fields(kind))
    assert all(f"| `{name}` |" in DOC for name in ("message", *get_args(What)) if name != "messages")


def test_a_config_that_is_not_there_is_code_78(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--config", "/nowhere/floor.toml", "check"]) == 78
    assert "name the file with --config" in capsys.readouterr().err


def test_every_mistake_is_reported_at_once() -> None:
    with pytest.raises(ConfigError) as raised:
        parse({"mqt": {}, "mqtt": {"prt": 1, "port": 0, "key": "k"}, "store": {"path": "floor.db"}, "ingest": 3})
    lines = str(raised.value).splitlines()
    assert len(lines) == 6
    assert "[mqt] is unknown: did you mean mqtt?" in lines[0]
    assert "did you mean port?" in str(raised.value)


@pytest.mark.parametrize(
    ("raw", "mistake"),
    [
        ({"mqt": {}}, "[mqt] is unknown: did you mean mqtt?"),
        ({"mqtt": 3}, "mqtt is a section: write [mqtt]"),
        ({"mqtt": {"prt": 1}}, "[mqtt] prt is unknown: did you mean port?"),
        ({"mqtt": {"port": 0}}, "[mqtt] port = 0: write a whole number from 1 to 65535"),
        ({"mqtt": {"root": "a b"}}, '[mqtt] root = "a b": a space is not allowed; write text'),
        ({"mqtt": {"host": "a\nb"}}, r"[mqtt] host: a text contains the character \n"),
    ],
)
def test_the_configs_of_table_and_floor_say_the_same_of_a_mistake(raw: dict[str, Any], mistake: str) -> None:
    for read, needed in ((parse_table, {"table": {"id": "T07"}}), (parse, {})):
        with pytest.raises(ConfigError) as refused:
            read(needed | raw, "x.toml")
        [line] = str(refused.value).splitlines()
        assert line.startswith(f"x.toml: {mistake}")


@pytest.mark.parametrize(
    ("nats", "mistake"),
    [
        ({"username": "floor"}, "[nats] has no servers"),
        ({"servers": ["n1.example"]}, '"n1.example" is not allowed: write nats://HOST:PORT'),
        ({"servers": ["nats://floor:secret@n1.example:4222"]}, "an address with user or password is not allowed"),
        ({"servers": ["nats://n1.example:4222"], "key": "k"}, "[nats] key needs cert"),
        ({"servers": ["nats://n1.example:4222"], "monitor": ["n1.example:8222"]}, "write http://HOST:PORT"),
        ({"servers": "nats://n1.example:4222"}, "[nats] servers"),
        ({"servers": ["nats://n1.example:4222"], "consumer": "a b"}, "[nats] consumer"),
    ],
)
def test_mistakes_in_nats_are_reported(nats: dict[str, object], mistake: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse({"nats": nats})
    assert mistake in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"url": "postgresql://u:Sesame-7@h/floor"}, "contains a password"),
        ({"url": "postgresql://u@h/floor?password=Sesame-7"}, "contains a password"),
        ({"url": "mysql://u@h/floor?password=Sesame-7"}, "is not for PostgreSQL"),
        ({"url": "postgresql://u@h/floor", "path": "/floor.db"}, "has both path and url"),
        ({"password_file": "/secret"}, "password_file needs url"),
    ],
)
def test_what_is_wrong_with_the_place_of_the_store_is_reported_without_a_password(
    keys: dict[str, str], words: str
) -> None:
    with pytest.raises(ConfigError, match=words) as raised:
        parse({"store": keys})
    assert "Sesame" not in str(raised.value)


VKEY = "witness.house-b.example/w1+8c2881b9+BAtROtm0kkAVygkC7QeQRNOsXb7CMG8GlIwQ2o62458t"
LOG = "shoe.example/10000000c0ffee01/d683a89c+8edfc775+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c"


@pytest.mark.parametrize(
    ("raw", "mistake"),
    [
        ({"witness": {"vkey": VKEY}}, "witness is a list of tables: write [[witness]]"),
        ({"witness": [{"vkey": VKEY}]}, "[[witness]] number 1: url is missing"),
        ({"witness": [{"vkey": VKEY, "url": "https://a", "ulr": "https://a"}]}, "ulr is unknown: did you mean url?"),
        ({"witness": [{"vkey": LOG, "url": "https://a"}]}, "vkey is no key of a witness"),
        ({"witness": [{"vkey": VKEY[:-1], "url": "https://a"}]}, "[[witness]] number 1: vkey: "),
        ({"witness": [{"vkey": VKEY, "url": f"https://{host}"} for host in "ab"]}, "2: this key stands there twice"),
        ({"witness": [{"vkey": VKEY, "url": "http://w.example/"}]}, "http goes to this machine only: write https://"),
        ({"witness": [{"vkey": VKEY, "url": "http://10.0.0.1/"}]}, "http goes to this machine only"),
        ({"witness": [{"vkey": VKEY, "url": "https://me:Sesame-7@w.example/"}]}, "user or password is not allowed"),
        ({"witness": [{"vkey": VKEY, "url": "https://w.example/?a=1"}]}, "write https://HOST/PREFIX"),
        ({"witness": [{"vkey": VKEY, "url": "w.example"}]}, "write https://HOST/PREFIX"),
        ({"witnes": [{}]}, "[witnes] is unknown: did you mean witness?"),
        ({"record": {"evry": 3}}, "[record] evry is unknown: did you mean every?"),
        ({"record": {"every": 0}}, "[record] every = 0: write a whole number from 1 to 3600"),
    ],
)
def test_mistakes_in_witnesses_are_reported(raw: dict[str, Any], mistake: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse(raw)
    assert mistake in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
    assert "Sesame" not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9110", "http://localhost", "http://[::1]:1/a/", "https://w.example/x"]
)
def test_a_witness_over_tls_or_on_this_machine_is_taken(url: str) -> None:
    [row] = parse({"witness": [{"vkey": VKEY, "url": url}]}).witness
    assert (row.vkey, row.url) == (VKEY, url)


def test_a_policy_replaces_the_quorum_and_must_be_one_that_can_be_met(tmp_path: Path) -> None:
    path, row = tmp_path / "policy.txt", {"vkey": VKEY, "url": "https://w.example"}

    def read(text: str) -> Policy:
        path.write_text(text)
        return policy(parse({"witness": [row], "record": {"policy": str(path)}}))

    assert read(f"log {LOG}\nwitness b {VKEY}\nquorum b\n").quorum == "b"
    other = "witness.vendor.example/w1+819cbac1+BJGiigt0OBWTpNlGlXkgiSavyK2CyIObdkQ1m566mks6"
    with pytest.raises(ConfigError, match=r"no \[\[witness\]\] for v"):
        read(f"witness b {VKEY}\nwitness v {other}\ngroup g all b v\nquorum g\n")
    with pytest.raises(ConfigError, match="line 1"):
        read("quorum x\n")
    with pytest.raises(ConfigError, match="No such file"):
        policy(parse({"record": {"policy": "/nowhere/policy.txt"}}))
    assert policy(FloorConfig()).quorum == "none"


def test_a_secret_without_a_path_is_a_credential_of_the_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mqtt-password").write_bytes(b"secret\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert password(MqttSection(password_file="mqtt-password")) == b"secret"
    assert password(MqttSection(password_file=str(tmp_path / "mqtt-password"))) == b"secret"
    monkeypatch.delenv("CREDENTIALS_DIRECTORY")
    with pytest.raises(ConfigError, match="password_file mqtt-password: No such file"):
        password(MqttSection(password_file="mqtt-password"))
