"""How a report looks: one folder a kind of file."""
