"""Keypads at the seats of a table: their packets, and the host's end of their link."""
