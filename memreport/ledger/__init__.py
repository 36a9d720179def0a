"""Step 4, verify: the figures that documents print, against the ones that are computed."""
