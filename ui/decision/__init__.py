"""A load's run as a decision: how much memory, how many GPUs, for which service level."""
