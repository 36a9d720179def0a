"""What changed between two versions, and what a gate says of it, as text."""
