"""Simulated reader boards, cables and pins that behave like real ones, for demonstrations and tests."""
