"""Inputs (what the wires and the people say) and events (what became true): frozen, tagged values."""
