"""What the title and the question of a scenario say, read as text alone: no table and no field is looked up."""
