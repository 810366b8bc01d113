"""`floor.toml`: what it may hold, how it is read, and where its secrets are."""
