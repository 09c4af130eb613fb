"""Chapter 8: what the cache costs."""
