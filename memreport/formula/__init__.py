"""The language that figures are written in: units, words, recordings and their printers.  It knows no figure."""
