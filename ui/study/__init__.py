"""What a visitor learns by: flash cards, and the six questions before and after."""
