"""The lecture, in three modules of its own: Scheduler → CacheController → BlockManager.

Calls go down, answers come back as return values, news goes out as events. The names are the lecture's. In
vLLM the Scheduler is called so too and includes the KVCacheManager, the CacheController is the BlockPool, and
the BlockManager is its FreeKVCacheBlockQueue. What vLLM does not have stands beside these three: our policies
in ``policy_cache``, what lessons look at in ``lesson``. ``Engine`` is the door, ``EngineView`` what may be
asked; the numbers of rules are those of docs/fidelity.md.
"""
