"""Which field of a record is what."""
