"""A log of requests on the page: what it would gain from the cache, and why each request missed."""
