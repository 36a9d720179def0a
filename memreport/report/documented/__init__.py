"""What is said of the figures that documents print: each statement, and the ledger as a whole."""
