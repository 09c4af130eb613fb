"""What a request says becomes segments or chained block numbers."""
