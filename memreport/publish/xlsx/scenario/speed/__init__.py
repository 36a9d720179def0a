"""The sheets on speed: what limits each kernel, where the seconds of a step go, tokens per second by load."""
