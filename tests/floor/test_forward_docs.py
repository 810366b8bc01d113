"""What docs/forward.md says is so: its keys, its kinds, its unit and its receiver."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import fields

from firmware_bridge.floor.config import load, parse
from firmware_bridge.floor.facts.made import _MADE, Fact
from firmware_bridge.floor.facts.rows import Round
from firmware_bridge.floor.forward.envelope import Request, signed
from firmware_bridge.floor.forward_config import ForwardRow
from firmware_bridge.floor.store.feed import KIND_OF, KINDS
from firmware_bridge.floor.store.open import open_store
from tests.floor.every_facts import every_row
from tests.floor.every_forward import forwarding, ids_of
from tests.floor.webhooks import KEY, KEY_TEXT
from tests.kit.broker import free_port
from tests.kit.patience import HANG_S, until

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs/forward.md").read_text("utf-8")
EXAMPLE = ROOT / "docs/examples/receive_webhooks.py"
EVENTS_OF = {
    "alarm": {"Irregular", "IrregularityClosed"},
    "entry": {"CardEntered", "CardLookedAt"},
    "dealer": {"DealerSignedIn"},
    "shoe": {"ShoeOpened", "ShoeEnded"},
    "order": {"CommandAnswered"},
    "shift": {"ShiftEnded"},
}


def test_the_page_names_every_key_with_its_default() -> None:
    documented = dict(re.findall(r"^\| `(\w+)` \| (.*?) ?\| ", DOC.split("## What comes")[0], re.M))
    assert list(documented) == [field.name for field in fields(ForwardRow)]
    for field in fields(ForwardRow):
        default = field.default if field.default is not None else "none"
        wanted = "" if field.required else "none" if default == "none" else f"`{json.dumps(default)}`"
        assert documented[field.name] == wanted, field.name


def test_the_page_names_every_kind_with_its_events() -> None:
    documented = re.findall(r"^\| `(\w+)` \| (`\w+`(?:, `\w+`)*) \|$", DOC, re.M)
    assert {kind: set(re.findall(r"\w+", events)) for kind, events in documented} == EVENTS_OF
    assert set(KINDS) == {"round", *EVENTS_OF} == set(KIND_OF.values())
    assert set().union(*EVENTS_OF.values()) == set(_MADE)
    assert set(KIND_OF) == {Round, *get_args(Fact)}


def test_the_row_of_the_page_is_one() -> None:
    [block] = re.findall(r"```toml\n(.*?)```", DOC, re.S)
    name, url, key_file = re.findall(r'"(.*)"', block)
    assert parse({"forward": [{"name": name, "url": url, "key_file": key_file}]}).forward[0].kinds == ("round",)
    assert f"LoadCredential={key_file}:shoe-floor.forward-key" in unit("forward")


def unit(name: str) -> list[str]:
    return (ROOT / f"systemd/shoe-floor-{name}.service").read_text().splitlines()


def test_the_unit_is_as_hardened_as_the_metrics() -> None:
    missing = [line for line in unit("metrics") if "=" in line and line not in unit("forward")]
    names = {line.partition("=")[0] for line in missing}
    assert names == {
        *("Description", "Documentation", "After", "ExecStart", "WatchdogSec", "LoadCredential", "SocketBindAllow")
    }


def post(port: int, body: bytes, headers: dict[str, str]) -> int:
    with closing(HTTPConnection("127.0.0.1", port, timeout=HANG_S)) as link:
        link.request("POST", "/", body, headers)
        return link.getresponse().status


def test_the_receiver_of_the_page_keeps_what_is_signed_once(tmp_path: Path) -> None:
    port, key = free_port(), tmp_path / "key"
    key.write_text(KEY_TEXT)
    (tmp_path / "floor.toml").write_text(
        f'[store]\npath = "{tmp_path}/floor.db"\n[[forward]]\nname = "cms"\nurl = "http://127.0.0.1:{port}/"\n'
        f'key_file = "{key}"\nbatch = 3\n'
    )
    config = load(tmp_path / "floor.toml")
    with closing(open_store(config, make=True)) as store:
        store.save(every_row(), [], [])
    receiver = subprocess.Popen([sys.executable, str(EXAMPLE), str(tmp_path / "got.db"), str(key), str(port)])
    try:
        for _ in range(2):  # the second time from the start, so that all comes again
            with forwarding(config):
                until(lambda: len(got(tmp_path)) == len(ids_of(config, "round")))
                until(lambda: is_done(tmp_path))
            with closing(sqlite3.connect(tmp_path / "floor.db")) as db, db:
                db.execute("delete from forward")
        assert [each[:2] for each in got(tmp_path)] == ids_of(config, "round")
        made = Request("x-1", "application/json", b"{}")
        good = signed(made, KEY, int(time.time()))
        for wrong in (
            signed(made, KEY[1:], int(time.time())),
            signed(made, KEY, int(time.time()) - 3600),
            {**good, "webhook-id": "x-2"},
            {**good, "webhook-timestamp": "now"},
            {},
        ):
            assert post(port, b"{}", wrong) == 401
        assert post(port, b"[]", good) == 401
    finally:
        receiver.kill()
        receiver.wait()


def got(folder: Path) -> list[tuple[str, str]]:
    try:
        with closing(sqlite3.connect(folder / "got.db")) as db:
            return db.execute("select source, id from event order by sequence").fetchall()
    except sqlite3.OperationalError:
        return []


def is_done(folder: Path) -> bool:
    with closing(sqlite3.connect(folder / "floor.db")) as db:
        [(done,)] = db.execute("select (select place from forward) = (select max(place) from feed)")
    return bool(done)


@pytest.mark.parametrize("page", ["api", "forward"])
def test_the_pages_of_other_systems_are_named_where_people_look(page: str) -> None:
    assert f"({page}.md)" in (ROOT / "docs/README.md").read_text("utf-8")
