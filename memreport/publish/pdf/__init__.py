"""The budget sheet, as a PDF that keeps the standards of archives and of accessibility."""
