"""Everything that touches a pin or a port; it knows nothing of cards, shoes or games."""
