"""What happened to a cache, as a part of the report: finding, turns as small pictures, resets, bill."""

from __future__ import annotations

from html import escape
from itertools import pairwise

from ui.report.words import Json, Words, bold
from ui.usage.billed import cost_text, how_lines, price_lines, remarks, row_name, row_note, rows_line
from ui.usage.told import (
    cause_title,
    cause_why,
    cost_sentence,
    extra_text,
    gathered,
    headline,
    pause_text,
    percent_text,
    resets_sentence,
    session_name,
)
from ui.words.i18n import run_on
from ui.words.numbers import digits

MOST_SESSIONS, MOST_RESETS, MOST_BARS = 6, 40, 200
WIDTH, HEIGHT, LEFT = 760, 120, 56


def usage_part(words: Words, summary: Json) -> str:
    """The whole part; "" for a log that reports nothing."""
    if summary.get("usage") is None:
        return ""
    usage, lang = gathered(summary["usage"]), words.lang
    log = summary["log"]
    unsaid = log["reported_unknown"] if log.get("reported_bounds") else 0
    told = [resets_sentence(usage, unsaid, lang), cost_sentence(usage, lang)]
    parts = [
        f"<h2>{escape(headline(usage, unsaid, lang))}</h2>",
        f"<p>{bold(run_on(told, lang))}</p>",
        _rate(words, log),
    ]
    lost = sorted(usage["sessions"], key=lambda one: -_tokens(one))[:MOST_SESSIONS]
    parts += [_session(words, one) for one in lost if len(one["turns"]) > 1]
    parts += [_resets(words, usage), _bill(words, usage)]
    return "\n".join(parts)


def _tokens(session: Json) -> int:
    return sum(turn["reset"]["extra_tokens"] for turn in session["turns"] if turn["reset"])


def _rate(words: Words, log: Json) -> str:
    """Bounds and both readings; the one rate stands among the notes of the log."""
    lines = []
    if log.get("reported_bounds"):
        low, high = (percent_text(one, words.lang, 0) for one in log["reported_bounds"])
        key = f"usage.rate.{log['reported_why']}"
        lines.append(words.say(key, low=low, high=high, n=log["reported_unknown"]))
    for name, rate in (log.get("reported_readings") or {}).items():
        shown = "–" if rate is None else percent_text(rate, words.lang, 2)
        how = words.text(f"usage.reading.name.{log['reported_conventions'][name]}")
        lines.append(words.say(f"usage.reading.{name}", rate=shown, how=how))
    return "".join(f"<p>{line}</p>" for line in lines)


def _session(words: Words, session: Json) -> str:
    """One session: its name, and a bar for each turn."""
    title = f"<h3>{escape(session_name(session, words.lang))}</h3>"
    return f"{title}{_bars(words, session)}"


def _bars(words: Words, session: Json) -> str:
    """Read below, computed on top, a sign over each reset; long sessions in slices, resets first."""
    turns = _shown(session["turns"])
    most = max(max(turn["total"], turn["expected"] or 0) for turn in turns) or 1
    room, parts = (WIDTH - LEFT) / len(turns), []
    for place, turn in enumerate(turns):
        x, wide = LEFT + place * room, max(room * 0.75, 1)
        read, total = HEIGHT * turn["read"] / most, HEIGHT * turn["total"] / most
        base = 18 + HEIGHT
        title = f"<title>{escape(_turn_words(words, turn))}</title>"
        parts.append(
            f'<g>{title}<rect class="new" x="{x:.1f}" y="{base - total:.1f}" width="{wide:.1f}" '
            f'height="{total - read:.1f}"/><rect class="read" x="{x:.1f}" y="{base - read:.1f}" '
            f'width="{wide:.1f}" height="{read:.1f}"/></g>'
        )
        if turn["reset"]:
            parts.append(f'<text x="{x + wide / 2:.1f}" y="12" text-anchor="middle">▼</text>')
    numbers = [f'<text x="{LEFT - 6}" y="{18 + 8}" text-anchor="end">{digits(most)}</text>']
    ends = ((LEFT, turns[0]["n"], "start"), (WIDTH, turns[-1]["n"], "end"))
    numbers += [f'<text x="{x}" y="{HEIGHT + 34}" text-anchor="{at}">{n}</text>' for x, n, at in ends]
    label = escape(words.text("usage.axis.tokens"))
    box = f"0 0 {WIDTH} {HEIGHT + 40}"
    return f'<svg viewBox="{box}" role="img" aria-label="{label}">{"".join(parts + numbers)}</svg>'


def _shown(turns: list[Json]) -> list[Json]:
    """At most some hundred turns: of each slice the one with a reset, else its largest."""
    if len(turns) <= MOST_BARS:
        return turns
    cuts = [len(turns) * k // MOST_BARS for k in range(MOST_BARS + 1)]
    slices = (turns[first:last] for first, last in pairwise(cuts))
    return [max(one, key=lambda turn: (turn["reset"] is not None, turn["total"])) for one in slices]


def _turn_words(words: Words, turn: Json) -> str:
    numbers = {"read": digits(turn["read"]), "written": digits(turn["total"] - turn["read"])}
    pause = pause_text(turn["pause_s"], words.lang)
    return words.text("usage.turn.name", n=turn["n"], pause=pause, **numbers)


def _resets(words: Words, usage: Json) -> str:
    """Every reset with its evidence and what it cost; the largest where there are many."""
    found = [(one, turn) for one in usage["sessions"] for turn in one["turns"] if turn["reset"]]
    if not found:
        return ""
    title = words.say("usage.resets")
    if len(found) > MOST_RESETS:
        title = words.say("usage.resets.dearest", n=MOST_RESETS, all=len(found))
        found = sorted(found, key=lambda one: -one[1]["reset"]["extra_tokens"])[:MOST_RESETS]
    currency, lang = usage["bill"]["rules"]["currency"], words.lang
    rows = []
    for session, turn in found:
        where = f"{session['name'] or ''} {words.text('usage.turn', n=turn['n'])}".strip()
        why = f"<b>{escape(cause_title(turn, session, lang))}</b><br>{escape(cause_why(turn, lang))}"
        rows.append((escape(where), why, _sum(extra_text(turn["reset"], currency))))
    return f"<h3>{title}</h3>{words.table(_head(words, 'turn', 'why', 'extra'), rows)}"


def _sum(text: str) -> str:
    return f"<span class=sum>{escape(text)}</span>"


def _head(words: Words, *names: str) -> list[str]:
    return [words.say(f"usage.column.{name}") for name in names]


def _bill(words: Words, usage: Json) -> str:
    rules, lang, rows = usage["bill"]["rules"], words.lang, usage["bill"]["rows"]
    cells = [
        (
            f"<b>{escape(row_name(row, lang))}</b><br>{escape(row_note(row, rows[0], usage, lang))}",
            words.say(f"basis.{row['basis']}"),
            _sum(cost_text(row, rules["currency"])),
        )
        for row in rows
    ]
    how = "".join(f"<p>{escape(line)}</p>" for line in how_lines(usage, lang))
    chips = " · ".join(
        words.say(one) for one in ("usage.chip.tokens", "usage.chip.prices", "usage.chip.what_ifs")
    )
    first, *each = price_lines(usage, lang)
    basis = run_on([first, rows_line(usage, lang)], lang)
    lines = [f"{escape(basis)} · {chips}", *map(escape, each)]
    lines += [f"⚠ {escape(one)}" for one in remarks(usage, lang)]
    note = "".join(f"<p class=note>{line}</p>" for line in lines)
    table = words.table(_head(words, "what", "basis", "cost"), cells)
    details = f"<details><summary>{words.say('usage.how')}</summary>{how}</details>"
    return f"<h3>{words.say('usage.bill')}</h3>{note}{table}{details}"
