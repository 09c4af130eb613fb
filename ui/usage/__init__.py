"""What happened to a cache as its provider reports it: turns, resets, the bill."""
