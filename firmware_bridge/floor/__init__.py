"""The back office of a floor: keeps what all its tables say, and asks them for what is missing."""
