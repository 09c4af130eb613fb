"""Your traffic: a log of requests on the page."""
