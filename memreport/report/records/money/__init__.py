"""Money as records: the bill and its prices, rent beside a purchase, vendors' quotes."""
