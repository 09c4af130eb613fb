"""A store of KV blocks that several processes share: a real one, in a file or on a server.

base.py        what is asked of any store, and the switches that take the atomicity away
frame.py       a value carries its key and a checksum: what is wrong is never taken for right
in_sqlite.py   the store in a file, by the standard library
on_server.py, acts.lua   the store on Valkey or Redis: one act, one script
address.py     which of them, chosen by an address; said.py: what stores say when they could not
store.py       the acts of a client: look up and pin, put, read, unpin
visit.py       one request on a store, step by step
tier.py        the same for an engine: whatever the store does, no more than a miss
audit.py       what a store holds that it should not
recorded.py    one run for each fault, its steps in an order set by hand
server_lru.py  plain values under the server's own eviction, as most pools keep them
"""
