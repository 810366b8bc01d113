"""The daemon: what runs at a table."""
