"""What is said of a scenario, decided once: verdicts, peak, speed, money, advice, changes."""
