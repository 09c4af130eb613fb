"""The report as one HTML file: no script, no request to anybody; light and dark by the reader's setting."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template

from core.texts import showable
from ui.report.counters import counters_part
from ui.report.decision import decision, enough, quotas
from ui.report.svg import line_chart
from ui.report.tables import causes, definitions, formulas, reasons, sources, sweeps, worst
from ui.report.usage import usage_part
from ui.report.words import Json, Words, bold
from ui.traffic.counter_words import read_words
from ui.traffic.left_out import details, warnings
from ui.traffic.tokenizers import tokenizer_note
from ui.traffic.words import basis_words, best_title, bound_words, identity_words
from ui.words.i18n import Lang, t
from ui.words.numbers import Count, digits, money, percent, seconds
from ui.words.palette import PALETTE

_TEMPLATE = Path(__file__).resolve().parents[2] / "assets" / "page" / "report.html"


def report_html(summary: Json, lang: Lang) -> str:
    """The whole file, as text."""
    log, words = summary["log"], Words(lang)
    parts = [_log(words, log)]
    for run in summary["runs"]:
        parts.append(_run(words, log, run, summary["machine"], summary["verdict_rule"]))
    parts += [counters_part(words, log), usage_part(words, summary)]
    if summary["runs"]:
        parts.append(formulas(words))
    elif summary["usage"] is None and (log["requests"] or not log["counters"]):
        parts.append(f"<p class=note>{bold(t('traffic.no_rate', lang))}</p>")
    light, dark = PALETTE["light"], PALETTE["dark"]
    names = {"bg": "bg", "ink": "ink", "muted": "muted", "line": "line", "c0": "hit_edge", "c1": "miss_edge"}
    colours = {f"light_{name}": light[token] for name, token in names.items()}
    colours |= {f"dark_{name}": dark[token] for name, token in names.items()}
    page = Template(_TEMPLATE.read_text("utf-8")).substitute(
        lang="zh-CN" if lang == "zh" else "en",
        title=escape(f"{log['name']} · Broth"),
        body="\n".join(parts),
        note=escape(t("report.note", lang, version=summary["engine"])),
        **colours,
    )
    return showable(page)


def _log(words: Words, log: Json) -> str:
    """What was read."""
    name, tokens = log["name"], digits(log["prompt_tokens"])
    key, values = "traffic.read", {"name": name, "n": Count(log["requests"]), "tokens": tokens}
    if log["counters"] is not None and not log["requests"]:
        key, values = read_words(name, log["counters"])
    line = [
        words.say(key, **values),
        words.say(f"trace.format.{log['format']}"),
        *map(escape, identity_words(log["tokenizer"], log["template"], log["block_size"], words.lang)),
    ]
    notes = [
        words.say(f"trace.note.{note['code']}", **{k: v for k, v in note.items() if k != "code"})
        for note in log["notes"]
    ]
    if log["skipped_lines"]:
        notes.append(words.say("trace.skipped", count=log["skipped_lines"]))
    if note := tokenizer_note(log["tokenizer"], words.lang):
        notes.append(escape(note))
    notes += map(escape, (*warnings(log, words.lang), *details(log, words.lang)))
    open_rate = log["reported_bounds"] or log["reported_readings"]  # told among the usage: no single rate
    if log["reported_rate"] is not None and log["reported_rows"] and not open_rate:
        rate = percent(log["reported_rate"], 2)
        notes.append(words.say("report.reported", rate=rate, n=log["reported_rows"]))
    items = "".join(f"<li>{note}</li>" for note in notes)
    return f"<h1>{words.say('traffic.title')}</h1><p>{' · '.join(line)}</p><ul>{items}</ul>"


def _run(words: Words, log: Json, run: Json, machine: Json, rule: Json) -> str:
    """One setting."""
    size, slots = run["settings"]["block_size"], run["settings"]["num_slots"]
    room = words.text("traffic.room_for_all") if slots is None else digits(slots)
    counted = (log["tokenizer"], log["template"], log["block_size"])
    bound = bound_words(counted, size, words.lang)
    basis = basis_words(
        counted,
        size,
        slots,
        run["settings"]["ttl_s"],
        words.lang,
    )
    parts = [
        f"<h2 class=run>{words.say('report.run', size=size, slots=room)}</h2>",
        f"<p class=note>{escape(basis)}</p>",
        *([f"<p><b>{escape(bound)}</b></p>"] if bound else []),
        _headline(words, run, machine),
        decision(words, run, machine, rule),
        _curve(words, run),
    ]
    parts += [part(words, run) for part in (definitions, causes, reasons, worst, sources, quotas, sweeps)]
    return "\n".join(parts)


def _headline(words: Words, run: Json, machine: Json) -> str:
    bound, ttl_s = run["lower_bound"], run["settings"]["ttl_s"]
    saved, peak = run["savings"], run["peak_blocks_if_all_ran_at_once"]
    by_hour, by_token = saved["money_by_gpu_hour"], saved["money_by_token"]
    cells = (
        (words.say("traffic.rate"), words.rate(run["hit_rate"], bound)),
        (escape(best_title(ttl_s, words.lang)), words.rate(run["best_rate"], bound)),
        (words.say("traffic.enough"), enough(words, run)),
        (words.say("traffic.verdict"), words.verdict(run)),
    )
    big = "".join(f"<div><span>{name}</span><b>{value}</b></div>" for name, value in cells)
    told = words.say(
        "traffic.savings.words",
        seconds=words.marked(saved, "gpu_seconds", seconds(saved["gpu_seconds"]["value"])),
        share=words.marked(saved, "share_of_prefill", percent(saved["share_of_prefill"])),
        linear=words.marked(saved, "share_of_tokens", percent(saved["share_of_tokens"])),
        hours=words.marked(saved, "money_by_gpu_hour", money(by_hour["value"], by_hour["unit"])),
        tokens=words.marked(saved, "money_by_token", money(by_token["value"], by_token["unit"])),
    )
    shared = words.marked(peak, "shared", digits(peak["shared"]))
    held = words.say("traffic.held.all", shared=shared, unshared=digits(peak["unshared"]))
    on = escape(f"{machine['model']}, {machine['num_gpus']} × {machine['gpu']}")
    lines = [f"<p>{told} ({words.say('basis.modelled')}: {on})</p><p>{held}</p>"]
    if run["refused"]:
        first = run["curve"]["first_slots"]
        lines.append(f"<p>{words.say('traffic.refused', n=run['refused'], first=first)}</p>")
    return f"<div class=big>{big}</div>{''.join(lines)}"


def _curve(words: Words, run: Json) -> str:
    curve = run["curve"]
    points = [(float(slots), rate) for slots, rate in curve["points"]]
    marks = {}
    if curve["cliff"] is not None:
        edge = min(curve["cliff"][1], curve["last_slots"])
        marks[words.text("traffic.cliff", n=_mark(words, curve, "cliff", edge))] = float(edge)
    if run["enough_for"] is not None:
        slots = run["enough_for"]["slots"]
        name = words.text("traffic.enough.mark", n=_mark(words, run["enough_for"], "slots", slots))
        marks[name] = float(min(slots, curve["last_slots"]))
    last = _mark(words, curve, "last_slots", curve["last_slots"])
    ends = {"first": Count(curve["first_slots"]), "last": last}
    told = [words.say("traffic.curve.from", **ends)]
    if curve["ttl_s"] is not None:
        told.append(words.say("traffic.curve.ttl", ttl=f"{curve['ttl_s']:g}"))
    told.append(words.say("traffic.curve.exact") if curve["exact"] else _copies(words, curve))
    name, axis = words.text("traffic.curve.name"), words.text("traffic.unit.blocks")
    bound = curve["lower_bound"]
    chart = line_chart({name: points}, axis, log_x=True, marks=marks, at_least=lambda x: bound)
    return f"{words.heading('traffic.curve')}{chart}<p class=note>{' '.join(told)}</p>"


def _mark(words: Words, one: Json, name: str, slots: int) -> str:
    """Slots that people are pointed to; more or less where blocks are cut."""
    return words.marked(one, name, digits(slots))


def _copies(words: Words, curve: Json) -> str:
    """Where the curve is not exact: why, and by how much it is off."""
    off = curve["deviation"]
    measured = words.say("report.deviation", n=len(off["slots"]), points=f"{100 * off['largest']:.3f}")
    return f"{words.say('traffic.curve.copies', n=curve['repeats'])} {measured}"
