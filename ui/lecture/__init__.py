"""A lecture in one window: what each stop shows, asks and tells, for the projector and for the notes."""
