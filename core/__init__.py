"""Broth's cache engine: a prefix KV cache that equals vLLM 0.33 block for block and tells what it does.

The write side (engine, scheduler, cache_controller, block_manager) decides; the read side (frame, stats,
diagnose, kv_events) looks only at the events the write side emits. Nothing here knows a screen, a clock
or an unseeded random number.
"""

__version__ = "0.1.0"
