"""The configuration of a table: `bridge.toml` and `calibration.toml`, read and written."""
