"""Offers of vendors: files beside scenarios, each with price, currency, term, what is included and until when."""
