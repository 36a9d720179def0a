"""Figures of cost: the bill, ownership, a run, a service."""
