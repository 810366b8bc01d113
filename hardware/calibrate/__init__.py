"""Measuring a reader and its sensors: samples in, levels and settings out; no port, no pin and no clock of its own."""

from hardware.calibrate.figures import Refusal, histogram, mean, median, sd, spread
from hardware.calibrate.levels import Dark, Levels, cards_in, dark_level, levels_of
from hardware.calibrate.proposal import Settings, next_light, propose
from hardware.calibrate.pulses import Dwell, Pulse, dwell, pulses_in
from hardware.calibrate.wires import EdgeWatch, SingleLamp

__all__ = [
    "Dark",
    "Dwell",
    "EdgeWatch",
    "Levels",
    "Pulse",
    "Refusal",
    "Settings",
    "SingleLamp",
    "cards_in",
    "dark_level",
    "dwell",
    "histogram",
    "levels_of",
    "mean",
    "median",
    "next_light",
    "propose",
    "pulses_in",
    "sd",
    "spread",
]
