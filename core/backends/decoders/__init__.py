"""The decoder itself: in numpy, in torch, and simulated; where a plan becomes K/V, logits and seconds."""
