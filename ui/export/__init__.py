"""What a visitor takes home: the run as data, as pictures, and as one page that plays without a server."""
