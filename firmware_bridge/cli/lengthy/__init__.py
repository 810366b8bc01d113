"""For commands that may take long: work on every core, and a bar that tells how far it is."""
