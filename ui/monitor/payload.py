"""What travels to the monitor at each tick: new bins, the pool, the hottest prefixes. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from core.cost import FORMULAS
from core.load import TICKS_PER_S, Flag, HotPrefix, LoadRun
from core.load.records import Side
from core.load.samples import WINDOW_S
from core.timeline.snapshot import LEVELS, take_levels
from ui.monitor.looks import INKS
from ui.monitor.run import LoadSession
from ui.monitor.texts import text_key
from ui.words.i18n import LangMode
from ui.words.palette import PALETTE

TOP = 10
PLACES = 6

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_QUIET_FLAGS = {"admit_window"}  # follows from another knob

Payload = dict[str, Any]


def monitor_payload(load: LoadSession, lang: LangMode, bet: int | None) -> Payload:
    """The component's whole ``data``. Remembers in ``load`` which bins have been sent.

    ``side``: draw pool and numbers only, because charts stand where the strips were.
    """
    run = load.run
    num_bins = run.num_bins  # asked first: bins may be merged for the last one
    samples = run.samples(load.sent.since(run.bins.generation, num_bins))
    data = samples.to_json()
    data["flags"] = shown_flags(samples.flags)
    return {
        "run": load.name,
        "lang": lang,
        "palette": PALETTE,
        "inks": dict(INKS),
        "bet": bet,
        "side": not load.playing,
        "picked": list(load.picked) if load.picked else None,
        "machine": machine_words(load),
        "state": {
            "playing": load.playing,
            "done": run.done,
            "heard": load.heard,
            "arrived": run.cached.num_taken,
            "total": run.spec.num_requests,
            "at_s": run.now_s,
        },
        "now": _now(run),
        "recent": _recent(run),
        "samples": data,
        "map": _pool_map(load),
        "hot": [_hot(prefix) for prefix in run.hottest(TOP)],
    }


def shown_flags(flags: tuple[Flag, ...]) -> list[Payload]:
    """What a person did; times to live in seconds."""
    shown = [asdict(flag) for flag in flags if flag.name not in _QUIET_FLAGS]
    for flag in shown:
        if flag["name"] == "ttl" and flag["value"] is not None:
            flag["value"] = round(flag["value"] / TICKS_PER_S, 1)
    return shown


def machine_words(load: LoadSession) -> Payload:
    """What the formulas on the monitor name."""
    machine = load.machine
    return {
        "pool": load.run.config.num_usable,
        "model": machine.model,
        "gpu": machine.gpu if machine.num_gpus == 1 else f"{machine.num_gpus} × {machine.gpu}",
        "prefill": FORMULAS["formula.prefill"],
        "decode": FORMULAS["formula.decode"],
        "ttft": FORMULAS["formula.ttft"],
    }


def _now(run: LoadRun) -> Payload:
    """What holds at this moment, not at the end of the last bin. Pairs: with the cache, without. ``levels``:
    shares of the pool."""
    servers, levels = (run.cached, run.plain), take_levels(run.cached.engine)
    return {
        "queue": [server.num_waiting for server in servers],
        "inside": [server.num_inside for server in servers],
        "levels": {name: getattr(levels, name) / run.config.num_usable for name in LEVELS},
    }


def _recent(run: LoadRun) -> Payload:
    """The last minute of each server, or the whole run once it is over: ``n`` requests with a first token,
    median and p95 of how long it took, answers finished per second."""
    since_s = 0.0 if run.done else max(run.now_s - WINDOW_S, 0.0)
    sides = (("with", run.records.cached), ("without", run.records.plain))
    return {"whole": run.done} | {
        name: _since(side, since_s, float(np.nanmax(side.finished_s)) if run.done else run.now_s)
        for name, side in sides
    }


def _since(side: Side, since_s: float, until_s: float) -> Payload:
    late = side.first_s > since_s  # nan: not yet
    waits = side.first_s[late] - side.arrival_s[late]
    p50, p95 = np.quantile(waits, [0.5, 0.95]).round(PLACES).tolist() if len(waits) else (None, None)
    num_finished = int(np.count_nonzero(side.finished_s > since_s))
    per_s = num_finished / (until_s - since_s) if until_s > since_s else None
    return {"n": len(waits), "p50": p50, "p95": p95, "per_s": per_s}


def _pool_map(load: LoadSession) -> Payload:
    cells = load.run.slot_map()
    return {"letters": cells.letters, "ages": cells.ages, "per": cells.slots_per_cell}


def _hot(prefix: HotPrefix) -> Payload:
    return {
        "name": prefix.name,
        "text": list(text_key(prefix.name)),
        "tag": prefix.tag,
        "n": prefix.num_requests,
        "rate": None if prefix.hit_rate is None else round(prefix.hit_rate, 4),
        "counts": "".join(_DIGITS[min(count, len(_DIGITS) - 1)] for count in prefix.counts),
    }
