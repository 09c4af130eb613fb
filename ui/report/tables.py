"""The report's tables and further charts, one function each."""

from __future__ import annotations

from html import escape

from core.cost import FORMULAS
from core.texts import showable
from core.traffic.groups import HOURS
from ui.report.svg import line_chart
from ui.report.words import Json, Words, quoted
from ui.traffic.words import HEADINGS, best_title, kind_words, rate_words
from ui.words.formula_words import OF_A_LOG, error_words, legend
from ui.words.numbers import Count, digits, percent

MOST_SOURCES = 12
_SOURCE_COLUMNS = ("requests", "tokens", "rate", "best", "spread", "lengths", "verdict")


def definitions(words: Words, run: Json) -> str:
    """Six ways to count."""
    rows = [
        (
            words.say(f"traffic.definition.{one['name']}"),
            f"{words.marked(one, 'hits', _hits(one))} / {one['total']:,}",
            words.rate(one["rate"], one["lower_bound"], 3),
        )
        for one in run["definitions"]
    ]
    note = f"<p class=note>{words.say('traffic.definitions.help')}</p>"
    table = words.table(words.columns("name", "how", "rate"), rows)
    return words.heading("traffic.definitions") + table + note


def _hits(one: Json) -> str:
    """A sum of ratios is no whole number."""
    return digits(one["hits"]) if one["name"] == "mean_of_ratios" else f"{int(one['hits']):,}"


def causes(words: Words, run: Json) -> str:
    """What breaks the prefix and where, the repairs that gain, and the best one as a diff."""
    title = words.heading("traffic.causes")
    if not run["causes"]:
        told = words.say(f"traffic.causes.{run['account']['verdict']}")
        return f"{title}{_rates(words, run)}<p>{told}</p>{_account(words, run)}"
    rows = []
    for one in run["causes"]:
        name = f"<b>{words.say('traffic.cause.' + one['cause'])}</b><br>{_place(words, one)}"
        diff = one["repairs"][one["advised"]]["change"]
        shown = "" if diff is None else f"<pre>{escape(showable(diff['diff']))}</pre>"
        repairs = "".join(f"<li>{_repair(words, one, repair)}</li>" for repair in one["repairs"])
        rows.append((name + shown, f"<ol>{repairs}</ol>"))
    head = [words.say("report.column.cause"), words.say("traffic.finding.repairs")]
    note = f"<p class=note>{words.say('traffic.causes.help')}</p>"
    return title + _rates(words, run) + words.table(head, rows) + _account(words, run) + note


def _rates(words: Words, run: Json) -> str:
    """The hit rate now, and the most that is possible."""
    most = run["account"]["possible_rate"]
    if most is None:
        return ""
    now = rate_words(run["hit_rate"] or 0.0, run["lower_bound"], words.lang)
    told = words.say("traffic.account.rates", now=now, most=rate_words(most, False, words.lang))
    return f"<p>{told}</p><p class=note>{words.say('traffic.account.rates.help')}</p>"


def _account(words: Words, run: Json) -> str:
    """Every request under one heading."""
    found = run["account"]
    counts = zip(run["causes"], found["of_causes"], strict=True)
    parts = [
        words.say("traffic.account.cause", n=Count(n), cause=words.text(f"traffic.cause.{one['cause']}"))
        for one, n in counts
        if n
    ]
    for name in HEADINGS:
        if found[name]:
            parts.append(words.say(f"traffic.account.{name}", n=Count(found[name])))
    return f"<p>{' · '.join([words.say('traffic.account', n=Count(run['requests'])), *parts])}</p>"


def _place(words: Words, one: Json) -> str:
    parts = [f"<code>{escape(one['path'])}</code>"] if one["path"] else []
    if one["characters"] is not None and one["kind"] is not None:
        first, last = one["characters"]
        kind = kind_words(one["kinds"], words.text)
        parts.append(words.say("traffic.finding.place", first=first, last=last, kind=kind))
    return " · ".join([*parts, words.say("traffic.finding.requests", n=one["num_requests"])])


def _repair(words: Words, one: Json, repair: Json) -> str:
    name = words.say(f"traffic.repair.{repair['repair']}", value=repair["value"])
    cost = words.say(f"traffic.repair.{repair['repair']}.cost")
    if also := repair["also"]:
        second = words.text(f"traffic.repair.{also['repair']}", value=also["value"])
        first = words.text(f"traffic.repair.{repair['repair']}", value=repair["value"])
        name = words.say("traffic.finding.both", first=first, second=second, path=also["path"])
        cost += f"; {words.say('traffic.repair.' + also['repair'] + '.cost')}"
    bound = one["lower_bound"]
    rates = f"{words.rate(one['rate_before'], bound)} → <b>{words.rate(repair['rate_after'], bound)}</b>"
    tokens = {
        "before": words.marked(one, "computed_before", digits(one["computed_before"])),
        "after": words.marked(repair, "computed_after", digits(repair["computed_after"])),
    }
    return f"{name} ({cost})<br>{rates} · {words.say('traffic.finding.tokens', **tokens)}"


def reasons(words: Words, run: Json) -> str:
    """How many requests per reason."""
    rows = [(words.say(f"traffic.reason.{reason}"), f"{count:,}") for reason, count in run["reasons"].items()]
    return words.heading("traffic.requests") + words.table(words.columns("reason", "requests"), rows)


def worst(words: Words, run: Json) -> str:
    """The requests that lost most."""
    if not run["worst"]:
        return ""
    rows = []
    for one in run["worst"]:
        stored, mine = one["stored"], one["mine"]
        both = f"{quoted(words, stored, mine)}<br>{quoted(words, mine, stored)}"
        texts = both if one["mine"] and one["reason"] == "differs" else ""
        hit = f"{words.marked(one, 'hit_tokens', digits(one['hit_tokens']))} / {one['prompt_tokens']:,}"
        lost = words.marked(one, "lost_tokens", digits(one["lost_tokens"]))
        reason = words.say(f"traffic.reason.{one['reason']}")
        rows.append((escape(one["request"]), hit, reason, lost, texts))
    head = words.columns("request", "hit", "reason", "lost")
    head.append(f"{words.say('traffic.stored')} / {words.say('traffic.mine')}")
    return words.table(head, rows)


def sources(words: Words, run: Json) -> str:
    """Per tenant, template, tag, model, session."""
    parts = []
    for key, found in run["sources"].items():
        rows = [
            (
                escape(one["name"]) or words.say("traffic.unnamed"),
                f"{one['num_requests']:,}",
                f"{one['num_tokens']:,}",
                words.rate(one["rate"], one["lower_bound"]),
                words.rate(one["best_rate"], one["lower_bound"]),
                words.marked(
                    one, "rates", " · ".join(percent(one["rates"][name], 0) for name in ("p10", "p50", "p90"))
                ),
                " · ".join(digits(int(one["lengths"][name])) for name in ("p10", "p50", "p90")),
                f"<span class=sum>{words.verdict(one)}</span>",
            )
            for one in (found if key in HOURS else found[:MOST_SOURCES])
        ]
        best = escape(best_title(run["settings"]["ttl_s"], words.lang))
        head = [words.say(f"traffic.key.{key}"), *words.columns(*_SOURCE_COLUMNS)]
        head[1 + _SOURCE_COLUMNS.index("best")] = best
        parts.append(words.table(head, rows))
        if key in HOURS:
            dated = any("-" in one["name"] or ":" in one["name"] for one in found)

            parts.append(
                f"<p class=note>{words.say('traffic.hours.' + ('dates' if dated else 'relative'))}</p>"
            )
    note = f"<p class=note>{words.say('traffic.percentiles.help')}</p>"
    return words.heading("traffic.sources") + "".join(parts) + note if parts else ""


def sweeps(words: Words, run: Json) -> str:
    """Other block sizes and times to live; over time."""
    here = [(float(one["block_size"]), one["rate"]) for one in run["block_sizes"]]
    best = [(float(one["block_size"]), one["best_rate"]) for one in run["block_sizes"]]
    curves = {
        best_title(run["settings"]["ttl_s"], words.lang): best,
        words.text("traffic.blocks.here"): here,
    }
    cut = {one["block_size"] for one in run["block_sizes"] if one["lower_bound"]}
    chart = line_chart(curves, words.text("knob.block_size"), log_x=True, at_least=cut.__contains__)
    parts = [words.heading("traffic.blocks"), chart]
    if cut:
        sizes = ", ".join(map(str, sorted(cut)))
        parts.append(f"<p class=note>{words.say('traffic.blocks.lower', sizes=sizes)}</p>")
    bound = run["lower_bound"]
    rate = words.text("traffic.column.rate_bound" if bound else "traffic.rate")
    if run["idle_ttl"]:
        points = [(max(pause, 1e-3), value) for pause, value in run["idle_ttl"]]
        chart = line_chart(
            {rate: points}, words.text("traffic.axis.ttl"), log_x=True, at_least=lambda x: bound
        )
        parts += [words.heading("traffic.ttl.curve"), chart]
    spans = [(float(one["begins"]), one["rate"]) for one in run["over_time"]]
    axis = "traffic.axis.seconds" if run["idle_ttl"] is not None else "traffic.axis.requests"
    chart = line_chart({rate: spans}, words.text(axis), at_least=lambda x: bound)
    return "".join((*parts, words.heading("traffic.over_time"), chart))


def formulas(words: Words) -> str:
    """How modelled numbers are made, one click away and without a script."""
    rows = [(f"<code>{escape(FORMULAS[name])}</code>", words.say(name)) for name in OF_A_LOG]
    items = "".join(f"<tr><td>{symbols}</td><td>{sentence}</td></tr>" for symbols, sentence in rows)
    told = (legend(OF_A_LOG, words.lang), error_words(words.lang))
    notes = "".join(f"<p class=note>{escape(note)}</p>" for note in told)
    title = words.say("formula.title")
    return f"<details><summary>{title}</summary><table><tbody>{items}</tbody></table>{notes}</details>"
