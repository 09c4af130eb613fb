"""New scenarios from a seed: what is drawn, and which hard cases came of it.

The generators walk our own engine along, so that they can ask for what is interesting just then (a decode of
somebody who runs, an id that is free again) and count the hard cases. Whether an outcome is right they do
not know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from tests.fidelity.scenarios.cache_runs import CACHE_KINDS, cache_run
from tests.fidelity.scenarios.step_runs import STEP_KINDS, step_run

Scenario = dict[str, Any]


def scenarios(seed: int, count: int) -> Iterator[tuple[Scenario, Counter[str]]]:
    """`count` scenarios of a seed, two of three for the scheduler, each with its hard cases.

    The same seed gives the same scenarios; a larger count only adds some.
    """
    for number in range(count):
        three, place = divmod(number, 3)
        is_cache = place == 2
        turn = three if is_cache else 2 * three + place
        kinds = CACHE_KINDS if is_cache else STEP_KINDS
        kind = list(kinds)[turn % len(kinds)]
        rng = Random(f"{seed}/{number}")
        config, ops, cases = (cache_run if is_cache else step_run)(rng, kinds[kind])
        part = "cache" if is_cache else "sched"
        name = f"{part}_{kind}_{seed}_{number}"
        yield {"name": name, "kind": f"{part}_{kind}", "seed": seed, "config": config, "ops": ops}, cases
