"""What a case may ask in more than one form: tokens generated, requests preempted, the hit rate reported.

A case is written by hand: "who was preempted" may be a list of names, a number for each name, or one number.
The engine's answer is brought into the form in which the case asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from core.conformance.fields import Fields
from core.engine.stats import Statistics
from core.fields import is_whole
from core.scenario.token_streams import TokenStreams

GENERATED = ("generated", "outputs")
"""{request: how many tokens it sampled, or which}."""

PREEMPTED = ("preempted", "num_preempted")
"""[who, first ones first] · {request: how often, or whether} · how often, or whether, in all."""

RATES = ("reported_hit_rate", "hit_rate", "window_rate", "cumulative_rate")
"""As vLLM logs it, over the last requests (the first three), or over the whole run; from 0 to 1."""


def rates(statistics: Statistics) -> dict[str, float]:
    """Hit rates under their names; 0 before the first request, as vLLM shows it."""
    _, queries, hits = statistics.window
    reported = hits / queries if queries else 0.0
    return dict.fromkeys(RATES[:-1], reported) | {RATES[-1]: statistics.hit_rate or 0.0}


def generated(asked: Fields, tokens: Mapping[str, Sequence[int]], streams: TokenStreams) -> dict[str, object]:
    """The engine's answer for each request asked about, in the form of the case: a number, or the case's own
    value if the tokens are those that it stands for."""
    answer: dict[str, object] = {}
    for name, theirs in asked.value.items():
        ours = tokens.get(name, ())
        if is_whole(theirs):
            answer[name] = len(ours)
        else:
            answer[name] = theirs if asked.token_text(name, streams) == tuple(ours) else list(ours)
    return answer


def preempted(theirs: object, who: Sequence[str], resumed: Mapping[str, int]) -> object:
    """Who was preempted, in the form of the case; ``resumed`` are the statistics kept apart (rule 45)."""
    times = Counter(who)
    if isinstance(theirs, list):
        return list(times)
    if not isinstance(theirs, dict):
        return bool(who) if isinstance(theirs, bool) else len(who)
    counts = {name: resumed.get(name, times[name]) for name in theirs}
    return {name: bool(n) if isinstance(theirs[name], bool) else n for name, n in counts.items()}
