"""`shoe-floor metrics`: what all tables of a floor say, as metrics for Prometheus."""
