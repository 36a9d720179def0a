"""What is said of money: the bill, the same in the columns of FOCUS, buying against renting."""
