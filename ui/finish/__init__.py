"""What was saved, and where every other token went."""
