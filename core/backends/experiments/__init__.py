"""What is measured with a decoder: hits, many users, reuse that must not be, a chat."""
