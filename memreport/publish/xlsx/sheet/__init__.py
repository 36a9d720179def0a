"""What sheets are made of: cells with styles, charts, paper, marks, what may be typed."""
