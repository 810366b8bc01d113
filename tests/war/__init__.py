"""A toy game, to prove that the bridge knows no game by name: each seat's card against one that lies face down."""
