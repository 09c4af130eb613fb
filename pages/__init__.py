"""One page per file: text, widgets, one call into core, one stage or chart."""
