"""How exporters write usage, and which of two conventions a log follows."""
