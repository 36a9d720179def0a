"""Reports as JSON: numbers in base units and in full precision."""
