"""A machine that is wrong in one way each, as far as its files and its system's programs tell."""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge import __build__, __version__
from firmware_bridge.cli.check.board import board
from firmware_bridge.cli.check.orders import names
from firmware_bridge.cli.check.reader import adapter, calibrated, reader, repeats
from firmware_bridge.cli.check.service import access, people, service, versions, within
from firmware_bridge.config.calibration import ReaderSection, Reading, keep
from firmware_bridge.config.findings import Finding
from firmware_bridge.facts import inputs, orders
from tests.cli.check import machines
from tests.cli.check.machines import NOW, PI4, Make, only
from tests.kit.journal_record import AT, Record
from tests.kit.order_keys import OrderKey

machine = machines.machine  # fixture

NO_JOURNAL = {"dir": "/none"}
PASSWD = "shoe-bridge:x:990:990::/:\nroot:x:0:0::/:"
GROUP = "dialout:x:20:pi\ngpio:x:997:pi\nshoe-bridge:x:990:"
KERNEL_66 = PI4 | {"proc/sys/kernel/osrelease": "6.6.51+rpt-rpi-v8"}
PI5 = PI4 | {"proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0"}
CHIP = {"dev/gpiochip0": ""}
UNIT = {
    "LoadState": "loaded",
    "UnitFileState": "enabled",
    "ActiveState": "active",
    "Result": "success",
    "NRestarts": "0",
    "ExecStart": "{ path=/opt/shoe ; argv[]=/opt/shoe run --config /etc/b.toml ; ignore_errors=no ; pid=0 }",
}
VERSIONS = {
    "gpiozero": "2.0.1.post3",
    "pyserial": "3.5",
    "paho-mqtt": "2.2.0",
    "msgspec": "0.19.0",
    "cobs": "1.2.0",
    "rich": "14.0.0",
    "lgpio": "0.2.2.0",
}
CALIBRATED = """
[reader]
at = "2026-06-01T10:00:00Z"
by = "anna"
[reader.measured]
cards = 100
decode_rate = {rate}
"""


@pytest.mark.parametrize(
    ("asks", "groups", "level", "text"),
    [
        ("names", "", "WARN", "two people are two names, which one person may type"),
        ("login", "shoe-pit:x:1:\nshoe-tech:x:2:\n", "FAIL", "shoe-pit and shoe-tech have 0 members"),
        ("login", "shoe-pit:x:1:ann\nshoe-tech:x:2:ann\n", "FAIL", "have 1 members: nobody can confirm an order"),
        ("login", "shoe-pit:x:1:ann\nshoe-tech:x:2:bo\n", "OK", "two people are two logins"),
    ],
)
def test_two_people_are_two_logins_of_the_groups(machine: Make, asks: str, groups: str, level: str, text: str) -> None:
    found = only(people, machine({"etc/group": groups}, rights={"two_people": asks}))
    assert (found.level, text in found.text) == (level, True)


def test_names_that_would_be_refused_today_are_taken_and_named(machine: Make) -> None:
    def key(name: str) -> dict[str, object]:
        return OrderKey(name, "void").row

    found = names(
        machine(
            daemon={"table": {"dealer": "backend"}},
            table={"id": "T\u034f7", "pit": "VIP廳"},
            orders=[key("саре"), key("cape"), key("раge"), key("backend")],
        )
    )
    assert [(each.level, each.text) for each in found] == [
        ("WARN", "[table] id T\u034f7: the name contains the character \\u034f"),
        ("WARN", "[[orders]] раge: the name mixes scripts in a word"),
        ("WARN", "[[orders]] саре and cape look alike"),
        ("WARN", 'the dealer backend: the name looks like "backend", which is no person'),
    ]
    assert [*names(machine(daemon={"table": {"dealer": "João"}}))] == []


def test_names_on_record_that_would_be_refused_today_are_named(machine: Make, tmp_path: Path) -> None:
    record = Record(tmp_path / "journal").begin()
    for by in ("Key Lee", "backend", "key/page", "keypad 2", "key S1.H", "Key/page", "a\u034fnn"):
        record.take(inputs.Ordered(at=AT, order=orders.Next(), by=by, nonce=record.nonce()))
    found = names(machine(journal={"dir": str(tmp_path / "journal")}))
    assert [each.text for each in found] == [
        'on record, Key/page: the name looks like "key/", which is no person',
        "on record, a\u034fnn: the name contains the character \\u034f",
    ]


@pytest.mark.parametrize(
    ("files", "level", "text"),
    [
        ({}, "WARN", "there is no user shoe-bridge"),
        ({"etc/group": GROUP}, "OK", "can use reader and pins"),
    ],
)
def test_the_user_of_the_service(machine: Make, files: dict[str, str], level: str, text: str) -> None:
    found = only(access, machine({"etc/passwd": PASSWD if files else "", **files}, journal=NO_JOURNAL))
    assert (found.level, text in found.text) == (level, True), found


@pytest.mark.parametrize(("mode", "is_fine"), [(0o600, False), (0o640, False), (0o666, True)])
def test_the_mode_of_the_readers_device(machine: Make, mode: int, is_fine: bool) -> None:
    made = machine({"etc/passwd": PASSWD, "etc/group": GROUP, "dev/shoe-reader": ""}, journal=NO_JOURNAL)
    made.at("/dev/shoe-reader").chmod(mode)
    found = only(access, made)
    assert found.level == ("OK" if is_fine else "FAIL")
    if not is_fine:
        assert f"/dev/shoe-reader belongs to {found.text.split()[3]}" in found.text
        assert f"mode {mode:04o}: shoe-bridge cannot open it" in found.text
        assert "udev" in found.remedy


@pytest.mark.parametrize(("mode", "is_fine"), [(0o600, False), (0o640, False), (0o644, True)])
def test_the_mode_of_the_config(machine: Make, tmp_path: Path, mode: int, is_fine: bool) -> None:
    path = tmp_path / "bridge.toml"
    path.touch()
    path.chmod(mode)
    found = only(access, machine({"etc/passwd": PASSWD, "etc/group": GROUP}, journal=NO_JOURNAL)._replace(path=path))
    assert (found.level, "shoe-bridge cannot read it" in found.text) == ("OK" if is_fine else "FAIL", not is_fine)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_journal_that_root_made_is_not_the_services(machine: Make, tmp_path: Path) -> None:
    """`sudo shoe run` once, and the service cannot start any more."""
    directory = tmp_path / "journal"
    directory.mkdir()
    made = machine({"etc/passwd": PASSWD, "etc/group": GROUP}, journal={"dir": str(directory)})
    found = only(access, made)
    assert (found.level, found.remedy) == ("FAIL", f"sudo chown -R shoe-bridge: {directory}")
    assert found.text.startswith(f"{directory} belongs to root: shoe-bridge cannot write it")
    os.chown(directory, 990, 990)
    assert only(access, made).level == "OK"
    (directory / "cursor").touch()
    assert only(access, made).text.startswith(f"{directory}/cursor belongs to root")
    assert only(access, made._replace(daemon={"pid": 1})).level == "OK"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_devices_of_a_wrong_and_a_right_group(machine: Make) -> None:
    made = machine({"etc/passwd": PASSWD, "etc/group": GROUP, **CHIP}, pins={"next": 22}, journal=NO_JOURNAL)
    made.at("/dev/gpiochip0").chmod(0o660)
    assert "/dev/gpiochip0 belongs to root:0" in only(access, made).text
    os.chown(made.at("/dev/gpiochip0"), 0, 997)
    assert "/dev/gpiochip0 belongs to root:gpio" in only(access, made).text
    os.chown(made.at("/dev/gpiochip0"), 0, 990)
    assert only(access, made).level == "OK"


@pytest.fixture
def adapters(machine: Make) -> Callable[..., list[Finding]]:
    """The findings about the reader's adapter, with these adapters plugged in: by-id name -> tty."""

    def found(there: dict[str, str], serials: Collection[str], **sections: Any) -> list[Finding]:
        made = machine({f"dev/{tty}": "" for tty in there.values()}, **sections)
        links = made.at("/dev/serial/by-id")
        links.mkdir(parents=True)
        for name, tty in there.items():
            (links / name).symlink_to(made.at(f"/dev/{tty}"))
            place = made.at(f"/sys/class/tty/{tty}/device")
            place.mkdir(parents=True)
            if tty in serials:
                (place.parent / "serial").write_text("A10M7X2B")
        made.at("/dev/shoe-reader").symlink_to(made.at("/dev/ttyUSB0"))
        return list(adapter(made))

    return found


def test_the_port_is_tied_to_the_serial_number_of_one_adapter(adapters: Callable[..., list[Finding]]) -> None:
    [found] = adapters({"usb-FTDI_A10M7X2B-if00": "ttyUSB0"}, ["ttyUSB0"])
    assert (found.level, found.remedy) == ("WARN", 'write [reader] port = "/dev/serial/by-id/usb-FTDI_A10M7X2B-if00"')


def test_a_port_that_is_tied_is_fine(adapters: Callable[..., list[Finding]]) -> None:
    assert adapters({"usb-A": "ttyUSB0"}, ["ttyUSB0"], reader={"port": "/dev/serial/by-id/usb-A"}) == []


def test_an_adapter_without_a_serial_number_is_named(adapters: Callable[..., list[Finding]]) -> None:
    [found] = adapters({"usb-1a86-if00": "ttyUSB0"}, [])
    assert "without a serial number" in found.text


def test_a_second_device_is_named_unless_it_is_a_keypad(adapters: Callable[..., list[Finding]]) -> None:
    tied = {"port": "/dev/serial/by-id/usb-A"}
    pad = [{"port": "/dev/serial/by-id/usb-B", "dealer": True}]
    there = {"usb-A": "ttyUSB0", "usb-B": "ttyACM0", "usb-C": "ttyUSB1"}
    [found] = adapters(there, there.values(), reader=tied, keypad=pad)
    assert "a second device that could be a reader is plugged in: /dev/serial/by-id/usb-C" in found.text


def test_a_wrong_by_id_name_is_guessed_and_the_ports_are_listed(machine: Make) -> None:
    by_id = "/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_"
    files = {f"{by_id[1:]}A10M7X2B-if00-port0": "", "dev/ttyUSB0": ""}
    found = only(reader, machine(files, reader={"port": f"{by_id}A10M7X2C-if00-port0"}))
    assert found.level == "FAIL"
    assert found.remedy.startswith(f"did you mean {by_id}A10M7X2B-if00-port0? check its cable")
    assert found.remedy.endswith(f"existing ports: {by_id}A10M7X2B-if00-port0, /dev/ttyUSB0")
    found = only(reader, machine(reader={"port": "/dev/nowhere"}))
    assert "did you mean" not in found.remedy


def test_no_port_at_all(machine: Make) -> None:
    assert "no serial port at all" in only(reader, machine(reader={"port": "/dev/nowhere"})).remedy


@pytest.mark.parametrize(
    ("files", "sections", "level", "text"),
    [
        (KERNEL_66, {"pins": {"factory": "rpigpio", "next": 22}}, "FAIL", "no key and no cut card on kernel 6.6.51"),
        (PI5, {"pins": {"factory": "rpigpio", "next": 22}}, "FAIL", "rpigpio does not work on a Raspberry Pi 5"),
        (PI4, {"pins": {"factory": "rpigpio", "next": 22}}, "OK", "pins by rpigpio"),
        (PI4, {"pins": {"next": 22}}, "FAIL", "there is no /dev/gpiochip"),
        (PI4 | CHIP, {"pins": {"next": 22}}, "OK", "Raspberry Pi 4 Model B Rev 1.4, kernel 6.1.21-v8+, pins by lgpio"),
    ],
)
def test_pin_library_against_board_and_kernel(
    machine: Make, files: dict[str, str], sections: Any, level: str, text: str
) -> None:
    found = only(board, machine(files, **sections))
    assert (found.level, text in found.text) == (level, True), found


@pytest.mark.parametrize(
    ("line", "boot", "port", "level", "text"),
    [
        (0, "", "/dev/shoe-reader", "WARN", "ID_SD"),
        (1, "", "/dev/shoe-reader", "WARN", "ID_SC"),
        (15, "", "/dev/ttyAMA0", "FAIL", "RXD of the reader's serial port"),
        (2, "dtparam=i2c_arm=on\n", "/dev/shoe-reader", "WARN", "SDA of i2c_arm=on"),
        (10, "# x\ndtparam=audio=on,spi=on\n", "/dev/shoe-reader", "WARN", "MOSI of spi=on"),
        (15, "", "/dev/shoe-reader", None, ""),
        (2, "#dtparam=i2c_arm=on\n", "/dev/shoe-reader", None, ""),
    ],
)
def test_lines_with_another_purpose(
    machine: Make, line: int, boot: str, port: str, level: str | None, text: str
) -> None:
    made = machine(CHIP | {"boot/firmware/config.txt": boot}, pins={"next": line}, reader={"port": port})
    found = list(board(made))
    assert [each.level for each in found] == ([level] if level else [])
    assert all(f"next on GPIO {line}" in each.text and text in each.text for each in found)


def test_twin_packages_that_own_one_module(machine: Make) -> None:
    twins = {"RPi.GPIO": "0.7.1", "rpi-lgpio": "0.6"}
    assert "both installed" in only(board, machine(packages=twins)).text
    assert list(board(machine(packages={"rpi-lgpio": "0.6"}))) == []


@pytest.mark.parametrize(
    ("properties", "level", "text"),
    [
        ({"LoadState": "not-found"}, "WARN", "is not installed: the daemon will not start by itself"),
        ({"UnitFileState": "disabled"}, "FAIL", "is disabled: it does not start at boot"),
        ({"ActiveState": "failed", "ExecMainStatus": "78"}, "FAIL", "failed (a wrong config, or a damaged journal)"),
        ({"ActiveState": "failed", "Result": "signal"}, "FAIL", "failed (signal)"),
        ({"ActiveState": "inactive"}, "FAIL", "does not run (inactive)"),
        ({"NeedDaemonReload": "yes"}, "WARN", "the unit file has changed since systemd read it"),
        ({"NRestarts": "7"}, "WARN", "restarted it 7 times since boot"),
        ({"NRestarts": "2", "Result": "watchdog"}, "WARN", "2 times, the last time by the watchdog"),
        ({"ExecStart": "shoe run --config /etc/old.toml ;"}, "WARN", "uses /etc/old.toml, this check /etc/b.toml"),
        ({}, "OK", "enabled, active"),
    ],
)
def test_the_service(machine: Make, properties: dict[str, str], level: str, text: str) -> None:
    found = only(service, machine(unit=UNIT | properties))
    assert (found.level, text in found.text) == (level, True), found


def test_a_stale_version_that_runs_or_is_installed(machine: Make) -> None:
    assert "the daemon runs version 0.0.1" in only(service, machine(unit=UNIT, daemon={"version": "0.0.1"})).text
    old = machine({"opt/firmware-bridge/bin/shoe": ""}, unit=UNIT)
    assert "the service has version 0.0.1; this command is" in only(service, old).text


def test_another_build_of_the_same_version_is_reported(machine: Make) -> None:
    runs = {"version": __version__, "build": "0123456789ab 2026-11-22"}
    found = only(service, machine(unit=UNIT, daemon=runs))
    assert found.level == "WARN"
    assert f"the daemon runs version {__version__}, build 0123456789ab 2026-11-22; installed is" in found.text
    assert only(service, machine(unit=UNIT, daemon=runs | {"build": __build__})).level == "OK"


@pytest.mark.parametrize(
    ("package", "version", "level", "text"),
    [
        ("paho-mqtt", "1.6.1", "WARN", "paho-mqtt 1.6.1 is not tested"),
        ("msgspec", None, "FAIL", "msgspec is not installed"),
        ("lgpio", "0.0.0.2", "WARN", "lgpio 0.0.0.2 is not tested"),
        ("gpiozero", "1.6.2", "WARN", "gpiozero 1.6.2 is not tested"),
        ("cobs", "1.2.0", "OK", "cobs 1.2.0"),
    ],
)
def test_packages_against_their_ranges(machine: Make, package: str, version: str | None, level: str, text: str) -> None:
    packages = {name: found for name, found in {**VERSIONS, package: version}.items() if found}
    found = only(versions, machine(packages=packages))
    assert (found.level, text in found.text) == (level, True), found


@pytest.mark.parametrize(("version", "is_within"), [("2.1", True), ("2.9.1", True), ("3.0", False), ("2.0.9", False)])
def test_a_range(version: str, is_within: bool) -> None:
    assert within(version, "<3,>=2.1") is is_within
    assert not within("2.0.1", ">=2.0.1.post3")


@pytest.mark.parametrize(
    ("text", "now", "level", "shown"),
    [
        (None, NOW, "WARN", "reader: never calibrated"),
        ("nonsense", NOW, "FAIL", "calibration.toml"),
        (CALIBRATED.format(rate=1.0), NOW, "OK", "reader: 2026-06-01 by anna"),
        (CALIBRATED.format(rate=1.0), NOW + 200 * 86_400, "WARN", "2026-06-01 by anna, 20"),
        (CALIBRATED.format(rate=0.98), NOW, "WARN", "only 98.00% of the test cards were read"),
    ],
)
def test_the_calibration(machine: Make, tmp_path: Path, text: str | None, now: float, level: str, shown: str) -> None:
    if text:
        (tmp_path / "calibration.toml").write_text(text)
    found = only(calibrated, machine()._replace(now=lambda: now))
    assert (found.level, shown in found.text) == (level, True), found


@pytest.mark.parametrize(
    ("present", "warnings"), [("A", []), ("", []), ("B", ["B is plugged in, and A was calibrated"])]
)
def test_another_board_than_the_calibrated_one(
    machine: Make, tmp_path: Path, present: str, warnings: list[str]
) -> None:
    at = "2026-06-01T00:00:00Z"
    reading = Reading(cards=20, decode_rate=1.0, serial="A")
    keep(tmp_path / "calibration.toml", "reader", ReaderSection(at=at, by="anna", measured=reading))
    (_, *others) = calibrated(machine(daemon={"reader": {"serial": present}}))
    assert [each.text.partition("serial number ")[2] for each in others] == warnings
    assert {each.level for each in others} <= {"WARN"}


def test_a_hold_longer_than_a_card_takes_is_a_warning(machine: Make) -> None:
    assert [*repeats(machine(reader={"hold": 1.0}))] == []
    found = only(repeats, machine(reader={"hold": 1.5}))
    assert (found.level, found.remedy) == ("WARN", "write [reader] hold = 0.5")
    assert "the second one is dropped" in found.text


def test_a_module_that_repeats_is_a_warning_with_what_to_set(machine: Make) -> None:
    daemon = {"alarm": {"open": [{"id": "reader_repeats"}]}}
    found = only(repeats, machine(daemon=daemon, reader={"protocol": "grow"}))
    assert found.level == "WARN"
    assert "within 2 s" in found.text
    assert "7E 00 08 01 00 00 D7 AB CD" in found.remedy
    assert [*repeats(machine(daemon={"alarm": {"open": []}}, reader={"protocol": "grow"}))] == []
