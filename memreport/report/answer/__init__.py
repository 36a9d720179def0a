"""The answer to a scenario's question: its sentences, its options, and what page 1 says beside it."""
