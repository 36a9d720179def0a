"""What is said of a portfolio: sentences, and tables of texts in one currency."""
