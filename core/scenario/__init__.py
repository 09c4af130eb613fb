"""Small runs written down: settings, commands and tokens, as JSON and in short notations."""
