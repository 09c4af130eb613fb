"""The course: what its chapters share, and what each of them counts and draws."""
