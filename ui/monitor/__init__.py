"""A load, live and paused."""
