"""GPIO pins: lamps, sensors, and what tells a card from a bounce."""
