"""Inputs (reports of devices and people) and events (what became true): frozen, tagged values."""
