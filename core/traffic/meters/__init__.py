"""What engines counted themselves, as differences: the rate of this run, per engine and for all of them."""
