"""What a visitor takes home: the run as data, as pictures, as a page that plays offline, as a handout."""
