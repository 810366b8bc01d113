"""What a reader or a keypad was heard to say, as findings, and who else listens at its port."""

import time
from collections.abc import Iterator
from typing import Any, Final

from firmware_bridge.config.findings import Finding
from hardware.connections import SOCKET
from hardware.holders import holders, is_console
from hardware.readers import READERS

KEYPAD: Final = (
    "that it is a pad with the link of keypads at 115200 baud",
    "it beats every second: check its power and cable",
)
"""What to look at where bytes of a keypad come and none is understood, and how to make it speak."""

SHARED: Final = "stop that program: the bytes of a card go to one of both; a login: sudo systemctl disable --now {unit}"


def heard(name: str, what: str, kind: str, state: dict[str, Any]) -> Finding | None:
    """Return the finding about what was heard of a device; None if it is understood. kind: its protocol, or keypad."""
    at = state["at"] and time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(state["at"] / 1000))
    suspects, speaks = _of(kind)
    check = f"check {suspects}; the cable, and other programs at its port"
    if state["fault"] == "not_understood":
        return Finding("FAIL", name, f"{what}: it speaks and is not understood", check)
    if state["fault"] == "unanswered":
        return Finding("FAIL", name, f"{what}: it does not answer", f"check its power and cable; {suspects}")
    match state["state"]:
        case "not_understood":
            return Finding("WARN", name, f"{what}: what it said last was not understood", check)
        case "not_heard":
            return Finding("WARN", name, f"{what}: nothing was understood yet", speaks)
        case "silent":
            return Finding("WARN", name, f"{what}: silent since {at}", speaks)
    return None


def _of(kind: str) -> tuple[str, str]:
    if kind == "keypad":
        return KEYPAD
    return READERS[kind].suspects, READERS[kind].speaks


def shared(name: str, port: str, daemon: int | None = None) -> Iterator[Finding]:
    """Yield the other programs at the port, beside the daemon with its process id, and the console of the kernel."""
    if port.startswith(SOCKET):
        return
    if others := holders(port, [daemon] if daemon else []):
        yield Finding("WARN", name, f"{port} is open in {', '.join(others)}, too", _remedy(port))
    if is_console(port):
        what = f"{port} is the console of the operating system: logins and messages go to it"
        yield Finding(
            "WARN", name, what, "remove its console= from cmdline.txt (raspi-config: serial port), and reboot"
        )


def _remedy(port: str) -> str:
    return SHARED.format(unit=f"serial-getty@{port.rpartition('/')[2]}")
