"""What differs between two versions, and what a gate finds in it, as records."""
