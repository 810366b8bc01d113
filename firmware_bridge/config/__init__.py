"""What a table is configured to be: `bridge.toml`, `calibration.toml`, and the means to read and write them."""
