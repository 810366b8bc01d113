"""The broker of `shoe demo`: mosquitto if installed, else amqtt."""

import asyncio
import logging
import os
import shutil
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from firmware_bridge.errors import BridgeError

HOST: Final = "127.0.0.1"
START_S: Final = 20.0
END_S: Final = 5.0

MOSQUITTO: Final = "mosquitto"
AMQTT: Final = "amqtt"
CHOICES: Final = ("auto", MOSQUITTO, AMQTT)

PROTOCOL: Final = {MOSQUITTO: 5, AMQTT: 4}
"""MQTT version of each broker. amqtt never answers an MQTT 5 client."""


class BrokerError(BridgeError, RuntimeError):
    """No broker could be started."""


class EmbeddedBroker:
    """Owns a broker process in `folder` on one port (0: any free one), also over restarts. Raises BrokerError."""

    def __init__(self, kind: str, folder: Path, port: int = 0) -> None:
        self.kind = kind if kind != "auto" else MOSQUITTO if _find_mosquitto() else AMQTT
        self.port, self.protocol = free_port(port), PROTOCOL[self.kind]
        self._folder = folder
        self._command = self._mosquitto() if self.kind == MOSQUITTO else self._amqtt()
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Start the broker and return once it accepts connections. Raises BrokerError if it does not."""
        log = self._folder / "broker.log"
        with log.open("ab") as out:
            # Its own session: Ctrl-C in the terminal must reach only the demo, which ends the broker in order.
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=out, stderr=out, start_new_session=True
            )
        give_up = time.monotonic() + START_S
        while not await self._answers():
            if self._process.poll() is not None or time.monotonic() > give_up:
                last_line = log.read_text(errors="replace").strip().splitlines()[-1:]
                raise BrokerError(
                    f"{self.kind} does not start: {' '.join(last_line)}", "try the other broker with --broker"
                )
            await asyncio.sleep(0.02)

    async def stop(self) -> None:
        """End the broker; clients see their connections close."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            await asyncio.to_thread(process.wait, END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdin:
            process.stdin.close()

    async def _answers(self) -> bool:
        try:
            _, writer = await asyncio.open_connection(HOST, self.port)
        except OSError:
            return False
        writer.close()
        return True

    def _mosquitto(self) -> list[str]:
        program = _find_mosquitto()
        if program is None:
            raise BrokerError("mosquitto is not installed", "sudo apt install mosquitto, or use --broker amqtt")
        config = self._folder / "mosquitto.conf"
        user = "user root\n" if os.geteuid() == 0 else ""
        config.write_text(f"listener {self.port} {HOST}\nallow_anonymous true\n{user}")
        return [program, "-c", str(config)]

    def _amqtt(self) -> list[str]:
        if find_spec("amqtt") is None:
            raise BrokerError("amqtt is not installed", "pip install '.[demo]', or apt install mosquitto")
        return [sys.executable, "-m", __name__, str(self.port)]


def _find_mosquitto() -> str | None:
    """Return the path of mosquitto, also in sbin, which Debian has on root's PATH only."""
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def free_port(wanted: int) -> int:
    """Return a free port of the loopback, `wanted` itself unless it is 0. Raises BrokerError for one in use."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, wanted))
        except OSError as error:
            raise BrokerError(
                f"port {wanted} is not available ({error.strerror})", "choose another one with --port"
            ) from None
        return int(probe.getsockname()[1])


async def serve(port: int) -> None:
    """Run amqtt until stdin closes."""
    from amqtt.broker import Broker

    everybody = {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}}
    broker = Broker({"listeners": {"default": {"type": "tcp", "bind": f"{HOST}:{port}"}}, "plugins": everybody})
    await broker.start()
    await asyncio.to_thread(sys.stdin.buffer.read)
    await broker.shutdown()


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(serve(int(sys.argv[1])))
