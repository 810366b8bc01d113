"""The topic `health`: state of reader, queue, disk and Pi, every half minute."""

import asyncio
import logging
import shutil
from collections import deque
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.config import calibration
from firmware_bridge.config.sections import Config
from firmware_bridge.config.whole_file import write_whole
from firmware_bridge.daemon.devices.reader import Reader
from firmware_bridge.errors import ConfigError, in_words
from firmware_bridge.facts.book import measures
from firmware_bridge.facts.decoding import from_json
from hardware import pi as pi
from hardware.readers import messages

BLOCK: Final = 52
"""Reads per mean quality: a pack, so a shoe of eight decks has eight blocks."""

BLOCKS: Final = 64
"""Means kept: eight shoes of eight decks."""

ENOUGH_BLOCKS: Final = 8
"""Means needed for a trend."""

SURE: Final = 4.0
"""Standard errors that a fall must exceed: by chance less than once in ten thousand checks."""

FAR_SHOES: Final = 10.0
"""Shoes beyond which no failure is forecast."""

MARGIN_SD: Final = 2.0
"""Standard deviations above the limit: single reads fail before their mean reaches it."""


class Trend(NamedTuple):
    """A line through means: `level` at the last one, `fall` per block (positive: falling) and its standard `error`."""

    level: float
    fall: float
    error: float


class ReadStatistics:
    """Counts of reads since the start; qualities 0..255, where the reader reports them."""

    def __init__(self) -> None:
        self.reads = 0
        self.unread = 0
        self.means: deque[float] = deque(maxlen=BLOCKS)
        self._block: list[int] = []
        self._recent: deque[int] = deque(maxlen=BLOCK)

    def read(self, quality: int | None) -> None:
        """Count a card that was read."""
        self.reads += 1
        if quality is None:
            return
        self._recent.append(quality)
        self._block.append(quality)
        if len(self._block) == BLOCK:
            self.means.append(fmean(self._block))
            self._block.clear()

    def failed(self) -> None:
        """Count a card that passed unread."""
        self.unread += 1

    @property
    def quality(self) -> float | None:
        """The mean quality of the last reads."""
        return fmean(self._recent) if self._recent else None


def trend(means: deque[float] | list[float]) -> Trend | None:
    """Return the best straight line (least squares), None for too few means."""
    count = len(means)
    if count < ENOUGH_BLOCKS:
        return None
    middle, mean = (count - 1) / 2, fmean(means)
    spread = sum((n - middle) ** 2 for n in range(count))
    slope = sum((n - middle) * (each - mean) for n, each in enumerate(means)) / spread
    rest = sum((each - mean - slope * (n - middle)) ** 2 for n, each in enumerate(means))
    return Trend(mean + slope * middle, -slope, sqrt(rest / (count - 2) / spread))


def shoes_left(means: deque[float] | list[float], limit: float, sd: float, decks: int) -> float | None:
    """Return the number of shoes until reads begin to fail, None where no fall is sure or the end is far.

    limit: the quality below which a card is unreadable. sd: of single reads, as calibrated.
    """
    line = trend(means)
    if line is None or line.fall <= SURE * line.error or line.fall <= 0:
        return None
    left = (line.level - limit - MARGIN_SD * sd) / line.fall / decks
    return max(left, 0.0) if left < FAR_SHOES else None


def advice(left: float | None) -> str | None:
    """Return the advice to a technician, as text."""
    if left is None:
        return None
    if left < 1:
        return "clean the optics before the next shoe, then calibrate"
    return f"clean the optics within about {round(left)} shoe{'s' * (round(left) != 1)}"


log = logging.getLogger(__name__)

EVERY_S: Final = 30.0
WEAK_LAMP: Final = 0.7
"""Lamp level, relative to its calibrated level, below which the lamp has faded."""

BOARD_LIMIT: Final = 60
"""The quality below which a board without calibration reports a card as unreadable."""


FILE: Final = "reads.json"
"""The file of the means, which survive a restart, in the journal's directory."""


class MeanQualities(Struct, frozen=True):
    """Mean qualities since the calibration (a time, "" for never), oldest first."""

    calibrated: str = ""
    means: tuple[float, ...] = ()


class Health:
    """Counts the reader's messages, and calls `publish(state)` every half minute from `start` to `close`."""

    def __init__(
        self,
        config: Config,
        reader: Reader,
        more: Callable[[], dict[str, Any]],
        publish: Callable[[measures.Health], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._config, self._reader, self._more, self._publish, self._loop = config, reader, more, publish, loop
        self._directory = Path(config.journal.dir)
        self._began = loop.time()
        self._reads = ReadStatistics()
        self._past = MeanQualities()
        self._beat: messages.Beat | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._published: measures.Health | None = None

    def start(self) -> None:
        """Publish the health now, and then every half minute."""
        if self._timer is None:
            self._past = _past(self._directory / FILE)
            self._reads.means.extend(self._past.means)
        self._timer = self._loop.call_later(EVERY_S, self.start)
        self._published = self.state()
        self._publish(self._published)
        self._remember()

    def close(self) -> None:
        """Stop publishing."""
        if self._timer:
            self._timer.cancel()

    def heard(self, message: messages.Message) -> None:
        """Count a message of the reader."""
        match message:
            case messages.Read(quality=quality):
                self._reads.read(quality)
            case messages.Unread(concerns="card"):
                self._reads.failed()
            case messages.Beat():
                self._beat = message

    def state(self) -> measures.Health:
        """Return the complete health; None for a value that is not measured here."""
        return measures.Health(
            uptime_s=self._uptime(),
            reader=self._reader_state(),
            disk_free_mb=self._free_mb(),
            temperature=pi.temperature(),
            under_voltage=pi.under_voltage(),
            **self._more(),
        )

    def live(self) -> measures.Health | None:
        """Return the health published last with present counts: fast enough for each card. None before `start`."""
        if self._published is None:
            return None
        reader = replace(self._published.reader, **self._counts())
        return replace(self._published, uptime_s=self._uptime(), reader=reader, **self._more())

    def _uptime(self) -> int:
        return int(self._loop.time() - self._began)

    def _counts(self) -> dict[str, Any]:
        quality, beat = self._reads.quality, self._beat
        return {
            "reads": self._reads.reads,
            "unread": self._reads.unread,
            "frames_bad": self._reader.decoder.bad,
            "heard": self._reader.hearing.state,
            "not_understood": self._reader.hearing.bursts_bad,
            "quality": None if quality is None else round(quality, 1),
            "lamp": beat and beat.lamp,
            "ambient": beat and beat.ambient,
            "temperature": beat and beat.temperature,
        }

    def _reader_state(self) -> measures.ReaderHealth:
        section = self._calibrated()
        self._reset(section)
        measured = section and section.measured
        return measures.ReaderHealth(
            **self._counts(),
            quality_calibrated=measured.quality_mean if measured else None,
            lamp_calibrated=measured.lamp if measured else None,
            forecast=self._forecast(section),
        )

    def _reset(self, section: calibration.ReaderSection | None) -> None:
        """Drop qualities from before a new calibration: they predict nothing."""
        calibrated = section.at if section else ""
        if calibrated != self._past.calibrated:
            self._past = MeanQualities(calibrated)
            self._reads.means.clear()

    def _remember(self) -> None:
        past = MeanQualities(self._past.calibrated, tuple(self._reads.means))
        if past != self._past:
            self._past = past
            self._loop.run_in_executor(None, _keep, self._directory / FILE, past)

    def _forecast(self, section: calibration.ReaderSection | None) -> str | None:
        lamp, measured = self._beat.lamp if self._beat else None, section and section.measured
        if measured and measured.lamp and lamp is not None and lamp < WEAK_LAMP * measured.lamp:
            return "the reader's lamp has faded: calibrate, and have it replaced"
        sd = (measured and measured.quality_sd) or 0.0
        board = section.after.get("min_quality", BOARD_LIMIT) if section else BOARD_LIMIT
        limit = max(self._config.reader.min_quality, board)
        return advice(shoes_left(self._reads.means, limit, sd, self._config.table.decks))

    def _calibrated(self) -> calibration.ReaderSection | None:
        """Return the calibration, read each time, as a technician may change it."""
        try:
            return calibration.load(self._directory / calibration.FILE).reader
        except ConfigError as error:
            log.warning("%s", error)
            return None

    def _free_mb(self) -> int | None:
        try:
            return shutil.disk_usage(self._directory).free // 1_000_000
        except OSError:
            return None


def _keep(path: Path, past: MeanQualities) -> None:
    try:
        write_whole(path, msgspec.json.encode(past))
    except OSError as error:
        log.warning("the read qualities cannot be saved: %s", in_words(error))


def _past(path: Path) -> MeanQualities:
    try:
        return from_json(path.read_bytes(), MeanQualities)
    except FileNotFoundError:
        return MeanQualities()
    except (OSError, ValueError) as error:
        log.warning("%s is not valid (%s): the forecast starts again", path, error)
        return MeanQualities()
