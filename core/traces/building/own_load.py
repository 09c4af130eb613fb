"""What our own file of a load says of the run behind it (`core.export.requests`): why the same requests have
another hit rate here, where prompts alone are replayed, one after another, with no policy but a TTL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.traces.building.build import Builder
from core.traces.rows import Row, as_whole


def note_run(builder: Builder, head: Sequence[Row]) -> None:
    """A note for the rate of the run, and one for each setting that differs from a replay's."""
    run = next((told for row in head if isinstance(told := row.get("run"), Mapping)), None)
    if run is None:
        return
    rate = run.get("hit_rate")
    if isinstance(rate, float | int) and 0 <= rate <= 1:
        builder.note("run_rate", rate=f"{100 * rate:.1f}")
    for code, name, least in (("run_cap", "cache_cap", 0), ("run_sightings", "admit_after", 2)):
        if (value := as_whole(run.get(name))) is not None and value >= least:
            builder.note(code, value=value)
    ttl_s = run.get("ttl_s")
    if isinstance(ttl_s, float | int) and 0 < ttl_s < 1e9:
        builder.note("run_ttl", value=f"{ttl_s:g}")
    if (changes := as_whole(run.get("changes"))) and changes > 0:
        builder.note("run_changed", changes)
