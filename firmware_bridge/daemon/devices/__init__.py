"""Reader, sensors and outputs of this table on the loop, and lending them to a technician."""
