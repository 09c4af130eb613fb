"""Where weights and tokenizers come from: random numbers, GGUF files, Hugging Face directories."""
