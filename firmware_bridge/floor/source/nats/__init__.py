"""NATS as a source: the ingest reads the stream in which the MQTT listener of NATS keeps messages."""
