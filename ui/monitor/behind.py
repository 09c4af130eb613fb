"""The list behind a point of the paused charts: who pushed out most in that bin, missed most, waited longest.
Each row leads to the stage. The lists stand at once; reasons follow when that part has been told again."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.load import Culprits, Evictor, Hindsight, Miss, Slow, Victim, Why, culprits_of, hindsight
from ui.frame.session import say, tell
from ui.monitor.asked import Asked
from ui.monitor.run import LoadSession
from ui.monitor.texts import text_key
from ui.words.numbers import digits, seconds

_MOST_VICTIMS = 3
# At the foot of the window, over the charts: where the click was, the charts stay where they are.
STYLE = """<style>
.st-key-load-charts:has(.main-svg){overflow:visible}
*:has(>.st-key-load-behind button),.st-key-load-behind:has(button){position:sticky;bottom:0;z-index:60}
.st-key-load-behind:has(button){max-height:46vh;overflow:auto;scrollbar-width:auto;
scrollbar-color:light-dark(#6B7887,#7C8A9A) transparent;padding:0 .8rem .6rem;
border:1px solid light-dark(#6B7887,#7C8A9A);border-radius:.5rem;
background:linear-gradient(light-dark(#F5F7FA,#1B222B) 30%,transparent) bottom/100% 2rem no-repeat local,
linear-gradient(transparent,rgba(0,0,0,.28)) bottom/100% .8rem no-repeat scroll,light-dark(#F5F7FA,#1B222B);
box-shadow:0 -4px 14px rgba(0,0,0,.18)}
.st-key-load-behind-head{position:sticky;top:0;z-index:2;padding:.4rem 0;align-items:center;flex-wrap:nowrap;
background:light-dark(#F5F7FA,#1B222B)}
.st-key-load-behind,.st-key-load-behind [data-testid="stVerticalBlock"]{gap:.15rem}
.st-key-load-behind button{min-height:0;padding:0}
.st-key-load-behind [data-testid="stCaptionContainer"]{margin:-.3rem 0 0}
.st-key-load-behind [data-testid="stMarkdownContainer"]{margin:0}
.st-key-load-behind [data-testid="stMarkdownContainer"] p{margin:0}
.st-key-load-behind-head>*{min-width:0}
.st-key-load-behind [data-testid="stCaptionContainer"] p{margin:0;line-height:1.3}
.st-key-load-behind button p{font-weight:600;text-decoration:underline dotted}
.st-key-load-behind [data-testid="stColumn"] [data-testid="stElementContainer"]:has(button){margin-top:.5rem}
@media (max-width:900px){.st-key-load-behind:has(button){max-height:55vh}}
</style>"""

Open = Callable[[str, float], None]


def show_behind(load: LoadSession, asked: Asked, open_request: Open, close: Callable[[], None]) -> None:
    """Draw the lists. ``open_request`` is told a request and its moment, ``close`` that they may go."""
    with load.lock:
        found = culprits_of(load.run, asked.end_s, asked.width_s)
    head = st.container(horizontal=True, horizontal_alignment="distribute", key="load-behind-head")
    head.markdown(f"**{say('monitor.bin.title', begin=f'{found.begin_s:g}', end=f'{found.end_s:g}')}**")
    head.button(say("monitor.bin.close"), on_click=close, type="tertiary", key="behind_close")
    reasons: dict[str, st.delta_generator.DeltaGenerator] = {}
    for column, name in zip(st.columns(3), asked.order, strict=True):
        with column:
            _column(name, found, open_request, reasons)
    if asked.told is None:
        with load.lock:
            asked.told = hindsight(load.run, found)
    for key, place in reasons.items():
        place.caption(_reason(key, asked.told))


def _column(
    name: str, found: Culprits, open_request: Open, reasons: dict[str, st.delta_generator.DeltaGenerator]
) -> None:
    rows: tuple[Evictor | Miss | Slow, ...] = getattr(found, name)
    st.markdown(f"**{say(f'monitor.bin.{name}')}**")
    st.caption(_basis(name, found))
    for row in rows:
        label = f"{row.request_id} · {row_words(row)}"
        if st.button(
            label, type="tertiary", key=f"behind_{name}_{row.request_id}", help=say("monitor.bin.open")
        ):
            open_request(row.request_id, found.end_s)
        if isinstance(row, Slow):
            st.caption(apart_words(row))
        else:
            place = st.empty()
            place.caption("…")
            reasons[f"{name}/{row.request_id}"] = place


def _basis(name: str, found: Culprits) -> str:
    """Of how many the list shows the first few, and what belongs to nobody."""
    if name == "misses":
        return say(
            "monitor.bin.misses.all" if found.num_admitted else "monitor.bin.misses.none",
            n=found.num_admitted,
        )
    if name == "slowest":
        return say(
            "monitor.bin.slowest.all" if found.num_answered else "monitor.bin.slowest.none",
            n=found.num_answered,
        )
    pushed = found.evicted["reused"] + found.evicted["cap"] - found.by_nobody
    known = "monitor.bin.evictors.all" if pushed else "monitor.bin.evictors.none"
    parts = [say(known, n=pushed, who=found.num_evictors)]
    for key, count in (("expired", found.evicted["ttl"]), ("nobody", found.by_nobody)):
        if count:
            parts.append(say(f"monitor.bin.{key}", n=count))
    return tell(*parts)


def row_words(row: Evictor | Miss | Slow) -> str:
    """What the row is in the list for."""
    if isinstance(row, Evictor):
        return say("monitor.bin.blocks", n=row.blocks)
    if isinstance(row, Miss):
        return say("monitor.bin.missed", n=digits(row.missed), all=digits(row.num_tokens))
    return seconds(row.ttft_s)


def apart_words(row: Slow) -> str:
    """Waiting and computing apart, and the same request without the cache."""
    parts = [say("monitor.bin.apart", waiting=seconds(row.waiting_s), computing=seconds(row.computing_s))]
    if row.plain_ttft_s is not None:
        parts.append(say("monitor.bin.plain", time=seconds(row.plain_ttft_s)))
    return tell(*parts)


def _reason(key: str, told: Hindsight) -> str:
    name, _, request_id = key.partition("/")
    if name == "evictors":
        return victim_words(told.victims.get(request_id, ()))
    return why_words(told.why.get(request_id))


def victim_words(victims: tuple[Victim, ...]) -> str:
    """Whose blocks went, and of what text; those with a name first."""
    known = [one for one in victims if one.request_id is not None]
    parts = [
        say("monitor.bin.of", name=one.request_id, text=_text_words(one), n=one.blocks)
        for one in known[:_MOST_VICTIMS]
    ]
    more = sum(one.blocks for one in known[_MOST_VICTIMS:])
    older = sum(one.blocks for one in victims if one.request_id is None)
    parts += [say(f"monitor.bin.of.{name}", n=n) for name, n in (("more", more), ("older", older)) if n]
    return " · ".join(parts) or say("monitor.why.unknown")


def _text_words(victim: Victim) -> str:
    if victim.text is None:
        return say("monitor.why.unknown")
    key, number = text_key(victim.text, victim.request_id)
    return say(key, n=number)


def why_words(why: Why | None) -> str:
    """Why the first block that was not reused was not there."""
    if why is None:
        return say("monitor.why.unknown")
    key = f"monitor.why.{why.kind}"
    if why.kind == "evicted":
        key += f".{why.cause}"
        if why.cause == "cap" and why.other is None:
            key += ".lowered"
    return say(key, at="" if why.at_s is None else f"{why.at_s:.1f}", other=why.other or "")
