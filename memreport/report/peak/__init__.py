"""Where the memory goes: the parts of a peak, and what a monitor shows of it."""
