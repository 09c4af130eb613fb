"""One request of a load or of a log, on the stage."""
