"""What a Raspberry Pi says of itself."""
