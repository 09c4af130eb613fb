"""What made prompts differ where they need not, found by what repairs it: no repair is said that was not run."""
