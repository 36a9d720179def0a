"""Decoders whose attention reads tokens that an indexer chose, or keys of several tokens each; residual streams."""
