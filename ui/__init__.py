"""What a person sees: words, steps of the stage, session and link, widgets. Computes nothing of the cache."""
