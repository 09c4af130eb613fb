"""What made prompts differ where they need not, found by what repairs it: every repair is run before it is said."""
