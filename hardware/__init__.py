"""Drivers of pins and ports, independent of cards, shoes and games."""
