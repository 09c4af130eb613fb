"""One file for each format that a log is written in."""
