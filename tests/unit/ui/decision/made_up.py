"""A sheet whose truth is known: waits by a formula instead of a run."""

from __future__ import annotations

import numpy as np

from core.decision import Outcome, SheetSpec, Work, gather, plan
from core.load import KINDS
from ui.decision.asked import Asked
from ui.decision.setup import Choice, sheet_spec
from ui.machine.machine import Machine
from ui.monitor.setup import LoadSetup
from ui.words.i18n import Lang

NUM = 100
SIZES = (4.0, 8.0, 16.0, 32.0)


def wait_s(work: Work) -> float:
    """What the slowest requests wait: less with more GPUs, with more room, with a later seed."""
    room = 2.0 if work.gib is None else min(work.gib, 48.0)
    return (1.0 if work.gib is not None else 1.6) * 2.0 / (work.gpus * room**0.5) - 0.01 * work.seed


def made_up(spec: SheetSpec, work: Work) -> Outcome:
    """Most requests take no time, six of a hundred take ``wait_s``: so that is p95."""
    slow = wait_s(work)
    waits = np.array([0.001] * (NUM - 6) + [slow] * 6)
    reused = 0 if work.gib is None else round(1000 * min(work.gib, 48.0) / 48)
    mix = [KINDS.index(kind) for kind in spec.load.mix]
    return Outcome(
        work=work,
        blocks=100,
        too_small=None,
        stopped=False,
        kind=np.array([mix[place % len(mix)] for place in range(NUM)], dtype=np.int8),
        num_prompt=np.full(NUM, 1000),
        hit=np.full(NUM, reused),
        ttft_s=waits,
        queue=0.5,
        throughput=spec.rate / work.gpus,
    )


def asked(
    lang: Lang = "en", *, runs: int | None = None, choice: Choice | None = None, **setup: object
) -> Asked:
    """The made-up sheet, after so many of its runs (None: all)."""
    load, machine = LoadSetup(**setup), Machine()  # type: ignore[arg-type]
    choice = choice or Choice(sizes_gib=SIZES)
    spec = sheet_spec(load, machine, choice)
    sheet = gather(spec, [made_up(spec, work) for work in plan(spec)[:runs]])
    return Asked(sheet, choice, load, machine, lang)
