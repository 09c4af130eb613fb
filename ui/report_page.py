"""The report as one HTML file: no script, no request to anybody; light and dark by the reader's setting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from ui.i18n import Lang, t
from ui.numbers import digits, money, percent, seconds
from ui.palette import PALETTE
from ui.report_svg import line_chart

Json = dict[str, Any]
_TEMPLATE = Path(__file__).resolve().parent.parent / "assets" / "page" / "report.html"


def report_html(summary: Json, lang: Lang) -> str:
    """The whole file, as text."""
    log = summary["log"]
    parts = [_Words(lang).log(log)]
    for run in summary["runs"]:
        parts.append(_Words(lang).run(run, summary["machine"]))
    if not summary["runs"]:
        parts.append(f"<p class=note>{_bold(t('traffic.no_rate', lang))}</p>")
    light, dark = PALETTE["light"], PALETTE["dark"]
    names = {"bg": "bg", "ink": "ink", "muted": "muted", "line": "line", "c0": "hit_edge", "c1": "miss_edge"}
    colours = {f"light_{name}": light[token] for name, token in names.items()}
    colours |= {f"dark_{name}": dark[token] for name, token in names.items()}
    return Template(_TEMPLATE.read_text("utf-8")).substitute(
        lang="zh-CN" if lang == "zh" else "en",
        title=escape(f"{log['name']} · Broth"),
        body="\n".join(parts),
        note=escape(t("report.note", lang, version=summary["engine"])),
        **colours,
    )


def _bold(text: str) -> str:
    """A sentence of the tables: **strong** words become bold, everything else is text."""
    pieces = escape(text).split("**")
    return "".join(f"<b>{piece}</b>" if place % 2 else piece for place, piece in enumerate(pieces))


class _Words:
    """The report's parts in one language."""

    def __init__(self, lang: Lang) -> None:
        self.lang = lang

    def say(self, key: str, **args: object) -> str:
        """A sentence, ready for HTML; what people wrote stays text."""
        return _bold(
            t(
                key,
                self.lang,
                **{
                    name: str(value).replace("**", "* *") if isinstance(value, str) else value
                    for name, value in args.items()
                },
            )
        )

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
        """Cells are HTML already."""
        top = "".join(f"<th>{cell}</th>" for cell in head)
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"

    def heading(self, key: str, more: str = "") -> str:
        return f"<h2>{self.say(key)}{more}</h2>"

    def column(self, name: str) -> str:
        return self.say(f"traffic.column.{name}")

    # -- parts -------------------------------------------------------------------------------------------

    def log(self, log: Json) -> str:
        """What was read."""
        words = [
            self.say(
                "traffic.read", name=log["name"], n=log["requests"], tokens=digits(log["prompt_tokens"])
            ),
            self.say(f"trace.format.{log['format']}"),
        ]
        if log["tokenizer"] is not None:
            name = t(f"traffic.tokenizer.{log['tokenizer']}", self.lang)
            words.append(self.say("traffic.read.tokens", tokenizer=name, template=log["template"]))
        notes = [
            self.say(f"trace.note.{note['code']}", **{k: v for k, v in note.items() if k != "code"})
            for note in log["notes"]
        ]
        if log["skipped_lines"]:
            notes.append(self.say("trace.skipped", count=log["skipped_lines"]))
        if log["reported_rate"] is not None:
            notes.append(
                self.say("report.reported", rate=percent(log["reported_rate"], 2), n=log["reported_rows"])
            )
        items = "".join(f"<li>{note}</li>" for note in notes)
        return f"<h1>{self.say('traffic.title')}</h1><p>{' · '.join(words)}</p><ul>{items}</ul>"

    def run(self, run: Json, machine: Json) -> str:
        """One setting."""
        size = run["settings"]["block_size"]
        slots = run["settings"]["num_slots"]
        room = t("traffic.room_for_all", self.lang) if slots is None else digits(slots)
        title = f"<h2 class=run>{self.say('report.run', size=size, slots=room)}</h2>"
        return "\n".join(
            (
                title,
                self._headline(run, machine),
                self._curve(run),
                self._definitions(run),
                self._causes(run),
                self._reasons(run),
                self._worst(run),
                self._sources(run),
                self._sweeps(run),
            )
        )

    def _headline(self, run: Json, machine: Json) -> str:
        rate = "–" if run["hit_rate"] is None else f"{percent(run['hit_rate'])} %"
        saved = run["savings"]
        by_hour, by_token = saved["money_by_gpu_hour"], saved["money_by_token"]
        peak = run["peak_blocks_if_all_ran_at_once"]
        cells = (
            (self.say("traffic.rate"), rate),
            (self.say("traffic.best"), f"{percent(run['best_rate'])} %"),
            (self.say("traffic.verdict"), self.say(f"traffic.verdict.{run['verdict']}")),
        )
        big = "".join(f"<div><span>{name}</span><b>{value}</b></div>" for name, value in cells)
        words = self.say(
            "traffic.savings.words",
            seconds=seconds(saved["gpu_seconds"]["value"]),
            share=percent(saved["share_of_prefill"]),
            linear=percent(saved["share_of_tokens"]),
            hours=money(by_hour["value"], by_hour["unit"]),
            tokens=money(by_token["value"], by_token["unit"]),
        )
        held = self.say("traffic.held.all", shared=digits(peak["shared"]), unshared=digits(peak["unshared"]))
        on = escape(f"{machine['model']}, {machine['num_gpus']} × {machine['gpu']}")
        basis = self.say("basis.modelled")
        lines = [f"<p>{words} ({basis}: {on})</p><p>{held}</p>"]
        if run["refused"]:
            lines.append(
                f"<p>{self.say('traffic.refused', n=run['refused'], first=run['curve']['first_slots'])}</p>"
            )
        return f"<div class=big>{big}</div>{''.join(lines)}"

    def _curve(self, run: Json) -> str:
        curve = run["curve"]
        points = [(float(slots), rate) for slots, rate in curve["points"]]
        marks = {}
        if curve["cliff"] is not None:
            edge = min(curve["cliff"][1], curve["last_slots"])
            marks[t("traffic.cliff", self.lang, n=digits(edge))] = float(edge)
        words = [
            self.say(
                "traffic.curve.from", first=digits(curve["first_slots"]), last=digits(curve["last_slots"])
            )
        ]
        words.append(
            self.say("traffic.curve.exact")
            if curve["exact"]
            else self.say("traffic.curve.copies", n=curve["repeats"])
        )
        chart = line_chart(
            {t("traffic.curve.name", self.lang): points},
            t("traffic.unit.blocks", self.lang),
            log_x=True,
            marks=marks,
        )
        return f"{self.heading('traffic.curve')}{chart}<p class=note>{' '.join(words)}</p>"

    def _definitions(self, run: Json) -> str:
        rows = [
            (
                self.say(f"traffic.definition.{one['name']}"),
                f"{one['hits']:,.10g} / {one['total']:,}",
                "–" if one["rate"] is None else f"{percent(one['rate'], 3)} %",
            )
            for one in run["definitions"]
        ]
        head = [self.column(name) for name in ("name", "how", "rate")]
        note = f"<p class=note>{self.say('traffic.definitions.help')}</p>"
        return self.heading("traffic.definitions") + self.table(head, rows) + note

    def _causes(self, run: Json) -> str:
        if not run["causes"]:
            return f"{self.heading('traffic.causes')}<p>{self.say('traffic.causes.none')}</p>"
        rows = []
        for one in run["causes"]:
            change = self.say(f"traffic.change.{one['cause']}", value=one["value"])
            found = self.say("traffic.cause.found", n=one["num_requests"], lost=digits(one["lost"]))
            rates = {"before": percent(one["rate_before"]), "after": percent(one["rate_after"])}
            after = self.say("traffic.cause.after", **rates, gain=digits(max(one["gain"], 0)))
            rows.append((f"<b>{self.say('traffic.cause.' + one['cause'])}</b><br>{change}", found, after))
        head = [self.say(f"report.column.{name}") for name in ("cause", "found", "after")]
        return self.heading("traffic.causes") + self.table(head, rows)

    def _reasons(self, run: Json) -> str:
        rows = [
            (self.say(f"traffic.reason.{reason}"), f"{count:,}") for reason, count in run["reasons"].items()
        ]
        head = [self.column("reason"), self.column("requests")]
        return self.heading("traffic.requests") + self.table(head, rows)

    def _worst(self, run: Json) -> str:
        if not run["worst"]:
            return ""
        rows = []
        for one in run["worst"]:
            texts = (
                f"{_quoted(one['stored'])}<br>{_quoted(one['mine'])}"
                if one["mine"] and one["reason"] == "differs"
                else ""
            )
            hit = f"{one['hit_tokens']:,} / {one['prompt_tokens']:,}"
            reason = self.say(f"traffic.reason.{one['reason']}")
            rows.append((escape(one["request"]), hit, reason, f"{one['lost_tokens']:,}", texts))
        head = [self.column(name) for name in ("request", "hit", "reason", "lost")]
        head.append(f"{self.say('traffic.stored')} / {self.say('traffic.mine')}")
        return self.table(head, rows)

    def _sources(self, run: Json) -> str:
        parts = []
        for key, sources in run["sources"].items():
            rows = [
                (
                    escape(one["name"]) or self.say("traffic.unnamed"),
                    f"{one['num_requests']:,}",
                    f"{one['num_tokens']:,}",
                    f"{percent(one['rate'])} %",
                    self.say(f"traffic.verdict.{one['verdict']}"),
                )
                for one in sources[:12]
            ]
            head = [self.say(f"traffic.key.{key}")]
            head += [self.column(name) for name in ("requests", "tokens", "rate", "verdict")]
            parts.append(self.table(head, rows))
        return self.heading("traffic.sources") + "".join(parts) if parts else ""

    def _sweeps(self, run: Json) -> str:
        sizes = [(float(one["block_size"]), one["rate"]) for one in run["block_sizes"]]
        best = [(float(one["block_size"]), one["best_rate"]) for one in run["block_sizes"]]
        names = t("traffic.best", self.lang), t("traffic.blocks.here", self.lang)
        chart = line_chart({names[0]: best, names[1]: sizes}, t("knob.block_size", self.lang), log_x=True)
        parts = [self.heading("traffic.blocks"), chart]
        if run["idle_ttl"]:
            points = [(max(pause, 1e-3), rate) for pause, rate in run["idle_ttl"]]
            chart = line_chart(
                {t("traffic.rate", self.lang): points}, t("traffic.axis.ttl", self.lang), log_x=True
            )
            parts += [self.heading("traffic.ttl.curve"), chart]
        spans = [(float(one["begins"]), one["rate"]) for one in run["over_time"]]
        axis = "traffic.axis.seconds" if run["idle_ttl"] is not None else "traffic.axis.requests"
        chart = line_chart({t("traffic.rate", self.lang): spans}, t(axis, self.lang))
        return "".join((*parts, self.heading("traffic.over_time"), chart))


def _quoted(words: Json | None) -> str:
    """A place in a prompt; the differing token is marked."""
    if words is None:
        return "–"
    before, token, behind = (
        escape(words[name].replace("\n", " ⏎ ")) for name in ("before", "token", "behind")
    )
    return f"<code>…{before}<mark>{token}</mark>{behind}…</code>"
