"""Reports as frames of the native link, and a decoder that hears and acknowledges them."""

from collections.abc import Iterable
from typing import Any

from hardware import framing
from hardware.readers import ReaderSettings
from hardware.readers.messages import Read, Repeat, ReportNo, Unread
from hardware.readers.native import Card, NativeDecoder, pack, unpack

S = 0x0A0B


def card(seq: int, code: int = 17, session: int = S, **fields: int) -> bytes:
    usual = {
        "quality": 200,
        "agreed": 8,
        "taken": 8,
        "transit_ms": 45,
        "flags": 0,
        "lost": 0,
        "stamp_ms": 1000,
    }
    return framing.encode(pack(Card(seq=seq, session=session, code=code, **usual | fields)))


def ack(frame: bytes) -> list[tuple[int, int, int]]:
    """The ACKs in some bytes, as (kind, session, seq)."""
    packets = [unpack(packet) for packet in framing.Framing().feed(frame)]  # type: ignore[arg-type]  # all are whole
    return [(each.kind, each.session, each.seq) for each in packets]


def after(seq: int, **settings: Any) -> NativeDecoder:
    """A decoder that has taken everything up to `seq`."""
    decoder = NativeDecoder(ReaderSettings(**settings))
    decoder.resume(ReportNo(S, seq))
    return decoder


def take(decoder: NativeDecoder, chunk: bytes) -> list[Any]:
    """Feed and acknowledge, as the bridge does."""
    messages: list[Any] = []
    for message in decoder.feed(chunk):
        messages.append(message)
        if isinstance(message, Read | Unread | Repeat):
            assert message.report is not None
            decoder.acknowledge(message.report)
    return messages


def seqs(messages: Iterable[Any]) -> list[int]:
    return [message.report.seq for message in messages]
