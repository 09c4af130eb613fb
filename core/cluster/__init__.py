"""Many cards: N engines, each exactly the one we have, behind a router, in modelled time.

router.py      what a routing policy sees and answers; routers/ has the policies
jobs.py        what is sent: a seeded stream, or a recorded list with chained block ids
card.py        one worker: core.load's server and what it tells
truth.py       what caches hold, what all could hold, how a belief differs from that
run.py         ClusterRun
records.py, rates.py   every request; available, captured, delivered
"""
