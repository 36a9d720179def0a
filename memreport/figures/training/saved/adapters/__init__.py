"""What adapters keep of a layer: what they read, what they save, what they hold for a moment."""
