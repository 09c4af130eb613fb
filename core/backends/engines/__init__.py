"""Engines beside ours, asked with the same prompts: llama.cpp, and servers that speak OpenAI's protocol."""
