"""What travels to the monitor at each tick: new bins, the pool, the hottest prefixes. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from core.cost import FORMULAS
from core.load import TICKS_PER_S, Flag, HotPrefix
from ui.monitor.looks import INKS
from ui.monitor.run import LoadSession
from ui.monitor.texts import text_key
from ui.words.i18n import LangMode
from ui.words.palette import PALETTE

TOP = 10

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
            "arrived": run.records.cached.num_arrived,
            "total": run.spec.num_requests,
        },
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


def _pool_map(load: LoadSession) -> Payload:
    cells = load.run.slot_map()
    return {"letters": cells.letters, "ages": cells.ages, "per": cells.slots_per_cell}


def _hot(prefix: HotPrefix) -> Payload:
    return {
        "name": prefix.name,
        "text": text_key(prefix.name),
        "tag": prefix.tag,
        "n": prefix.num_requests,
        "rate": None if prefix.hit_rate is None else round(prefix.hit_rate, 4),
        "counts": "".join(_DIGITS[min(count, len(_DIGITS) - 1)] for count in prefix.counts),
    }
