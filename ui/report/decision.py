"""The report's part for whoever decides: percentiles, the least memory, the rule of the verdict, quotas."""

from __future__ import annotations

from html import escape

from core.traffic.providers import Rule, WritePrices
from ui.report.words import Json, Words, bold
from ui.traffic.rules import rule_words
from ui.traffic.words import spread_words
from ui.words.numbers import digits, percent

MOST_TENANTS = 20


def enough(words: Words, run: Json) -> str:
    """The least memory for nine tenths of the gain, or that none gains anything."""
    found = run["enough_for"]
    return "–" if found is None else words.marked(found, "gib", f"{digits(float(found['gib']))} GiB")


def decision(words: Words, run: Json, machine: Json, rule: Json) -> str:
    """Lines under the headline."""
    return "".join(
        f"<p>{line}</p>"
        for line in (_spread(words, run), _enough(words, run, machine), _rule(words, run, rule))
    )


def _spread(words: Words, run: Json) -> str:
    rates, lengths = run["percentiles"]["hit_rate"], run["percentiles"]["prompt_tokens"]
    names = ("10", "50", "90")
    told = {f"r{name}": words.rate(rates[f"p{name}"], False) for name in names}
    told |= {f"n{name}": digits(int(lengths[f"p{name}"])) for name in names}
    bound = words.say("traffic.spread.bound") if run["lower_bound"] else ""
    return f"{bold(spread_words(told, words.lang))} {bound}"


def _enough(words: Words, run: Json, machine: Json) -> str:
    found, ttl_s = run["enough_for"], run["settings"]["ttl_s"]
    if found is None:
        return words.say("traffic.enough.none")
    told = {
        "slots": words.marked(found, "slots", digits(found["slots"])),
        "rate": words.marked(found, "rate", percent(found["rate"])),
        "of": words.marked(found, "of", percent(found["of"])),
        "model": machine["model"],
        "dtype": machine["kv_dtype"],
    }
    key = "traffic.enough.help" if ttl_s is None else "traffic.enough.help.ttl"
    bound = words.say("traffic.enough.bound") if run["lower_bound"] else ""
    return f"{words.say(key, ttl=ttl_s and f'{ttl_s:g}', **told)} {bound}"


def _rule(words: Words, run: Json, rule: Json) -> str:
    below = run["below_minimum"]
    prices = WritePrices(rule["write"], rule["read"])
    used = Rule(rule["id"], rule["minimum"], rule["step"], prices, rule["read_on"] or "")
    rate = words.rate(below["rate_by_rule"], below["lower_bound"])
    share = words.marked(below, "share_paid", percent(below["share_paid"]))
    told = [
        words.say("traffic.verdict.help", rule=rule_words(used, words.lang)),
        words.say("traffic.rule.result", rate=rate, share=share),
    ]
    if below["num_requests"]:
        numbers = {"n": digits(below["num_requests"]), "total": digits(run["requests"])}
        told.append(words.say("traffic.rule.below", minimum=digits(rule["minimum"]), **numbers))
    return " ".join(told)


def quotas(words: Words, run: Json) -> str:
    """The slots divided among tenants, in equal parts and by tokens."""
    if not run["quotas"]:
        return ""
    parts = [words.heading("traffic.quota")]
    for shares, found in run["quotas"].items():
        points = f"{100 * (found['rate'] - found['shared_rate']):+.1f}".replace("-", "−")
        points = f"≈ {points}" if found["lower_bound"] else points
        both = [words.rate(found[name], found["lower_bound"]) for name in ("rate", "shared_rate")]
        told = words.say("traffic.quota.words", quota=both[0], shared=both[1], points=points)
        parts.append(f"<p><b>{words.say(f'traffic.quota.{shares}')}</b>: {told}</p>")
        rows = [
            (
                escape(one["name"]) or words.say("traffic.unnamed"),
                f"{one['num_slots']:,}",
                words.rate(one["rate"], one["lower_bound"]),
                words.rate(one["shared_rate"], one["lower_bound"]),
                f"{one['num_refused']:,}",
            )
            for one in found["tenants"][:MOST_TENANTS]
        ]
        head = words.columns("source", "own_slots", "own_rate", "pool_rate", "too_large")
        parts.append(words.table(head, rows))
    return "".join((*parts, f"<p class=note>{words.say('traffic.quota.help')}</p>"))
