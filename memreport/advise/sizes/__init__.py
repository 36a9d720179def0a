"""The sizes that a question asks for: largest batch, longest context, most users, fewest GPUs."""
