"""What happened: the log, a moment, the fold from one to the next, why a request missed, KV events."""
