"""A whole log of requests through a cache, fast: hits at one size, at every size, at every time to live."""
