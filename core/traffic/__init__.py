"""What a log of requests would gain from a prefix cache, and why each request missed.

settings.py    block size, slots, time to live, requests in flight
analysis.py    a log under such settings: hits, curve, definitions, savings, time, groups (runs the engine
               only where the fast replay cannot answer)
groups.py      per tenant, model, tag, template, session, hour; a verdict for each
hours.py       the hour of a request, in UTC
percentiles.py what single requests have
enough.py      the least memory for nine tenths of the gain
quotas.py      the slots divided among tenants
reported.py    what a log reports itself, per source
decisions.py   all that as JSON values and as a table
misses.py      per request: the reason, the best stored prefix, the first token that differs
words.py       the same in text
left_out.py    what a reading left out: broken lines, repeated records, unread fields
causes.py      what made prompts differ: one cause for each miss
repairs.py     the log after a change that removes a cause
ranking.py     causes over the whole log, each with the hit rate after its change, by running it again
examples.py    which request a point of a chart leads to
sweeps.py      other block sizes, eviction orders, times to live
providers.py   rules of providers: minimum and steps, prices of writing, detected common prefixes
stage.py       a request and those around it, small enough to watch
samples.py     made-up logs with text, so that a page is never empty
"""
