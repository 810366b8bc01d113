"""What a reader or a keypad was heard to say, as findings, and who else listens at its port."""

import time
from collections.abc import Iterator
from typing import Any, Final

from firmware_bridge.config.findings import Finding
from hardware.connections import SOCKET
from hardware.holders import holders, is_console

SUSPECTS: Final = {
    "native": "that it is a board with the link `native` at 115200 baud",
    "line": "[reader] baud, pattern and line_end, and that it sends a line end behind each code",
    "grow": "[reader] baud (9600 from the factory), and that the module sends CR LF behind each code",
    "ssi": "[reader] baud, and that the engine is in SSI packet mode: from the factory it prints lines, for `line`",
    "rdm6300": "[reader] baud (9600), and that the module prints its digits as text, not as Wiegand",
    "angel-eye": "[reader] baud: 4800 from the factory, 9600 at some",
    "keypad": "that it is a pad with the link of keypads at 115200 baud",
}
"""Protocol, or keypad -> what to look at where bytes come and none is understood."""

SPEAKS: Final = {
    "native": "it beats every second: check its power and cable",
    "line": "between two shoes, hold a code before it, or draw a card",
    "grow": "between two shoes, hold a code before it, or draw a card; if nothing comes, see that it reads by itself",
    "ssi": "between two shoes, hold a code before it, or draw a card; if nothing comes, check its power and cable",
    "rdm6300": "between two shoes, hold a tag to it, or draw a card; if nothing comes, check its antenna and cable",
    "angel-eye": "press a key at the shoe, or draw a card; if nothing comes, check its RS-232 cable",
    "keypad": "it beats every second: check its power and cable",
}
"""Protocol, or keypad -> how to make it speak."""

SHARED: Final = "stop that program: the bytes of a card go to one of both; a login: sudo systemctl disable --now {unit}"


def heard(name: str, what: str, kind: str, state: dict[str, Any]) -> Finding | None:
    """Return the finding about what was heard of a device; None if it is understood. kind: its protocol, or keypad."""
    at = state["at"] and time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(state["at"] / 1000))
    check = f"check {SUSPECTS[kind]}; the cable, and other programs at its port"
    if state["fault"] == "not_understood":
        return Finding("FAIL", name, f"{what}: it speaks and is not understood", check)
    if state["fault"] == "unanswered":
        return Finding("FAIL", name, f"{what}: it does not answer", f"check its power and cable; {SUSPECTS[kind]}")
    match state["state"]:
        case "not_understood":
            return Finding("WARN", name, f"{what}: what it said last was not understood", check)
        case "not_heard":
            return Finding("WARN", name, f"{what}: nothing was understood yet", SPEAKS[kind])
        case "silent":
            return Finding("WARN", name, f"{what}: silent since {at}", SPEAKS[kind])
    return None


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
