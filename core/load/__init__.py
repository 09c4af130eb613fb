"""Many requests, modelled time: what the cache does under load, beside the same load without it.

spec.py       settings of a stream: rate, mix, lengths, bursts
arrivals.py   when requests arrive
prompts.py    what they are made of
stream.py, clients.py             who sends them: an open stream, or clients who wait for their answers
server.py     one GPU: the real engine, and a clock that each step moves on
bins.py, ledger.py, records.py, meter.py   what is written down, in bounded memory
run.py        LoadRun: both servers side by side, knobs, marks
culprits.py, hindsight.py          who is behind a bin, and why
samples.py, summary.py            what pages draw and say
cycle.py      where a client's time goes, and what a cache could save of it at most
revisit.py    any request again, with block events, for the stage
"""

from core.load.clients import ClientStream
from core.load.culprits import Culprits, Evictor, Miss, Slow, culprits_of
from core.load.cycle import KNOWN_AFTER, Cycle, Loop
from core.load.hindsight import Hindsight, Victim, Why, hindsight, why_missed
from core.load.prompts import Arrival
from core.load.revisit import Moment, scenario_around
from core.load.run import LoadRun
from core.load.samples import Flag, HotPrefix, Samples, SlotMap
from core.load.spec import KINDS, MIXES, TICKS_PER_S, Burst, Kind, LoadSpec
from core.load.stream import RequestStream
from core.load.summary import KindSide, KindSummary, SideSummary, Summary

__all__ = [
    "KINDS",
    "KNOWN_AFTER",
    "MIXES",
    "TICKS_PER_S",
    "Arrival",
    "Burst",
    "ClientStream",
    "Culprits",
    "Cycle",
    "Evictor",
    "Flag",
    "Hindsight",
    "HotPrefix",
    "Kind",
    "KindSide",
    "KindSummary",
    "LoadRun",
    "LoadSpec",
    "Loop",
    "Miss",
    "Moment",
    "RequestStream",
    "Samples",
    "SideSummary",
    "SlotMap",
    "Slow",
    "Summary",
    "Victim",
    "Why",
    "culprits_of",
    "hindsight",
    "scenario_around",
    "why_missed",
]
