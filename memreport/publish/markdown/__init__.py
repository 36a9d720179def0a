"""The reference pages of docs/, written from the register."""
