"""Measuring a reader and its sensors: samples in, levels and settings out."""
