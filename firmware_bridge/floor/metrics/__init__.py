"""`shoe-floor metrics`: the state of all tables of a floor, as metrics for Prometheus."""
