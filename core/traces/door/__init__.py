"""One call: find out the format, read the log."""
