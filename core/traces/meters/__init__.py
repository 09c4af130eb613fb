"""What engines say of themselves: metrics pages and lines of a server's log, as readings per engine."""
