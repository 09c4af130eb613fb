"""Real prefill on a page: its model, its long work, its experiments."""
