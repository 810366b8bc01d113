"""The step of the scenario in which people with logins of their own work at the table, under the installed unit."""

import json
import shlex
from typing import Final

from firmware_bridge.facts.book.roles import GROUPS, Role
from firmware_bridge.facts.rights import _RIGHTS, roles_for
from tests.hil.table import Table

LOGINS: Final[dict[str, tuple[str, ...]]] = {
    "ann": (GROUPS["pit"],),
    "bob": (GROUPS["pit"],),
    "tom": (GROUPS["tech"], "shoe-bridge"),
    "eve": (GROUPS["audit"],),
    "dia": (GROUPS["dealer"],),
    "nob": (),
}
"""Login -> its groups."""

REQUESTS: Final = (*_RIGHTS, "resend", "void")
"""What each login asks for at every socket, without what it would need to be carried out."""

TRY: Final = """
import json, socket, sys
requests, folders = json.loads(sys.argv[1])
said = {}
for do in requests:
    said[do] = False
    for folder in folders:
        try:
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(60)
            s.connect(f"/run/firmware-bridge/{folder}/control.sock")
        except PermissionError:
            continue
        s.sendall(json.dumps({"do": do}).encode() + b"\\n")
        said[do] = said[do] or "is not for the group" not in s.makefile().readline()
        s.close()
print(json.dumps(said))
"""

SECRETS: Final = (
    "ls /var/lib/firmware-bridge",
    "cat /var/lib/firmware-bridge/*.journal",
    "ls /etc/credstore",
    "ls /run/credentials/firmware-bridge.service",
    "cat /proc/$(systemctl show -p MainPID --value firmware-bridge)/environ",
    "echo >>/etc/firmware-bridge/bridge.toml",
)
"""What root can do, and nobody else."""

MODES: Final = {
    "/etc/firmware-bridge/bridge.toml": "644 root",
    "/etc/credstore": "700 root",
    "/etc/credstore/firmware-bridge.record-key": "600 root",
    "/var/lib/firmware-bridge": "700 shoe-bridge",
    "/run/firmware-bridge/control.sock": "600 shoe-bridge",
    **{f"/run/firmware-bridge/{role}": "2750 shoe-bridge" for role in GROUPS},
}
"""File -> its mode and its owner."""


def add_logins(table: Table) -> str:
    """As the technician's book says."""
    for login, groups in LOGINS.items():
        table.pi.sh(f"useradd --create-home {login}")
        for group in groups:
            table.pi.sh(f"usermod -a -G {group} {login}")
    return ", ".join(LOGINS)


def people(table: Table) -> str:
    """Every login may ask for what its groups are for, and for nothing else; the record names the login."""
    cells = sum(rights(table, login, groups) for login, groups in LOGINS.items())
    for secret in SECRETS:
        assert [login for login in ("root", *LOGINS) if succeeds(table, login, secret)] == ["root"], secret
    modes = table.pi.sh(f"stat -c '%a %U' {' '.join(MODES)}").splitlines()
    assert dict(zip(MODES, modes, strict=True)) == MODES
    devices = "test -r /dev/shoe-reader && test -r /dev/gpiochip0"
    assert [login for login in LOGINS if succeeds(table, login, devices)] == ["tom"]
    commands(table)
    on_record(table)
    two_people(table)
    exposure = table.pi.sh("systemd-analyze security --no-pager firmware-bridge | tail -1").split(":")[1].split()[0]
    assert float(exposure) <= 1.4, exposure
    return f"{cells} cells by {len(LOGINS)} logins, exposure {exposure}"


def rights(table: Table, login: str, groups: tuple[str, ...]) -> int:
    """Compare what a login may ask for with the rights of its groups; how many cells were tried."""
    asked = json.dumps([REQUESTS, [".", *GROUPS]])
    said = json.loads(by(table, login, f"python3 -c {shlex.quote(TRY)} {shlex.quote(asked)}"))
    roles: set[Role] = {role for role, group in GROUPS.items() if group in groups}
    assert said == {do: not roles.isdisjoint(roles_for(do)) for do in REQUESTS}, (login, said)
    return len(said)


def commands(table: Table) -> None:
    """The commands as people type them."""
    for login, command, word in (
        ("ann", "shoe status", "HIL"),
        ("eve", "shoe journal list", "1-"),
        ("tom", "shoe check", "FAIL  stranger"),
        ("nob", "shoe status", "it is for the group shoe-pit or shoe-tech or shoe-audit"),
        ("dia", "shoe do void --why x --by dia --yes", "it is for the group shoe-pit"),
        ("eve", "shoe calibrate reader --yes --by eve", "shoe-tech"),
    ):
        said = by(table, login, f"{command} 2>&1", check=False)
        assert word in said, (login, command, said)


def on_record(table: Table) -> None:
    """The login, by the kernel, stands beside the name that was typed."""
    by(table, "ann", "shoe do dealer wu --by somebody")
    table.until(lambda: table.events("DealerSignedIn"))
    answer = table.events("CommandAnswered")[-1]
    assert (answer["by"], answer["person"]["login"], answer["person"]["role"]) == ("somebody", "ann", "pit"), answer


def two_people(table: Table) -> None:
    """A correction waits until another login confirms it."""
    closed = table.backend.on("round")[-1]
    first, *others = [each["card"] for each in closed["cards"]]
    cards = first[0] + ("h" if first[1] != "h" else "s") + "".join(others)
    give = f"shoe do correct {closed['round']} {cards} --why misread --by anna --yes >/tmp/given 2>&1"
    table.pi.sh(f"runuser -u ann -- sh -c {shlex.quote(give)} </dev/null >/dev/null 2>&1 &")
    table.until(lambda: "shoe do confirm 1" in table.pi.sh("shoe status", check=False))
    refused = by(table, "ann", "shoe do confirm 1 --by anton 2>&1", check=False)
    assert "gave this order" in refused, refused
    assert not table.events("RoundCorrected")
    by(table, "bob", "shoe do confirm 1 --by bo")
    table.until(lambda: table.events("RoundCorrected"))
    answer = table.events("CommandAnswered")[-1]
    assert (answer["person"]["login"], answer["confirmed"]["login"]) == ("ann", "bob"), answer


def by(table: Table, login: str, command: str, check: bool = True) -> str:
    """What a command prints for a login, in a session of its own."""
    return table.pi.sh(f"runuser -u {login} -- sh -c {shlex.quote(command)}", check=check)


def succeeds(table: Table, login: str, command: str) -> bool:
    """Whether a command succeeds for a login."""
    said = table.pi.sh(f"runuser -u {login} -- sh -c {shlex.quote(command)} >/dev/null 2>&1; echo $?")
    return said.split()[-1] == "0"
