"""The lecture, in three modules of its own: Scheduler → CacheController → BlockManager.

Calls go down, answers come back as return values, news goes out as events. The names are the lecture's; what
each of them is in vLLM stands in docs/fidelity.md.
"""
