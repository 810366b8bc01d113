"""The test bed: a virtual Pi is installed, dealt at, mistreated, and must lose nothing."""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.hil.people import add_logins, people
from tests.hil.table import CUT_CARD, LAMPS, Table

CARDS = 30
BOUNCES = 6
PAYLOAD = "/mnt"  # where the second disk is in the guest
SHIPPED = "/usr/lib/firmware-bridge"


class Report:
    """What was done and how long it took, said as it goes."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def step(self, name: str, act: Callable[[], object]) -> None:
        """Do it; its time, and what it returns where that is worth telling."""
        began = time.monotonic()
        outcome = act()
        line = f"{name:<58} {time.monotonic() - began:7.1f} s" + (f"   {outcome}" if outcome else "")
        self.lines.append(line)
        print(line, flush=True)


def main() -> int:
    """Run the scenario; 0 if all of it holds."""
    parser = argparse.ArgumentParser(prog="scripts/hil", description=__doc__)
    parser.add_argument("--image", type=Path, required=True)
    parser.add_argument("--payload", type=Path, required=True)
    parser.add_argument("--report", type=Path, help="keep the times in this file too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="fewer cards, no network loss, no update")
    asked = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="shoe-hil-") as run:
        table = Table(asked.image, asked.payload, Path(run), asked.seed)
        try:
            play(table, report, asked.short)
        except BaseException:
            print(table.pi.console[-2000:], file=sys.stderr)
            raise
        finally:
            table.close()
    report.lines.append("passed")
    print(report.lines[-1])
    if asked.report:
        asked.report.write_text("\n".join(report.lines) + "\n")
    return 0


def play(table: Table, report: Report, short: bool) -> None:
    """All steps, in order: each finds the table as the one before left it."""
    rng = Random(7)
    report.step("power on, until the machine answers", lambda: table.power_on() and "")
    report.step("install the bridge from its bundle", lambda: install(table))
    report.step("start, until the backend hears `online`", lambda: start(table))
    report.step("logins for the people at the table", lambda: add_logins(table))
    report.step("shoe check finds no fault", lambda: check(table))
    report.step("lamps calibrated while the daemon runs", lambda: calibrate(table))
    report.step("open a shoe", table.open_shoe)
    report.step(f"{CARDS} cards by USB, each lamp read at its pin", lambda: deal(table, 12 if short else CARDS))
    report.step("people with logins of their own, each in his role", lambda: people(table))
    report.step(f"the cut card, bouncing {BOUNCES} times: one event, the last round", lambda: cut_card(table, rng))
    report.step("open the next shoe", table.open_shoe)
    report.step("the reader unplugged inside a round, and plugged in", lambda: unplug(table))
    report.step("the daemon hangs: the watchdog restarts it", lambda: hang(table))
    if not short:
        report.step("no network for 3 cards", lambda: no_network(table))
    report.step("power cut as a card passes, until the machine answers", lambda: power_cut(table))
    report.step("the same slot due, the card there once", lambda: resumed(table))
    report.step("the journal, verified and judged again", lambda: verify(table))
    if short:
        return
    report.step(
        "update by the package",
        lambda: update(table, f"SHOE_UNSIGNED=yes dpkg -i {PAYLOAD}/next/firmware-bridge_*.deb"),
    )
    report.step("back to what ran before", lambda: update(table, f"{SHIPPED}/scripts/install --rollback"))
    unpack(table, f"{PAYLOAD}/next", "next")
    report.step("forward again by the bundle", lambda: update(table, "/root/next/scripts/install --unsigned"))
    report.step(
        "back by the older package", lambda: update(table, f"SHOE_UNSIGNED=yes dpkg -i {PAYLOAD}/firmware-bridge_*.deb")
    )
    report.step("the package removed", lambda: remove(table))


def install(table: Table) -> str:
    """As the technician's book says: the machine has no package index."""
    table.pi.sh(f"mount -o ro /dev/vdb {PAYLOAD}")
    unpack(table, PAYLOAD, "this")
    table.pi.sh("/root/this/scripts/install --unsigned")
    table.pi.sh(f"cat >/etc/firmware-bridge/bridge.toml <<'END'\n{table.config}END")
    table.pi.sh("until test -e /dev/shoe-reader; do sleep 0.2; done")
    return table.pi.sh("shoe --version")


def unpack(table: Table, folder: str, name: str) -> None:
    """Unpack the bundle that lies in a folder of the mounted payload."""
    table.pi.sh(f"mkdir /root/{name} && tar -xzf {folder}/*.tar.gz -C /root/{name} --strip-components=1")


def check(table: Table) -> str:
    """Warnings there are: the broker is reached in clear, nothing was calibrated, nobody sets the clock.

    One fault is found and must be: this broker lets strangers give orders.
    """
    said = table.pi.sh("shoe check", check=False)
    found = said.partition("\n\n")[0]  # below it the failures stand once more
    failed = [line.split()[1] for line in found.splitlines() if line.startswith("FAIL")]
    assert failed == ["stranger"], said
    return f"{said.count('OK ')} OK, {said.count('WARN ')} WARN"


def calibrate(table: Table) -> str:
    """The daemon gives every line of the chip away, and has them again."""
    said = table.pi.sh("shoe calibrate lamps --yes --json --by anna")
    table.until(lambda: "reader_lost" not in table.alarms())
    return said.splitlines()[-1]


def start(table: Table) -> str:
    """Enable it for the next boot too."""
    table.pi.sh("systemctl enable --now firmware-bridge")
    table.until(lambda: table.state("status").get("state") == "online")
    return table.pi.sh("systemctl show -p ActiveState,WatchdogUSec firmware-bridge").replace("\n", ", ")


def deal(table: Table, cards: int) -> str:
    """Whole rounds, each ended by NEXT, and at the end a round that is open."""
    before, began = len(table.drawn), time.monotonic()
    while len(table.drawn) < before + cards:
        table.deal()
    table.deal_to(1)
    rate = (len(table.drawn) - before) / (time.monotonic() - began)
    return f"{len(table.drawn)} cards, {len(table.backend.on('round'))} rounds, {rate:.1f} cards/s"


def cut_card(table: Table, rng: Random) -> str:
    """The contact closes and opens as it likes; one event, and the round now open is the last."""
    moves = [level for _ in range(BOUNCES) for level in (CUT_CARD, 0, CUT_CARD, 1)]
    table.pi.pull(*moves, CUT_CARD, 0)
    time.sleep(0.05 + 0.05 * rng.random())
    table.pi.pull(CUT_CARD, 1, *moves)
    table.until(lambda: table.events("CutCardMet"))
    time.sleep(2)
    assert len(table.events("CutCardMet")) == 1
    while table.state("table").get("phase") != "ended":
        table.deal()
        time.sleep(0.5)
    assert table.backend.on("round")[-1]["last"]
    return ""


def unplug(table: Table) -> str:
    """A card passes meanwhile: the board keeps it, and it is dealt when the plug is in again."""
    table.deal_to(2)
    table.pi.unplug_reader()
    table.until(lambda: "reader_lost" in table.alarms())
    for level in (1, 0, 1):
        table.until(lambda level=level: table.pi.values([LAMPS["fault"]]) == [level])  # type: ignore[misc]  # bound now
    table.draw()
    table.pi.plug_reader()
    table.arrived()
    table.until(lambda: "reader_lost" not in table.alarms())
    return "the fault lamp blinked"


def hang(table: Table) -> str:
    """The process is stopped, so its loop beats no more."""
    table.deal_to(3)
    boot = table.state("status")["boot"]
    table.pi.sh('kill -STOP "$(systemctl show -p MainPID --value firmware-bridge)"')
    table.draw()
    table.until(lambda: table.state("status").get("state") == "online" and table.state("status")["boot"] != boot)
    table.arrived()
    return table.pi.sh("systemctl show -p NRestarts firmware-bridge")


def no_network(table: Table) -> str:
    """Play goes on; what was queued arrives in order when the cable is back."""
    table.deal_to(1)
    table.pi.network(is_up=False)
    acknowledged = table.cable.board.acknowledged
    for _ in range(3):
        table.draw()
    table.until(lambda: table.cable.board.acknowledged == acknowledged + 3)
    table.pi.network(is_up=True)
    table.arrived()
    if table.due() is None:
        table.press_next()
    numbers = [(each["journal"], each["seq"]) for each in table.backend.on("event") if each["n"] == 1]
    last = table.state("event")["journal"]
    seqs = sorted({seq for journal, seq in numbers if journal == last})
    assert seqs == list(range(seqs[0], seqs[-1] + 1)), seqs
    return ""


def power_cut(table: Table) -> str:
    """The report of a card is on its way when the power goes."""
    table.deal_to(2)
    table.draw(now=True)
    table.power_cut()
    return f"{table.power_on():.1f} s of it booting"


def resumed(table: Table) -> str:
    """Where the round stood, it stands."""
    table.arrived()
    table.until(lambda: table.state("status").get("state") == "online")
    slot = table.due()
    assert table.state("table")["due"] == slot
    table.deal_to(0)
    return f"{slot} was due"


def verify(table: Table) -> str:
    """What is on the machine's disk is what the backend has."""
    table.pi.sh("shoe journal verify --replay")
    table.pi.sh("systemctl stop firmware-bridge")
    table.until(lambda: table.state("status").get("state") == "stopped")
    assert not table.events("Irregular") or "internal_error" not in {each["id"] for each in table.events("Irregular")}
    return f"{len(table.drawn)} cards drawn, {len(table.dealt)} dealt"


def update(table: Table, command: str) -> str:
    """Another build is installed and started: command, daemon and topic name the same one, and not the one before."""
    before = table.state("status")["build"]
    table.pi.sh(f"mountpoint -q {PAYLOAD} || mount -o ro /dev/vdb {PAYLOAD}")  # the power was cut meanwhile
    table.pi.sh(command)
    table.pi.sh("systemctl start firmware-bridge")
    table.until(lambda: table.state("status").get("state") == "online")
    runs = str(table.state("status")["build"])
    assert runs != before
    assert table.pi.sh("shoe --version").endswith(f"build {runs}")
    assert f"build {runs}" in table.pi.sh("shoe status")
    table.pi.sh("systemctl stop firmware-bridge")
    table.until(lambda: table.state("status").get("state") == "stopped")
    return runs


def remove(table: Table) -> str:
    """The record and the config stay."""
    table.pi.sh("dpkg -r firmware-bridge")
    table.pi.sh("! test -e /opt/firmware-bridge && ! command -v shoe")
    table.pi.sh("test -e /etc/firmware-bridge/bridge.toml && ls /var/lib/firmware-bridge/*.journal")
    return "config and journals are there"


if __name__ == "__main__":
    sys.exit(main())
