"""Chapter 11: what people believe, and what happens."""
