"""Reference tables: hardware, prices, choices, each number with its source."""
