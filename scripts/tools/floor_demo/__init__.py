"""A whole floor on one machine, everything simulated but the programs: `scripts/floor`."""
