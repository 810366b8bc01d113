"""`shoe watch` at a running daemon: nothing missed, nothing in the way, nothing told that is secret."""

import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmware_bridge.cli.daemon_socket import follow
from firmware_bridge.daemon.devices.code_books import native_code
from firmware_bridge.facts.cards import cards
from tests.cli.watch import watched
from tests.cli.watch.watched import naturals
from tests.kit import broker as real
from tests.kit import command
from tests.kit.broker import Broker, free_port
from tests.kit.daemon_table import BridgeTable, DaemonTable
from tests.kit.patience import ended, said

broker, brokers = real.broker, real.brokers  # fixtures
table, watch = watched.table, watched.watch  # fixtures


def states(watching: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in list(watching.out.lines)]


def test_watch_follows_the_table_and_ctrl_c_ends_it_cleanly(
    table: Callable[..., DaemonTable], watch: Callable[..., watched.Watch]
) -> None:
    bridge = table()
    bridge.deal("9s")
    watching = watch(bridge)
    bridge.until(lambda: watching.out.lines)
    assert watching.out.lines[0].endswith("round 1 dealing  Draw a card: Banker card 1  P1 9s\n")
    bridge.deal("Td Ks Qc" + naturals(20))
    bridge.until(lambda: "round 22 ready" in watching.out.lines[-1])
    watching.process.send_signal(signal.SIGINT)
    assert ended(watching.process) == 0
    watching.close()
    assert watching.err.lines == []


def test_a_daemon_that_starts_again_is_found_again(table: Any, watch: Any) -> None:
    bridge = table()
    watching = {how: watch(bridge, how) for how in ("--json", "--plain")}
    bridge.until(lambda: all(each.out.lines for each in watching.values()))
    bridge.stop()
    bridge.until(lambda: states(watching["--json"])[-1].get("daemon") == "gone")
    bridge.until(lambda: "no daemon: " in watching["--plain"].out.lines[-1])
    bridge.start()
    bridge.until(lambda: states(watching["--json"])[-1].get("table_id") == "T07")
    bridge.until(lambda: "no daemon: " not in watching["--plain"].out.lines[-1])
    boots = [state["boot"] for state in states(watching["--json"]) if "boot" in state]
    assert len(set(boots)) == 2


def test_nobody_to_watch_is_an_error_at_once(tmp_path: Path, broker: Broker) -> None:
    bridge = DaemonTable(tmp_path, broker.port)
    bridge.journal_dir.mkdir()
    nobody = command.spawn("watch", "--config", bridge.config_path)
    out, err = said(nobody)
    assert (nobody.returncode, out) == (3, "")
    assert "no daemon listens" in err
    bridge.close()


def test_cards_are_followed_card_by_card(table: Any, watch: Any) -> None:
    bridge = table()
    bridge.deal("9s Td Ks Qc")
    watching = watch(bridge, "--json")
    bridge.until(lambda: watching.out.lines)
    for card in cards(naturals(8)):
        bridge.draw([native_code(card)])
        bridge.until(lambda: not bridge.board.waiting)
        seq = bridge.ask(do="status")["seq"]
        bridge.until(lambda seq=seq: json.loads(watching.out.lines[-1])["seq"] >= seq)
    seqs = [state["seq"] for state in states(watching)]
    assert seqs == sorted(seqs)
    assert len(set(seqs)) > 8 * 4


def test_nothing_that_is_watched_tells_a_card_in_the_shoe(table: Any, watch: Any) -> None:
    bridge = table(table={"disclose": "sealed"})
    watching = watch(bridge, "--json")
    bridge.until(lambda: watching.out.lines)
    for text, count in (("9s Td", 2), ("Ks Qc 2h 3h", 6)):  # the first bytes after a tap are masked in any case
        bridge.deal(text)
        bridge.until(lambda count=count: len(reports(watching)) >= count)
    assert {report[6:] for report in reports(watching)} == {"?? .."}
    assert not re.search(r'"(9s|Td|Ks|Qc|2h|3h)"', "".join(watching.out.lines))


def reports(watching: Any) -> list[str]:
    """The frames of cards that were shown."""
    frames = [frame["hex"] for state in states(watching) for frame in state["seen"]["frames"]]
    return [frame for frame in frames if frame.startswith("02 ")]


def test_the_line_is_tapped_only_while_somebody_watches(tmp_path: Path) -> None:
    bridge = BridgeTable(tmp_path, free_port(), pins={"next": 22}, lamps={"P1": 5, "B1": 6}).start()
    taps = bridge.bridge.reader.taps
    assert not taps
    sight = bridge.bridge._watch()
    sight.begin()
    sight.begin()
    assert len(taps) == 1
    bridge.deal("9s")
    seen = sight.seen(0)
    assert seen["signal"]["quality"] is not None
    assert seen["pins"] == {"inputs": {"next": False}, "outputs": {"P1": False, "B1": True}}
    assert seen["good"] > 0
    sight.end()
    assert len(taps) == 1
    sight.end()
    assert not taps
    bridge.close()


def test_a_watcher_that_leaves_is_let_go_at_once(table: Callable[..., DaemonTable]) -> None:
    bridge = table()
    bridge.until(lambda: "connected to" in bridge.log)  # by a socket that is no watcher's

    def sockets() -> int:
        descriptors = Path(f"/proc/{bridge.process.pid}/fd").iterdir()
        return sum(os.path.realpath(each).rpartition("/")[-1].startswith("socket:") for each in descriptors)

    before = sockets()
    watchers: list[Any] = [follow(bridge.journal_dir / "control.sock") for _ in range(5)]
    assert {next(watcher)["table_id"] for watcher in watchers} == {"T07"}
    assert sockets() > before
    for watcher in watchers:
        watcher.close()
    bridge.until(lambda: sockets() <= before)
