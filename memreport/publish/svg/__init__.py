"""Drawings of a report as SVG with real text."""
