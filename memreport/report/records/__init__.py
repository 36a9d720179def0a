"""The records that a report consists of: numbers, each with the text that people read."""
