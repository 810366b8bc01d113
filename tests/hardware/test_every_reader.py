"""What holds for every protocol: nothing is lost, doubled or made up, however the bytes come."""

from random import Random

import pytest

from hardware.readers.messages import Notice, Unread
from tests.hardware.streams import LINES, decoder, held, reads, taken
from tests.kit.nightly import share
from tests.kit.rows import each_row

SEEDS = range(share(20, of=6))
BOUND = 1024  # bytes a decoder may keep


@pytest.fixture(params=LINES)
def protocol(request: pytest.FixtureRequest) -> str:
    return request.param


def stream(protocol: str, rng: Random, count: int = 40) -> tuple[list[int | str], list[bytes]]:
    """Codes, and what each puts on the wire."""
    codes = list(LINES[protocol].codes(rng, count))
    return codes, [LINES[protocol].sent(n, code) for n, code in enumerate(codes)]


def is_in_order(found: list[int | str], codes: list[int | str]) -> bool:
    """Whether `found` are some of `codes`, in their order."""
    rest = iter(codes)
    return all(code in rest for code in found)


class TestEveryReader:
    def test_bytes_one_at_a_time(self, protocol: str) -> None:
        codes, sent = stream(protocol, Random(1))
        host = decoder(protocol)
        assert reads([m for byte in b"".join(sent) for m in taken(host, bytes((byte,)))]) == codes
        assert host.bad == 0

    @each_row("seed", SEEDS)
    def test_bytes_in_any_portions(self, protocol: str, seed: int) -> None:
        rng = Random(seed)
        codes, sent = stream(protocol, rng)
        wire, host, messages = b"".join(sent), decoder(protocol), []
        while wire:
            cut = rng.randint(1, 90)
            messages += taken(host, wire[:cut])
            wire = wire[cut:]
        assert reads(messages) == codes

    def test_all_at_once(self, protocol: str) -> None:
        codes, sent = stream(protocol, Random(2))
        assert reads(taken(decoder(protocol), b"".join(sent))) == codes

    @each_row("seed", SEEDS)
    def test_noise_between_reports_makes_up_no_card(self, protocol: str, seed: int) -> None:
        rng = Random(seed)
        codes, sent = stream(protocol, rng)
        host = decoder(protocol)
        wire = b"".join(rng.randbytes(rng.randint(0, 12)) + report for report in sent)
        found = [code for code in reads(taken(host, wire)) if code in codes]
        assert is_in_order(found, codes)

    @each_row("seed", SEEDS)
    def test_bytes_that_get_lost_make_up_no_card(self, protocol: str, seed: int) -> None:
        rng = Random(seed)
        codes, sent = stream(protocol, rng)
        wire = bytes(byte for byte in b"".join(sent) if rng.random() > 0.01)
        found = [code for code in reads(taken(decoder(protocol), wire)) if code in codes]
        assert is_in_order(found, codes)

    @each_row("seed", SEEDS)
    def test_a_damaged_report_costs_only_itself(self, protocol: str, seed: int) -> None:
        rng = Random(seed)
        codes, sent = stream(protocol, rng)
        hit = rng.randrange(len(sent) - 1)
        middle = rng.randrange(len(sent[hit]) // LINES[protocol].copies)
        sent[hit] = damaged(sent[hit], middle, rng)
        found = [code for code in reads(taken(decoder(protocol), b"".join(sent) + sent[-1])) if code in codes]
        assert is_in_order(found, [*codes, codes[-1]])
        if protocol != "native":  # whose board would now repeat the one that is missing
            assert len(found) >= len(codes) - 2 + (LINES[protocol].copies > 1)

    def test_a_report_split_over_a_reconnect_is_no_card_of_its_own(self, protocol: str) -> None:
        codes, sent = stream(protocol, Random(3), 6)
        host = decoder(protocol)
        messages = taken(host, b"".join(sent[:3]) + sent[3][:5])
        host.resume(getattr(messages[-1], "report", None))
        messages += taken(host, sent[3][5:] + b"".join(sent[4:]))
        found = reads(messages)
        assert is_in_order([code for code in found if code in codes], codes)
        assert found[:3] == codes[:3]
        if protocol != "native":  # whose board repeats the third before it goes on
            assert found[-2:] == codes[-2:]

    def test_a_report_that_lost_its_head_before_the_port_was_opened_is_no_card(self, protocol: str) -> None:
        codes, sent = stream(protocol, Random(6), 4)
        for cut in range(1, len(sent[0]) // LINES[protocol].copies):
            host = decoder(protocol)
            host.resume(None)
            found = reads(taken(host, sent[0][cut:] + b"".join(sent[1:])))
            assert is_in_order(found, codes)
            if protocol != "native":  # whose board repeats what is missing before it goes on
                assert found[-3:] == codes[-3:]

    def test_garbage_is_not_kept(self, protocol: str) -> None:
        rng, host = Random(4), decoder(protocol)
        for _ in range(300):
            taken(host, rng.randbytes(700))
            assert held(host) <= BOUND

    def test_nothing_is_said_of_nothing(self, protocol: str) -> None:
        host = decoder(protocol)
        assert taken(host, b"") == []
        assert (host.good, host.bad) == (0, 0)

    @each_row("seed", SEEDS)
    def test_messages_are_of_known_kinds_and_name_no_card(self, protocol: str, seed: int) -> None:
        rng = Random(seed)
        for message in taken(decoder(protocol), rng.randbytes(4000)):
            if isinstance(message, Notice):
                assert len(message.what) < 100
            if isinstance(message, Unread):
                assert message.reason

    def test_a_code_does_not_show_in_a_repr(self, protocol: str) -> None:
        codes, sent = stream(protocol, Random(5), 1)
        (message,) = taken(decoder(protocol), sent[0])
        assert repr(str(codes[0]))[1:-1] not in repr(message).replace("session=7", "")
        assert "??" in repr(message)


def damaged(report: bytes, at: int, rng: Random) -> bytes:
    return report[:at] + bytes((report[at] ^ rng.randint(1, 255),)) + report[at + 1 :]
