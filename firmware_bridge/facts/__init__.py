"""What a shoe is told (inputs) and what then became true (events): frozen, tagged values."""
