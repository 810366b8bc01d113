"""Who may sign in to the page, for how long, and how often somebody may try."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.check import _of_names, _of_stored_names
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import parse
from firmware_bridge.floor.page import people as module
from firmware_bridge.floor.page import sessions as sessions_module
from firmware_bridge.floor.page.people import People, PeopleError
from firmware_bridge.floor.page.sessions import ACT_S, LOOK_S, OF_ONE, STRANGER, Sessions, Tries

PASSWORD = "correct horse battery"


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> People:
    monkeypatch.setattr(module, "N", 2)
    made = People(tmp_path / "users.json")
    made.add("ANNA", "act", PASSWORD)
    made.add("BO", "look", PASSWORD)
    return made


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_of_people_who_are_added_at_the_same_time_none_is_lost(people: People, tmp_path: Path) -> None:
    def add(part: int) -> None:
        for number in range(10):
            People(tmp_path / "users.json").add(f"P{part}-{number}", "look", None)

    with ThreadPoolExecutor(8) as aside:
        list(aside.map(add, range(8)))
    assert len(people.all()) == 2 + 80


def test_a_password_is_kept_as_scrypt_leaves_it_with_a_salt_of_its_own(people: People, tmp_path: Path) -> None:
    kept = (tmp_path / "users.json").read_text()
    assert PASSWORD not in kept
    assert len({each.hashed for each in people.all().values()}) == 2
    assert (tmp_path / "users.json").stat().st_mode & 0o777 == 0o600
    assert (module.R, module.P) == (8, 3)


def test_a_wrong_name_takes_as_much_work_as_a_wrong_password(people: People, mocker: MockerFixture) -> None:
    work = mocker.spy(module, "scrypt")
    assert people.verified("anna", PASSWORD) is not None
    for name in ("ANNA", "nobody", ""):
        assert people.verified(name, "wrong") is None
    people.add("CY", "act", None)
    assert people.verified("CY", "") is None
    costs = [(each.kwargs["n"], each.kwargs["r"], each.kwargs["p"]) for each in work.call_args_list]
    assert len(costs) == 5
    assert len(set(costs)) == 1


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("", PASSWORD),
        (" anna", PASSWORD),
        ("a\nb", PASSWORD),
        ("x" * 33, PASSWORD),
        ("DI", "short"),
        ("DI", "x" * 1025),
        ("longenough", "LongEnough"),
        ("аnna", PASSWORD),
        ("ann\u200ba", PASSWORD),
        ("Key/page", PASSWORD),
        ("ВО", PASSWORD),
    ],
)
def test_a_name_or_password_that_is_not_good_enough_is_refused(people: People, name: str, password: str) -> None:
    with pytest.raises(PeopleError):
        people.add(name, "look", password)


def test_a_person_of_an_older_file_stays_and_may_have_another_password(people: People, tmp_path: Path) -> None:
    file = tmp_path / "users.json"
    file.write_text(file.read_text().replace('"BO"', '"root"').replace('"ANNA"', '"AN\u200bNA"'))
    assert people.add("ROOT", "act", PASSWORD)
    assert people.verified("an\u200bna", PASSWORD) is not None
    config = parse({"page": {"users": str(file)}, "tables": {"T07": {}, "ΤΟΚΥΟ": {}, "TOKYO": {}, "T\u20607": {}}})
    assert [each.text for each in _of_names(config)] == [
        "[tables] T\u20607: the name contains the character \\u2060",
        "[tables] ΤΟΚΥΟ and TOKYO look alike",
        "[page] users: AN\u200bNA: the name contains the character \\u200b",
        '[page] users: ROOT: the name looks like "root", which is no person',
    ]
    assert [each.text for each in _of_stored_names(config, {"T07", "Т07", "TOKYO", "T1O", "T10", "T\u200b1"})] == [
        "table in the store: T\u200b1: the name contains the character \\u200b",
        "table in the store: T07 and Т07 look alike",
    ]


def test_a_file_that_is_broken_lets_nobody_in_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "users.json").write_text('[{"name": "ANNA", "role": "god"}]')
    with pytest.raises(ConfigError, match=r"users.json"):
        People(tmp_path / "users.json").all()
    assert People(tmp_path / "none.json").all() == {}


def test_act_ends_after_15_minutes_without_a_request_and_look_after_12_hours(people: People) -> None:
    time = Time()
    sessions = Sessions(people, time)
    token = sessions.begin("ANNA")
    for _ in range(10):
        time.now += ACT_S - 1
        assert sessions.visitor(token, is_activity=True).may_act
    time.now += ACT_S
    seen = sessions.visitor(token, is_activity=True)
    assert (seen.name, seen.may_look, seen.may_act) == ("ANNA", True, False)
    time.now += 1
    assert not sessions.visitor(token, is_activity=True).may_act  # only signing in again gives it back
    time.now = LOOK_S - 1
    assert sessions.is_there(seen)
    time.now = LOOK_S
    assert not sessions.is_there(seen)
    assert sessions.visitor(token, is_activity=True) is STRANGER


def test_a_stream_is_no_activity(people: People) -> None:
    time = Time()
    sessions = Sessions(people, time)
    token = sessions.begin("ANNA")
    for _ in range(20):
        time.now += 60
        sessions.visitor(token, is_activity=False)
    assert not sessions.visitor(token, is_activity=False).may_act


def test_a_person_who_is_removed_is_out_and_a_changed_role_counts_at_once(people: People, tmp_path: Path) -> None:
    sessions = Sessions(people)
    anna, bo = sessions.begin("ANNA"), sessions.begin("BO")
    other = People(tmp_path / "users.json")  # the command, in another process
    other.remove("anna")
    other.add("BO", "act", PASSWORD)
    assert sessions.visitor(anna, is_activity=True) is STRANGER
    assert sessions.visitor(bo, is_activity=True).may_act


def test_sessions_are_bounded_and_the_oldest_of_a_person_ends(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_module, "MOST", OF_ONE + 3)
    sessions = Sessions(people)
    bo = sessions.begin("BO")
    tokens = [sessions.begin("ANNA") for _ in range(OF_ONE + 5)]
    assert sessions.visitor(tokens[4], is_activity=True) is STRANGER
    assert sessions.visitor(tokens[5], is_activity=True).may_act
    assert sessions.visitor(bo, is_activity=True).may_look
    assert len(set(tokens)) == len(tokens)


def test_five_tries_a_minute_of_a_name_and_of_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    time = Time()
    tries = Tries(time)
    assert [tries.allow("anna", "10.0.0.1") for _ in range(6)] == [True] * 5 + [False]
    assert not tries.allow("anna", "10.0.0.2")
    assert not tries.allow("bo", "10.0.0.1")
    assert tries.allow("bo", "10.0.0.2")  # what was refused before counted for nobody
    assert not any(tries.allow(f"name {number}", "10.0.0.1") for number in range(9))
    assert len(tries._tries) == 4, "refused tries were kept"
    time.now += 60
    assert tries.allow("anna", "10.0.0.1")
    assert len(tries._tries) == 2, "tries were kept for more than a minute"
    tries.forget("anna", "10.0.0.1")
    assert [tries.allow("anna", "10.0.0.1") for _ in range(5)] == [True] * 5
    monkeypatch.setattr(sessions_module, "TRIED", 10)
    assert [tries.allow(f"name {number}") for number in range(20)].count(True) < 20
    assert len(tries._tries) <= 11


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N", 2)
    config = tmp_path / "floor.toml"
    config.write_text(f'[page]\nusers = "{tmp_path}/users.json"\n')

    def user(*words: str, typed: str = "") -> tuple[int, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        code = main(["--config", str(config), "user", *words])
        said = capsys.readouterr()
        return code, said.out + said.err

    assert user("add", "ANNA", "--role", "act", typed=f"{PASSWORD}\n") == (0, "ANNA may sign in, role act\n")
    assert user("add", "anna", typed=f"{PASSWORD}\n") == (0, "anna was changed, role look\n")
    assert user("add", "BO", "--no-password", "--role", "act") == (0, "BO may sign in, role act\n")
    assert user("list") == (0, "act   BO  (signs in at the proxy)\nlook  anna\n")
    code, said = user("add", "CY", typed="short\n")
    assert (code, "10 to 1024 characters" in said) == (1, True)
    assert user("remove", "ANNA") == (0, "ANNA may no longer sign in\n")
    code, said = user("remove", "ANNA")
    assert (code, "there is no ANNA" in said) == (1, True)
