"""Model, GPUs and prices behind modelled numbers."""
