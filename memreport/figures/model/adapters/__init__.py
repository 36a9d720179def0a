"""What adapters add to a model: low-rank ones, those of PEFT's other methods, and modules that are trained whole."""
