"""The views of the chapter on two caches that are tables: four caches told apart, and what providers sell."""

from __future__ import annotations

import streamlit as st

from core.traffic.providers import with_minimum
from ui.course.ch02 import computed_tokens
from ui.course.ch08_costs.on_stage import table
from ui.course.ch09_two_caches.counts import likeness, prompt_hit, shared_beginning
from ui.course.ch09_two_caches.providers import bill
from ui.course.grid import stage_colours
from ui.course.lessons import show_part
from ui.frame import plain_figure as go
from ui.frame.session import lang, plain, say
from ui.traffic.charts import finished
from ui.words.numbers import digits, percent
from ui.words.offers import Offer, offers

NAME = "ch09"
SECONDS = ("same", "other", "meaning", "alike")
LONG = 150  # times the short system prompt
REPLY = 20  # tokens of an answer
MINIMUM, STEP = 1024, 128

# -- four caches ---------------------------------------------------------------------------------------


def four_panel() -> None:
    """The same second request, asked of four caches."""
    left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
    texts = {name: say(f"course.ch09.ask.{name}") for name in SECONDS}
    with left:
        st.markdown(f"{say('course.ch09.first')} **{plain(texts['same'])}**")
        second = st.selectbox(
            say("course.ch09.second"), SECONDS, 3, format_func=texts.__getitem__, key="ch09-second"
        )
    long = middle.toggle(say("course.ch09.long", n=LONG), False, key="ch09-long")
    threshold = right.slider(say("course.ch09.threshold"), 0.1, 1.0, 0.7, 0.05, key="ch09-threshold")
    system = say("course.ch09.system") * (LONG if long else 1) + (" " if lang() == "en" else "")
    found = four_answers(system, texts["same"], texts[second], threshold)
    semantic = semantic_verdict(second, found["semantic"] == 1)
    words: dict[str, dict[str, object]] = {
        "kv": {"n": found["kv"], "without": found["kv_without"], "reply": REPLY},
        "prefix": {"n": found["prefix"], "total": found["total"]},
        "prompt": {"n": found["prompt"], "shared": found["shared"], "minimum": f"{MINIMUM:,}"},
        "semantic": {"likeness": f"{found['likeness'] / 100:.2f}", "threshold": f"{threshold:.2f}"},
    }
    results = {
        "kv": "kv",
        "prefix": "prefix",
        "prompt": "prompt" if found["prompt"] else "prompt_short",
        "semantic": f"semantic_{semantic}",
    }
    head = [say(f"course.ch09.column.{name}") for name in ("cache", "keeps", "key", "lives", "now")]
    rows = []
    for name, result in results.items():
        cells = [f"**{say(f'course.ch09.cache.{name}')}**"]
        cells += [say(f"course.ch09.{column}.{name}") for column in ("keeps", "key", "lives")]
        rows.append([*cells, say(f"course.ch09.now.{result}", **words[name])])
    table(head, rows, words=True)
    show_part(NAME, "four_result")


def four_answers(system: str, first: str, second: str, threshold: float) -> dict[str, int]:
    """Tokens that each cache saves; ``likeness`` in hundredths, ``semantic`` 1 if the old answer is given."""
    hit, total = prompt_hit(system, first, second)
    shared, like = shared_beginning(system, first, second), likeness(first, second)
    return {
        "kv": computed_tokens(total, REPLY, True),
        "kv_without": computed_tokens(total, REPLY, False),
        "prefix": hit,
        "total": total,
        "shared": shared,
        "prompt": with_minimum(shared, MINIMUM, STEP),
        "likeness": round(100 * like),
        "semantic": int(round(100 * like) >= round(100 * threshold)),
    }


def semantic_verdict(second: str, answered: bool) -> str:
    """Whether giving the first question's answer is right, wrong, or not done."""
    if not answered:
        return "no"
    return "right" if second in ("same", "meaning") else "wrong"


# -- what providers sell -------------------------------------------------------------------------------


COLUMNS = ("who", "how", "minimum", "step", "life", "timing", "price", "source", "read_on")


def sold_panel() -> None:
    """One table, each row with its source and the day it was read; and a calculator over it."""
    rows = offers()
    with st.container(key="table-providers"):  # ui/frame/shell.py lets containers of this name scroll
        head = [say(f"course.ch09.offer.{name}") for name in COLUMNS]
        table(head, [_offer_row(row) for row in rows], words=True)
    show_part(NAME, "sold_note", **surcharges())
    show_part(NAME, "sold_ask")
    _calculator(rows)


def surcharges() -> dict[str, int]:
    """How many offers there are, and how many of them charge more for writing than for computing."""
    return {"offers": len(offers()), "dearer": sum(offer.prices.write > 1 for offer in offers())}


def _offer_row(offer: Offer) -> list[str]:
    words = offer.words[lang()]
    price = say("course.ch09.price", write=f"{offer.prices.write:g}", read=f"{offer.prices.read:g}")
    links = " ".join(f"[{number}]({url})" for number, url in enumerate(offer.sources, 1))
    who = f"**{offer.provider}** · {words['name']}"
    note = say("course.ch09.priced", price=price, note=words["note"]).strip()
    told = {name: words[name] for name in ("how", "minimum", "step", "life", "timing")}
    if offer.below != "none":
        told["minimum"] += f" · {say(f'course.ch09.below.{offer.below}')}"
    return [who, *told.values(), note, links, offer.read_on]


def _calculator(rows: tuple[Offer, ...]) -> None:
    titles = {row.offer_id: f"{row.provider} · {row.words[lang()]['name']}" for row in rows}
    columns = list(st.columns([3, 2, 2], vertical_alignment="bottom"))
    chosen = columns[0].selectbox(
        say("course.ch09.offer.who"), list(titles), format_func=titles.__getitem__, key="ch09-offer"
    )
    offer = next(row for row in rows if row.offer_id == chosen)
    minimum = columns[1].selectbox(
        say("course.ch09.minimum"),
        offer.minimums,
        min(1, len(offer.minimums) - 1),
        format_func=lambda number: f"{number:,}",
        key=f"ch09-minimum-{chosen}",
    )
    price = columns[2].number_input(say("course.ch09.per_million"), 0.01, 1000.0, 3.0, key="ch09-price")
    columns = list(st.columns(3, vertical_alignment="bottom"))
    shared = columns[0].number_input(say("course.ch09.shared"), 1, 1_000_000, 2006, key="ch09-prefix")
    private = columns[1].number_input(say("course.ch09.private"), 0, 1_000_000, 200, key="ch09-rest")
    uses = columns[2].slider(say("course.ch09.uses"), 1, 50, 10, key="ch09-uses")
    storage = 0.0
    if offer.storage:
        storage = st.number_input(say("course.ch09.storage"), 0.0, 1000.0, 1.0, key="ch09-storage")
    now = bill(offer, minimum, shared, private, uses, price, storage)
    first = cheaper_from(offer, minimum, shared, private, price, storage)
    _costs(offer, minimum, shared, private, price, storage, uses)
    numbers = {
        "uses": uses,
        "cached": f"{now.cached:,}",
        "shared": f"{shared:,}",
        "plain": f"\\${digits(now.without)}",
        "kept": f"\\${digits(now.with_cache)}",
    }
    if not now.cached:
        show_part(
            NAME,
            f"sold_below_{offer.below}",
            minimum=f"{minimum:,}",
            shared=f"{shared:,}",
            plain=numbers["plain"],
        )
    else:
        change = percent(abs(now.saved))
        part = "sold_less" if now.saved >= 0 else "sold_more"
        show_part(NAME, part, change=change, first=first or "–", **numbers)


def cheaper_from(
    offer: Offer, minimum: int, shared: int, private: int, price: float, storage: float = 0.0
) -> int | None:
    """The first number of uses for which the cache is cheaper, if one up to 1,000 is."""
    for uses in range(1, 1001):
        if bill(offer, minimum, shared, private, uses, price, storage).saved > 1e-12:
            return uses
    return None


def _costs(
    offer: Offer, minimum: int, shared: int, private: int, price: float, storage: float, uses: int
) -> None:
    colours, figure = stage_colours(), go.Figure()
    counts = list(range(1, max(uses, 10) + 1))
    bills = [bill(offer, minimum, shared, private, count, price, storage) for count in counts]
    for name, values, colour, dash in (
        ("without", [one.without for one in bills], colours["muted"], "dash"),
        ("with", [one.with_cache for one in bills], colours["ink"], "solid"),
    ):
        figure.add_scatter(
            x=counts,
            y=values,
            name=say(f"course.ch09.bill.{name}"),
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate="%{x} · $%{y:.4f}<extra>%{fullData.name}</extra>",
        )
    figure.add_vline(x=uses, line_dash="dot", line_width=1.5, line_color=colours["line"])
    figure.update_xaxes(title_text=say("course.ch09.uses"), fixedrange=True)
    figure.update_yaxes(
        title_text=say("course.ch09.cost"), rangemode="tozero", tickprefix="$", fixedrange=True
    )
    st.plotly_chart(finished(figure, True, 290), key="ch09-bill", config={"displayModeBar": False})
