"""Delivery by MQTT: events and rounds from the journal, retained states, replies."""
