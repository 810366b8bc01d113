"""Simulated reader boards, cables and pins: they obey the rules of real ones, for demonstrations and tests alike."""
