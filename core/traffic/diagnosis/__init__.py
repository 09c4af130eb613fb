"""What made prompts differ where they need not: no repair is said that was not run."""
