"""Simulated reader boards, cables and pins: honest ones, for demonstrations, tests and technicians."""
