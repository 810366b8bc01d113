"""What leaves the daemon by MQTT: events and rounds from the journal, retained states, replies."""
