"""Fields that a scenario leaves open, and what fills them: its variants, its question, its hardware."""
