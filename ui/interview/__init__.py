"""Chapter 12: the interview, its questions as trees, what one hears, and the numbers in the answers."""
