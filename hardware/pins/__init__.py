"""GPIO pins: lamps, sensors, keys and their debouncing."""
