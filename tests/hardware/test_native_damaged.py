"""The native link where bytes are damaged, lost or cut anywhere: no report is believed too early, and nothing grows."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import framing
from hardware.readers.messages import ReportNo
from tests.hardware.native_reports import S, ack, after, card, seqs, take

NOISE = b"\x05damaged\x00"


def test_after_a_damaged_frame_a_report_must_come_twice() -> None:
    decoder = after(4)
    take(decoder, card(4) + NOISE)
    assert decoder.noisy
    assert take(decoder, card(5)) == []
    assert take(decoder, card(5, code=18)) == []
    assert [read.code for read in take(decoder, card(5, lost=1))] == [17]


def test_eight_good_frames_make_the_line_trusted_again() -> None:
    decoder = after(4)
    take(decoder, card(4) + NOISE + 8 * card(4))
    assert not decoder.noisy
    assert seqs(take(decoder, card(5))) == [5]


def test_on_a_noisy_line_an_ack_is_said_thrice() -> None:
    decoder = after(4)
    take(decoder, card(4) + NOISE)
    assert ack(decoder.acknowledge(ReportNo(S, 4))) == 3 * [(2, S, 4)]


def test_a_frame_without_its_head_at_the_open_is_no_noise() -> None:
    decoder = after(4)
    assert seqs(take(decoder, card(4)[5:] + card(5))) == [5]
    assert (decoder.good, decoder.bad) == (1, 0)
    take(decoder, card(6)[:9])
    decoder.resume(ReportNo(S, 5))
    assert seqs(take(decoder, card(6)[3:] + card(6))) == [6]
    assert decoder.bad == 0


def test_good_and_bad_frames_are_counted() -> None:
    decoder = after(4)
    take(decoder, card(5) + NOISE + NOISE + card(5))
    assert (decoder.good, decoder.bad) == (2, 2)


def test_what_is_remembered_is_bounded() -> None:
    decoder = after(4)
    take(decoder, card(4))
    for stamp in range(1000):
        assert take(decoder, NOISE + card(5 + stamp % 9, stamp_ms=stamp)) == []
        assert len(decoder._copies) <= 128


def test_bytes_one_at_a_time() -> None:
    decoder = after(250)
    stream = b"".join(card(seq % 256, code=seq) for seq in range(251, 300))
    reads = [read for byte in stream for read in take(decoder, bytes([byte]))]
    assert [read.code for read in reads] == list(range(251, 300))


pieces = st.one_of(
    st.binary(max_size=80),
    st.builds(card, st.integers(0, 255), st.integers(0, 65535), st.sampled_from([S, 1])),
    st.builds(lambda frame, cut: frame[:cut], st.just(card(5)), st.integers(0, 21)),
    st.builds(lambda packet: framing.encode(packet), st.binary(min_size=1, max_size=62)),
)


@settings(deadline=None)  # a slow machine is no failure
@given(st.lists(pieces, max_size=60), st.booleans())
def test_no_bytes_make_it_raise_or_grow(chunks: list[bytes], acknowledges: bool) -> None:
    decoder = after(4)
    for chunk in chunks:
        messages = take(decoder, chunk) if acknowledges else list(decoder.feed(chunk))
        assert all(repr(message) for message in messages)
        assert len(decoder._framing._begun) <= 66
        assert len(decoder._copies) <= 128


@settings(deadline=None)  # a slow machine is no failure
@given(st.lists(pieces, max_size=20).map(b"".join), st.integers(1, 40))
def test_where_the_stream_is_cut_makes_no_difference(stream: bytes, size: int) -> None:
    in_parts = after(4)
    parts = [stream[at : at + size] for at in range(0, len(stream), size)]
    assert [message for part in parts for message in take(in_parts, part)] == take(after(4), stream)
