"""The table around the virtual Pi: who deals, who looks at the lamps, and who listens as the backend."""

import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from firmware_bridge.daemon.devices.code_books import native_code
from firmware_bridge.facts.cards import FACES, Card
from hardware.sim.board import NativeBoard
from tests.hil.cable import Cable
from tests.hil.machine import VirtualPi
from tests.kit.baccarat import layout
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.patience import until

LAMPS = {"P1": 5, "B1": 6, "P2": 13, "B2": 19, "P3": 26, "B3": 21, "R1": 12, "R2": 16, "ready": 20, "fault": 17}
CUT_CARD, NEXT, REVEAL = 27, 22, 23
LIMIT_S = 540.0  # for anything that is waited for: emulated, on a slow machine
CONFIG = """\
[table]
id = "HIL"
burn = "none"
cut_earliest = "none"
close = "next"
[pins]
cut_card = {cut}
next = {next}
reveal = {reveal}
[lamps]
{lamps}
[rights]
two_people = "login"
[mqtt]
host = "10.0.2.2"
port = {port}
"""


class Table:
    """Owns the machine, its reader's board, the broker and the backend, until `close`."""

    def __init__(self, image: Path, payload: Path, run: Path, seed: int) -> None:
        self.pi = VirtualPi(image, payload, run)
        self.cable = Cable(NativeBoard())
        self.broker = Broker(run).start()
        self.backend = Backend(self.broker.port)
        lamps = "\n".join(f"{lamp} = {number}" for lamp, number in LAMPS.items())
        self.config = CONFIG.format(cut=CUT_CARD, next=NEXT, reveal=REVEAL, lamps=lamps, port=self.broker.port)
        self.drawn: list[Card] = []
        self.faces: list[Card] = []
        self._shoe: list[Card] = []
        self._random = Random(seed)

    def close(self) -> None:
        """End all of it."""
        self.pi.power_cut()
        self.cable.close()
        self.backend.close()
        self.broker.stop()

    def power_on(self) -> float:
        """Switch on, with keys and sensor at rest; seconds until the agent answers."""
        seconds = self.pi.on()
        self.cable.plug(self.pi.reader)
        self.pi.pull(CUT_CARD, 1, NEXT, 1, REVEAL, 1)
        return seconds

    def power_cut(self) -> None:
        """Pull the plug; the board in the reader has its own supply."""
        self.pi.power_cut()
        self.cable.plug(None)

    def open_shoe(self) -> None:
        """The pit boss opens a shuffled shoe at the table."""
        self._shoe = list(FACES) * 8
        self._random.shuffle(self._shoe)
        self.faces = []
        self.pi.sh("shoe do open-shoe --by pit")
        self.until(lambda: self.state("table").get("phase") == "ready")

    def due(self) -> str | None:
        """The slot that is due by the rules, judged here."""
        return layout(self.faces, "on-demand").due

    def draw(self, now: bool = False) -> None:
        """Pull the next card over the reader, whoever listens."""
        card = self._shoe.pop()
        self.drawn.append(card)
        self.faces.append(card)
        self.cable.pull(native_code(card, 7), now)

    def arrived(self) -> None:
        """Wait until every card drawn was dealt at the backend, in order and once; then look at the lamps."""
        self.until(lambda: len(self.dealt) >= len(self.drawn))
        assert self.dealt == [card.value for card in self.drawn]
        self.look()

    def deal(self) -> None:
        """Draw a card, see it arrive, see the right lamp; end the round where it is complete."""
        self.draw()
        self.arrived()
        if self.due() is None:
            self.press_next()

    def deal_to(self, count: int) -> None:
        """Deal until `count` cards of a round lie."""
        while len(self.faces) != count:
            self.deal()

    def press_next(self) -> None:
        """Press NEXT; its contact bounces. The round must arrive."""
        before = len(self.backend.on("round"))
        self.pi.pull(NEXT, 0, NEXT, 1, NEXT, 0, NEXT, 1, NEXT, 0)
        time.sleep(0.1)
        self.pi.pull(NEXT, 1, NEXT, 0, NEXT, 1)
        self.until(lambda: len(self.backend.on("round")) > before)
        self.faces = []

    def look(self) -> None:
        """Wait until exactly the lamp of the slot due is steady, at the pins and in what the topic tells."""
        wanted = {slot} if (slot := self.due()) else set()
        self.until(lambda: self._steady() == wanted)
        self.until(lambda: self._lit() & set(LAMPS) - {"ready", "fault"} == wanted)

    @property
    def dealt(self) -> list[str]:
        """The cards of the topic `event`, in order."""
        return [event["card"] for event in self.events("CardDealt")]

    def events(self, kind: str) -> list[dict[str, Any]]:
        """The events of a kind so far; a message that came twice, as after a crash, is one."""
        by_place = {(each["journal"], each["seq"], each["n"]): each["event"] for each in self.backend.on("event")}
        return [event for event in by_place.values() if event["type"] == kind]

    def state(self, topic: str) -> dict[str, Any]:
        """What a retained topic said last."""
        said = self.backend.on(topic)
        return said[-1] if said else {}

    def alarms(self) -> list[str]:
        """The irregularities that are open by the topic `alarm`."""
        return [each["id"] for each in self.state("alarm").get("open", ())]

    def until(self, condition: Callable[[], Any]) -> None:
        """Wait for a condition; fails with what the machine says."""
        until(condition, LIMIT_S, story=self._last_words, look_s=0.05)

    def _steady(self) -> set[str]:
        lit = self.state("lamps").get("lit", {})
        return {lamp for lamp, rhythm in lit.items() if rhythm == "steady"} & set(LAMPS) - {"ready", "fault"}

    def _lit(self) -> set[str]:
        levels = self.pi.values(list(LAMPS.values()))
        return {lamp for lamp, level in zip(LAMPS, levels, strict=True) if level}

    def _last_words(self) -> str:
        return self.pi.sh("shoe status; journalctl -u firmware-bridge -n 20 --no-pager", check=False)
