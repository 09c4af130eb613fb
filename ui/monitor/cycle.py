"""The cycle of one client that waits for its answers, as one bar for each server, as HTML. Pure.

Both bars have one scale. A dashed line stands where the cycle would end if the cache took away all that a
cache can take away: pauses and the answer's own steps are left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

from core.load import KNOWN_AFTER, Cycle, LoadSpec, Loop
from ui.words.i18n import Lang, listed, run_on
from ui.words.numbers import digits, percent, seconds
from ui.words.palette import themed

PARTS = ("think", "queue", "prefill", "decode", "held")
MANY = 2.0
"""From here on a gain is told as so many times, below as so many percent more."""
WORTH_SAYING = 0.05
"""Of a cycle: by so much others' work must hold up decoding to be told in words as well."""

Say = Callable[..., str]

_HATCHED = f"repeating-linear-gradient(135deg,{themed('miss')} 0 5px,{themed('miss_soft')} 5px 8px)"
_GROUNDS = {
    "think": themed("band"),
    "queue": f"repeating-linear-gradient(90deg,{themed('hair')} 0 2px,{themed('line')} 2px 4px)",
    "prefill": _HATCHED,
    "decode": themed("others"),
    "held": f"repeating-linear-gradient(45deg,{themed('others')} 0 4px,{themed('miss_soft')} 4px 8px)",
}
STYLE = (
    f"""<style>
.broth-cycle{{color:{themed("ink")};font-size:14px}}
.broth-cycle .r{{display:grid;grid-template-columns:6.5em 1fr 5em;gap:.6em;align-items:center;margin:3px 0}}
.broth-cycle .track{{position:relative;height:20px}}
.broth-cycle .bar{{display:flex;height:100%}}
.broth-cycle .bar i,.broth-cycle .k i{{border:1px solid {themed("line")};box-sizing:border-box}}
.broth-cycle .floor{{position:absolute;top:-4px;bottom:-4px;border-left:2px dashed {themed("ink")}}}
.broth-cycle .k{{display:flex;flex-wrap:wrap;gap:.2em 1.2em;color:{themed("muted")};font-size:13px}}
.broth-cycle .k i{{display:inline-block;width:1.4em;height:.8em;margin-right:.4em}}
.broth-cycle .k .line{{border:0;border-left:2px dashed {themed("ink")};width:0;height:1em}}
.broth-cycle b{{font-variant-numeric:tabular-nums}}
"""
    + "".join(f".broth-cycle .{name}{{background:{ground}}}" for name, ground in _GROUNDS.items())
    + """
@media (max-width:640px){
.broth-cycle .r{grid-template-columns:1fr 5em}.broth-cycle .track{grid-column:1/-1;grid-row:2}
.broth-cycle .r b{text-align:right}}
</style>"""
)


def cycle_html(loop: Loop, say: Say, lang: Lang, *, tools: bool = False) -> str:
    """Both bars, one legend. ``tools``: clients pause while their tools work, too."""
    words = {name: say(f"monitor.cycle.{name}") for name in PARTS}
    if tools:
        words["think"] = say("monitor.cycle.think.tools")
    longest = max(loop.with_cache.total_s, loop.without_cache.total_s)
    rows = [
        _row(say(f"monitor.curve.throughput_{name}"), cycle, longest, loop, words, lang)
        for name, cycle in (("with", loop.with_cache), ("without", loop.without_cache))
    ]
    legend = "".join(f'<span><i class="{name}"></i>{escape(words[name])}</span>' for name in PARTS)
    legend += f'<span><i class="line"></i>{escape(say("monitor.cycle.floor"))}</span>'
    return f'{STYLE}<div class="broth-cycle">{"".join(rows)}<div class="k">{legend}</div></div>'


def _row(name: str, cycle: Cycle, longest: float, loop: Loop, words: Mapping[str, str], lang: Lang) -> str:
    parts = {part: getattr(cycle, f"{part}_s") for part in PARTS}
    parts["decode"] -= parts["held"]
    spans = "".join(
        f'<i class="{part}" style="width:{100 * value / longest:.3f}%" '
        f'title="{escape(words[part])}: {seconds(value)}"></i>'
        for part, value in parts.items()
        if value > 0
    )
    floor = 100 * loop.floor_s / longest
    floor_at = f'<span class="floor" style="left:{floor:.3f}%"></span>'
    told = listed((f"{words[part]} {seconds(value)}" for part, value in parts.items()), lang)
    return (
        f'<div class="r"><span>{escape(name)}</span><div class="track" role="img" '
        f'aria-label="{escape(told)}"><div class="bar">{spans}</div>{floor_at}</div>'
        f"<b>{escape(seconds(cycle.total_s))}</b></div>"
    )


def wait_words(spec: LoadSpec, say: Say) -> str:
    """That nothing is known yet, and when it will be."""
    each = min(KNOWN_AFTER, spec.num_requests / spec.num_clients)
    return say("monitor.cycle.wait", n=digits(round(each * spec.num_clients)), each=f"{each:.3g}")


def cycle_words(loop: Loop, hit_rate: float | None, say: Say, lang: Lang) -> str:
    """What the bars come to: hits, gain, and how much no cache can exceed."""
    before, after = loop.without_cache, loop.with_cache
    told = say(
        "monitor.cycle.told",
        n=after.num_clients,
        hit="–" if hit_rate is None else percent(hit_rate),
        gain=gain_words(loop.gain, say),
        ceiling=gain_words(loop.ceiling, say),
        a=f"{after.per_s:.3g}",
        b=f"{before.per_s:.3g}",
        fixed=seconds(loop.floor_s),
        cycle=seconds(before.total_s),
        inside_a=f"{after.inside:.1f}",
        inside_b=f"{before.inside:.1f}",
    )
    if before.held_s - after.held_s < WORTH_SAYING * before.total_s:
        return told
    shorter = say("monitor.cycle.shorter", a=seconds(after.held_s), b=seconds(before.held_s))
    return run_on((told, shorter), lang)


def gain_words(gain: float, say: Say) -> str:
    """So many percent more, or so many times as many."""
    if gain >= MANY:
        return say("monitor.cycle.times", n=f"{gain:.1f}")
    more = round(100 * (gain - 1), 1)
    return say("monitor.cycle.percent" if more >= 0 else "monitor.cycle.fewer", n=f"{abs(more):.1f}")
