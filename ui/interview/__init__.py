"""Chapter 12: the questions of an interview, and the numbers in their answers."""
