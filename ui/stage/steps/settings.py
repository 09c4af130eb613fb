"""What happens to the cache as a whole: time goes by, it is reset, a version or a setting changes."""

from __future__ import annotations

from core.engine import events as ev
from ui.stage.steps.telling import Telling, or_dash


def clock_advanced(telling: Telling, event: ev.ClockAdvanced) -> None:
    if event.waited:
        telling.step("tick", event, {"n": event.clock - telling.frame["clock"], "clock": event.clock})


def cache_reset(telling: Telling, event: ev.CacheReset) -> None:
    telling.evicted_step[telling.index] = len(telling.steps) + 1
    telling.step("reset", event, {"n": event.num_cleared}, cap="reset.ok" if event.ok else "reset.refused")


def version_changed(telling: Telling, event: ev.VersionChanged) -> None:
    telling.step("version", event, {"version": or_dash(event.version)})


def policy_changed(telling: Telling, event: ev.PolicyChanged) -> None:
    """Each setting has its own sentence, and another one where it is off."""
    if event.name == "ttl":
        telling.ttl = None if event.value is None else int(event.value)
    kind = event.value if event.name == "ttl_kind" else "none" if event.value is None else None
    cap = f"policy.{event.name}" + (f".{kind}" if kind else "")
    telling.step("policy", event, {"name": event.name, "value": or_dash(event.value)}, cap=cap)
