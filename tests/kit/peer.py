"""A tiny MQTT peer with the bad manners that real brokers have now and then."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple, Self

CONNECT, PUBLISH, PUBACK, SUBSCRIBE = 0x10, 0x30, 0x40, 0x80
TLS_HANDSHAKE = 0x16
PINGREQ, PONG = 0xC0, b"\xd0\0"
ACCEPTED_5 = bytes.fromhex("2003000000")
ACCEPTED_311 = bytes.fromhex("20020000")


class Peer:
    """Answers a CONNECT of a protocol level with `answers[level]`, or hangs up where there is none.

    `acks`: acknowledge what is published, with the reason `puback`. `stays`: keep the connection after the answer.
    `goodbye`: what it says, and then hangs up, once something of this kind came. `pongs`: answer pings. `levels` and
    `mids` list what clients asked for and published at QoS 1, `topics` where; `at_qos_0` counts the rest; `acked` has
    what they acknowledged, `connects` and `asked` their CONNECT and SUBSCRIBE packets.
    """

    def __init__(
        self,
        answers: dict[int, bytes],
        *,
        acks: bool = True,
        stays: bool = True,
        puback: int = 0,
        goodbye: tuple[int, bytes] | None = None,
        pongs: bool = False,
    ) -> None:
        self.levels: list[int] = []
        self.mids: list[int] = []
        self.topics: list[str] = []
        self.at_qos_0 = 0
        self.acked: list[int] = []
        self.connects: list[bytes] = []
        self.asked: list[bytes] = []
        self.answers, self.acks, self._stays = answers, acks, stays
        self.puback, self.goodbye, self._pongs = puback, goodbye, pongs
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sock: socket.socket | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        while self._thread.is_alive():  # a client may just have come again
            if self._sock is not None:
                with suppress(OSError):
                    self._sock.shutdown(socket.SHUT_RDWR)
            self._thread.join(0.05)
        self._listener.close()

    def ack(self, mid: int) -> None:
        """Acknowledge one message."""
        more = bytes([self.puback]) if self.puback else b""
        self.say(bytes([PUBACK, 2 + len(more)]) + mid.to_bytes(2, "big") + more)

    def say(self, packet: bytes) -> None:
        """Send anything."""
        assert self._sock is not None
        self._sock.sendall(packet)

    def bring(self, topic: str, mid: int, payload: bytes, level: int = 5) -> None:
        """Publish a message at QoS 1."""
        name = topic.encode()
        body = len(name).to_bytes(2, "big") + name + mid.to_bytes(2, "big") + b"\0" * (level == 5) + payload
        assert len(body) < 2**14
        self.say(bytes([PUBLISH | 2, len(body) & 0x7F | 0x80, len(body) >> 7]) + body)

    def hang_up(self) -> None:
        """End the connection; the next one may come."""
        assert self._sock is not None
        self._sock.shutdown(socket.SHUT_RDWR)

    def _run(self) -> None:
        while True:
            try:
                self._sock, _ = self._listener.accept()
            except OSError:
                return
            with self._sock, suppress(OSError):
                for packet in packets(self._sock):
                    if not self._answer(self._sock, packet.head, packet.body):
                        break

    def _answer(self, sock: socket.socket, kind: int, body: bytes) -> bool:
        if kind == TLS_HANDSHAKE:
            return False
        if kind & 0xF0 == CONNECT:
            level = body[6]
            self.levels.append(level)
            self.connects.append(body)
            sock.sendall(self.answers.get(level, b""))
            return self._stays and level in self.answers
        if self.goodbye and kind & 0xF0 == self.goodbye[0]:
            sock.sendall(self.goodbye[1])
            return False
        if kind == PINGREQ and self._pongs:
            sock.sendall(PONG)
        if kind & 0xF0 == SUBSCRIBE:
            self.asked.append(body)
        if kind & 0xF0 == PUBACK:
            self.acked.append(int.from_bytes(body[:2], "big"))
        if kind & 0xF6 == PUBLISH:
            self.at_qos_0 += 1
        elif kind & 0xF0 == PUBLISH:
            at = 2 + int.from_bytes(body[:2], "big")
            self.topics.append(body[2:at].decode())
            self.mids.append(int.from_bytes(body[at : at + 2], "big"))
            if self.acks:
                self.ack(self.mids[-1])
        return True


class Packet(NamedTuple):
    """An MQTT packet. head: its first byte. body: what stands behind its length. raw: all of it."""

    head: int
    body: bytes
    raw: bytes


def packets(sock: socket.socket) -> Iterator[Packet]:
    """Yield the packets that come, until the other side ends."""
    with sock.makefile("rb") as stream:
        while raw := stream.read(1):
            length = shift = 0
            while True:
                if not (more := stream.read(1)):
                    return
                raw += more
                length |= (more[0] & 0x7F) << shift
                shift += 7
                if more[0] < 0x80:
                    break
            body = stream.read(length)
            yield Packet(raw[0], body, raw + body)
