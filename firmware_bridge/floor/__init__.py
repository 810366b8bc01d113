"""The back office of a floor: keeps the messages of all tables, and asks them for what is missing."""
