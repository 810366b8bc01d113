"""Measuring a reader and the cut-card sensor: what is proposed, and what is refused with which reason."""

import asyncio
import re
from random import Random

import pytest

from hardware.calibrate import bench
from hardware.calibrate.bench import Bench, tried
from hardware.calibrate.figures import Refusal, histogram, median, spread
from hardware.calibrate.levels import Dark, Levels, Settings, dark_level, levels_of, next_light, propose
from hardware.calibrate.pulses import Pulse, dwell, pulses_in
from hardware.pins.sensors import BOUNCE_MS
from hardware.readers.messages import Beat, Message, Read, ReportNo
from hardware.sim.board import NativeBoard
from hardware.sim.optics import Light, Optics, printed
from tests.hardware.proof import CONVERGES, FADING, REFUSED, SimulatedLine, calibrated, read
from tests.kit.rows import each_row

CARDS = 1_000
FACTORY = Settings(threshold=512, hysteresis=32, gain=4, exposure_us=180)


@pytest.mark.parametrize("name", CONVERGES)
def test_calibration_converges_to_settings_that_read_every_card(name: str) -> None:
    report = read(calibrated(CONVERGES[name])[0], CARDS)
    assert (report.read, report.wrong) == (CARDS, 0)


@pytest.mark.parametrize("reason", REFUSED)
def test_what_cannot_be_calibrated_is_refused_with_its_reason(reason: str) -> None:
    with pytest.raises(Refusal, match=reason) as refused:
        calibrated(REFUSED[reason])
    assert refused.value.remedy


def test_a_card_pulled_while_there_should_be_none_is_what_the_remedy_begins_with() -> None:
    with pytest.raises(Refusal, match="light flickers at the reader") as refused:
        dark_level([100] * 2_000 + [3_000] * 100 + [100] * 2_000)
    assert refused.value.remedy.startswith("pull no card during this step; if you pulled none, shade the reader")


def test_a_slot_is_a_place_on_the_layout_and_nothing_at_the_reader() -> None:
    _, hand = calibrated(Light())
    said = [text for text in hand.said if "slot" in text]
    assert (said, "keep cards away from the reader: its light is measured" in hand.said) == ([], True)


def test_factory_settings_do_not_read_the_weak_print() -> None:
    assert read(SimulatedLine(NativeBoard(optics=Optics(FADING))), 100).read < 50


def test_a_bad_threshold_reads_little_and_nothing_wrong() -> None:
    optics = Optics(Light(ink=0.3, noise=60.0))
    board = NativeBoard(optics=optics)
    board.params |= {1: 1_250, 2: 0, 5: 0}
    report = read(SimulatedLine(board), CARDS)
    assert report.read < CARDS
    assert report.wrong == 0


def test_the_print_tells_every_code_apart() -> None:
    assert len({printed(code) for code in range(0, 65_536, 7)}) == len(range(0, 65_536, 7))


def test_the_tested_cards_are_reported_before_they_are_acknowledged() -> None:
    line, hand = calibrated(Light())
    reported: list[tuple[ReportNo, int]] = []
    bench = Bench(line, lambda report: reported.append((report, line.board.acknowledged)))
    line.cards_left = 20
    tested = asyncio.run(tried(bench, hand, 20))
    assert (tested.cards, tested.read, tested.rate) == (20, 20, 1.0)
    assert [before for _, before in reported] == list(range(5, 25))  # five were pulled for the raw signal
    assert len(tested.transits) == len(tested.qualities) == 20


def test_a_test_pass_that_stops_half_way_is_refused() -> None:
    line, hand = calibrated(Light())
    line.cards_left = 3
    with pytest.raises(Refusal, match="only 3 of 20 cards passed"):
        asyncio.run(tried(Bench(line), hand, 20, patience_s=2.0))


def test_a_board_that_does_not_answer_is_refused() -> None:
    class Mute(SimulatedLine):
        def write(self, chunk: bytes) -> None:
            pass

    with pytest.raises(Refusal, match="does not answer"):
        asyncio.run(Bench(Mute(NativeBoard())).params())


@pytest.mark.parametrize("beats", [0, 1, 2, 50])
def test_patience_is_a_matter_of_time_however_many_beats_lie_on_the_line_before_a_card(beats: int) -> None:
    said: list[Message] = [*[Beat(1, 1, 1, 1, 1)] * beats, Read(3)]

    class Scripted(SimulatedLine):
        async def next(self, seconds: float) -> Message | None:
            return said.pop(0) if said else await super().next(seconds)

    assert asyncio.run(Bench(Scripted(NativeBoard())).drain()) == 1


def test_a_report_that_comes_again_is_no_card_and_acknowledged_again() -> None:
    lost: list[bytes] = []

    class LosesOne(SimulatedLine):
        def write(self, chunk: bytes) -> None:
            if lost:
                super().write(chunk)
            else:
                lost.append(chunk)

    line = LosesOne(NativeBoard())
    line.cards_left = 1
    assert asyncio.run(Bench(line).drain()) == 1
    assert (len(lost), line.board.acknowledged) == (1, 1)


def test_parameters_are_set_and_outlive_a_boot_once_saved() -> None:
    line = SimulatedLine(NativeBoard())
    bench = Bench(line)

    async def work() -> dict[int, int]:
        await bench.set({1: 1_700, 2: 50})
        await bench.save()
        await bench.selftest()
        line.board.reset()
        return await bench.params()

    assert asyncio.run(work()) == {1: 1_700, 2: 50, 3: 4, 4: 180, 5: 60, 6: 8}


def levels(dark: float = 100.0, white: float = 3_000.0, black: float = 600.0, noise: float = 10.0) -> Levels:
    return Levels(dark, white, black, noise, white_low=white, black_high=black, cards=5)


@pytest.mark.parametrize(
    ("seen", "now", "wanted"),
    [
        (levels(), FACTORY, None),
        (levels(white=1_550), FACTORY, Settings(512, 32, 6, 240)),
        (levels(white=4_095), FACTORY, Settings(512, 32, 4, 90)),
        (levels(white=2_000), Settings(512, 32, 12, 240), None),  # all the light there is, and enough
    ],
)
def test_light_is_brought_to_where_paper_shows_well(seen: Levels, now: Settings, wanted: Settings | None) -> None:
    assert next_light(seen, now) == wanted


def test_the_threshold_leaves_room_for_noise_and_for_a_fading_lamp() -> None:
    settings = propose(levels(), FACTORY)
    assert 600 + 8 * 10 < settings.threshold < 1_800
    assert settings.hysteresis == 40


HELD = [(0.0, True), (0.4, False), (0.9, True), (25.0, False), (25.6, True), (26.0, False)]


@pytest.mark.parametrize(
    ("edges", "pulses"),
    [
        ([], []),
        ([(0.0, False)], []),
        ([(0.0, True), (20.0, False)], [Pulse(20.0, 0.0)]),
        (HELD, [Pulse(26.0, 1.0)]),
        (HELD + [(at + 300, active) for at, active in HELD], [Pulse(26.0, 1.0), Pulse(26.0, 1.0)]),
    ],
)
def test_bouncing_edges_are_one_pulse(edges: list[tuple[float, bool]], pulses: list[Pulse]) -> None:
    measured = pulses_in(edges)
    assert [each.held_ms for each in measured] == pytest.approx([each.held_ms for each in pulses])
    assert [each.bounce_ms for each in measured] == pytest.approx([each.bounce_ms for each in pulses])


def test_a_pass_that_may_still_bounce_has_not_ended() -> None:
    assert pulses_in(HELD[:2], now=5.0) == []
    assert len(pulses_in(HELD[:2], now=30.0)) == 1


@pytest.mark.parametrize("at", [0.0, 19.6, 123.457])
@pytest.mark.parametrize(("more", "passes"), [(-0.001, 1), (0, 2), (0.001, 2)])
def test_a_pause_of_exactly_the_bounce_limit_parts_two_passes(at: float, more: float, passes: int) -> None:
    back = at + 20 + BOUNCE_MS + more
    edges = [(at, True), (at + 20, False), (back, True), (back + 20, False)]
    assert len(pulses_in(edges)) == passes
    assert len(pulses_in(edges[:2], now=back)) == passes - 1


@pytest.mark.parametrize(
    ("cards", "cut", "debounce", "least"),
    [
        ([], [Pulse(20.0, 1.0)], 5, 0),
        ([Pulse(2.0, 0.5)], [Pulse(18.0, 4.0), Pulse(30.0, 2.0)], 8, 6),
    ],
)
def test_dwell_parts_the_cut_card_from_the_others(
    cards: list[Pulse], cut: list[Pulse], debounce: int, least: int
) -> None:
    proposed = dwell(cards, cut)
    assert (proposed.debounce_ms, proposed.min_dwell_ms) == (debounce, least)


@pytest.mark.parametrize(
    ("cards", "cut", "why"),
    [
        ([], [], "did not see the cut card"),
        ([Pulse(15.0, 0.0)], [Pulse(20.0, 0.0)], "sensor for up to 15.0 ms, the cut card for 20.0 ms"),
        ([], [Pulse(200.0, 90.0)], "bounces for 90 ms"),
        ([Pulse(800.0, 0.0)], [Pulse(5_000.0, 0.0)], "cards trigger the sensor for 800 ms"),
    ],
)
def test_a_cut_card_sensor_that_cannot_tell_is_refused(cards: list[Pulse], cut: list[Pulse], why: str) -> None:
    with pytest.raises(Refusal, match=why):
        dwell(cards, cut)


def test_a_few_wild_values_do_not_move_the_spread() -> None:
    rng = Random(1)
    tame = [rng.gauss(100, 10) for _ in range(1_000)]
    assert spread(tame) == pytest.approx(10, rel=0.1)
    assert spread(tame + [4_000] * 50) == pytest.approx(10, rel=0.15)


def test_a_histogram_is_a_line_of_bars() -> None:
    assert histogram([0, 0, 0, 0, 255, 255], 0, 256, columns=4) == "█  ▅"
    assert histogram([], 0, 1, columns=3) == "   "


@pytest.mark.parametrize(("least", "column"), [(0, 0), (8, 1), (60, 7), (255, 31)])
def test_the_bars_of_quality_say_their_scale_and_point_at_the_least_taken(least: int, column: int) -> None:
    bars, mark = bench.Tested(qualities=[least, 255]).histogram(least)
    assert bars.startswith("quality 0 ")
    assert bars.endswith(" 255, higher is better")
    assert mark == " " * (10 + column) + f"^ [reader] min_quality = {least}"
    assert bars[mark.index("^")] != " "


def test_the_levels_that_were_measured_are_shown() -> None:
    _, hand = calibrated(Light())
    assert [text for text in hand.said if re.fullmatch(r"dark \d+, ink \d+, paper \d+, noise \d+\.\d", text)]


def test_the_edges_of_the_print_are_no_noise() -> None:
    edge = (200, 500, 900, 1_300, 1_700)
    card = [*[2_000] * 6, *edge[::-1], *[100] * 6, *edge] * 4
    levels = levels_of([card], Dark(20, 2, 1))
    assert (levels.white, levels.black, levels.noise) == (2_000, 100, 2)


@each_row(("values", "middle"), [((), 0), ((3,), 3), ((1, 2), 2), ((1, 2, 3), 2), ((1, 2, 3, 4), 3)])
def test_of_an_even_number_the_upper_middle_one_is_the_median(values: tuple[float, ...], middle: float) -> None:
    assert median(values) == middle
