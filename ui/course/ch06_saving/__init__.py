"""Chapter 6: what the cache saves."""
