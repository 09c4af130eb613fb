"""Chapter 9: KV cache and prefix cache, told apart."""
