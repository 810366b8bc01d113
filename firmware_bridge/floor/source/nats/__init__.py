"""A floor that runs on a NATS cluster: its ingest reads what the MQTT listener of NATS keeps."""
