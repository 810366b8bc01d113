"""`shoe-floor forward`: sends what is stored to receivers of webhooks."""
