"""What is known of a run's numbers where blocks of the log are cut: then a difference inside a block counts
from its first token, so that in truth more may be reused, never less.

lower   at least this: hit rates, hit tokens, what is saved; a verdict that may be better
upper   at most this: tokens to compute, blocks held at once, what is paid where reads are cheaper
either  more or less: slots for a share of the gain (both the gain and the slots for it move), differences
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from core.traffic.providers import Rule

Json = dict[str, Any]
Bound = Literal["lower", "upper", "either"]
Names = Mapping[str, Bound]


def _all(bound: Bound, names: str) -> dict[str, Bound]:
    return dict.fromkeys(names.split(), bound)


_TABLE: Mapping[str, Names] = {
    "": _all("lower", "hit_tokens hit_rate best_rate idle_ttl verdict"),
    "percentiles": _all("lower", "hit_rate"),
    "enough_for": _all("lower", "rate of") | _all("either", "slots bytes gib"),
    "definitions.*": _all("lower", "hits rate"),
    "curve": _all("lower", "points") | _all("either", "cliff last_slots"),
    "curve.deviation": _all("lower", "curve exact"),
    "block_sizes.*": _all("lower", "rate best_rate"),
    "over_time.*": _all("lower", "hit_tokens rate"),
    "savings": _all("lower", "gpu_seconds share_of_prefill share_of_tokens money_by_gpu_hour money_by_token"),
    "peak_blocks_if_all_ran_at_once": _all("upper", "shared"),
    "below_minimum": _all("lower", "rate_by_rule") | _all("upper", "share_paid"),
    "sources.*.*": _all("lower", "hit_tokens possible_tokens rate best_rate rates verdict")
    | _all("upper", "paid paid_roomy paid_possible"),
    "quotas.*": _all("lower", "rate shared_rate"),
    "quotas.*.tenants.*": _all("lower", "hit_tokens shared_hit_tokens rate shared_rate")
    | _all("either", "gain"),
    "causes.*": _all("lower", "rate_before rate_after")
    | _all("upper", "computed_before computed_after")
    | _all("either", "gain"),
    "causes.*.repairs.*": _all("lower", "rate_after") | _all("upper", "computed_after"),
    "worst.*": _all("lower", "hit_tokens") | _all("either", "lost_tokens"),
}
"""Objects of a run by their path (``*``: each of a list, or of a table's values), and their numbers."""
_PAID = frozenset(("share_paid", "paid", "paid_roomy", "paid_possible"))


def mark(run: Json, cut: bool, rule: Rule) -> Json:
    """The run; each object with a number that can be a bound says so: ``lower_bound``, and where blocks are
    cut ``bounds``, the kind of each. An object that has a ``lower_bound`` of its own goes by that."""
    for path, names in _TABLE.items():
        for one in _objects(run, path.split(".") if path else []):
            if "lower" in names.values():
                one.setdefault("lower_bound", cut)
            if one.get("lower_bound", cut):
                found = {name: _kind(name, one[name], kind, rule) for name, kind in names.items()}
                one["bounds"] = {name: kind for name, kind in found.items() if kind is not None}
    return run


def verdict_bound(verdict: str, rule: Rule) -> Bound | None:
    """``worth`` stays so with more hits as long as reading costs no more than storing, ``short`` always."""
    if verdict == "short":
        return None
    dearer = rule.prices.read > rule.prices.write
    return "either" if dearer else None if verdict == "worth" else "lower"


def paid_bound(rule: Rule) -> Bound | None:
    """Of what is paid: more hits cost less where reading is cheaper than storing."""
    if rule.prices.read == rule.prices.write:
        return None
    return "upper" if rule.prices.read < rule.prices.write else "lower"


def _kind(name: str, value: object, kind: Bound, rule: Rule) -> Bound | None:
    if value is None:
        return None
    if name == "verdict":
        return verdict_bound(str(value), rule)
    return paid_bound(rule) if name in _PAID else kind


def _objects(value: Any, path: list[str]) -> Iterator[Json]:
    if value is None:
        return
    if not path:
        yield value
    elif path[0] == "*":
        parts: Iterable[Any] = value.values() if isinstance(value, dict) else value
        for part in parts:
            yield from _objects(part, path[1:])
    else:
        yield from _objects(value[path[0]], path[1:])
