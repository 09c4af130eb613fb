"""The stage as a component of a page: what travels to it, questions, what-if, own prompts."""
