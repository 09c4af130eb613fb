"""The trade-offs, a panel each: what a setting gives, and beside it what it costs."""
