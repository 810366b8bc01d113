"""The state that a Raspberry Pi reports of itself."""
