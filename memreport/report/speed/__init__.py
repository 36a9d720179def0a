"""How long it takes: what limits each time, curves of a service, scaling tables."""
