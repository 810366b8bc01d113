"""`shoe-floor witness`: cosigns checkpoints of logs that only grow (C2SP tlog-witness)."""
