"""The options that a budget is decided on: found, listed, chosen from and shown."""
