"""One link to one broker: connecting, publishing, subscribing."""
