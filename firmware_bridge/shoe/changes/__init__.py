"""What an event changes in a shoe."""
