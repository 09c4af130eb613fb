"""Chapter 4 · The hit test: tags in a chain, the first miss; folded: the last token, collisions, the race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

import streamlit as st

from core.types import HashName
from pages.navigation import page
from ui.course.bets import bet
from ui.course.ch04 import (
    BlockPair,
    collide,
    collision_chance,
    compare_blocks,
    forced_reuse,
    race,
    replace_token,
    tag_hit,
)
from ui.course.ch04_bets import Change, asked_hits, asked_tags, change_of
from ui.course.ch04_picture import draw_chain
from ui.course.chapter import begin_chapter, chapter_stage, course_run, end_chapter, stage_link
from ui.course.folded import draw_folded
from ui.course.in_turn import beginning_of
from ui.course.lessons import show_part
from ui.course.mine import my_prompt, my_run, my_stage_link, my_tokens
from ui.course.page import more, reading
from ui.course.pictures import new_pen, show_picture
from ui.frame.charts import Bar, bars_beside
from ui.frame.seen import seen_diff
from ui.frame.session import lang, say
from ui.stage.show_me import find_step, first_step, op_is
from ui.words.numbers import power
from ui.words.tables import markdown_table, show_table
from ui.words.visible import visible_text

NAME = "ch04"
BLOCK = 4
RACE_LENGTH = 1024
WEAK_BLOCK = 8
MANY_BLOCKS, BITS = 1e9, 128
TRIALS: tuple[tuple[str, HashName, bool], ...] = (
    ("weak", "weak", False),
    ("checked", "weak", True),
    ("strong", "xxh3_128", False),
)


def render() -> None:
    """Change a token of one's own prompt and watch the tags; the same on the stage; two bets."""
    begin_chapter(NAME, page, hook=False)
    _edit()
    _stage()
    draw_folded(NAME, {"last": _last_token, "broken": _after_a_break, "race": _race, "weak": _collisions})
    bet(NAME, lambda seed: asked_tags(_change(seed)))
    bet(NAME, lambda seed: asked_hits(_change(seed)), place="b")
    end_chapter(NAME, page)


def _change(seed: int) -> Change:
    """The bets' case: the visitor's first prompt, with a token of its beginning changed."""
    words = say("course.ch04.words").split("|")
    return change_of(my_tokens(lang())[0], my_prompt(lang()).system, words, seed)


def _stage() -> None:
    """The visitor's second prompt at the end of its look-up; seven tags in a row are a link away."""
    show_part(NAME, "stage")
    _, _, shown = my_run()
    step = first_step(shown, op_is("miss", "R1"), op_is("plan", "R1"))
    chapter_stage(NAME, shown, step)
    seven = course_run("P9d")[2]
    with st.container(horizontal=True):
        my_stage_link(say("course.ch04.yours"), step)
        stage_link(say("course.ch04.seven"), "P9d", find_step(seven, op_is("miss", "R1")))


# -- change a token ------------------------------------------------------------------------------------


def _edit() -> None:
    text, picture = reading()
    pieces = my_tokens(lang())[0]
    within = beginning_of(pieces, my_prompt(lang()).system)
    with text:
        show_part(NAME, "hook")
        place = st.selectbox(
            say("course.ch04.place"),
            range(within),
            index=within * 2 // 3,
            format_func=lambda number: f"{number + 1} · {visible_text(pieces[number])}",
        )
        typed = st.text_input(
            say("course.ch04.text"), None, max_chars=40, placeholder=say("course.ch04.word"), key="ch04-word"
        )
        asked = typed is not None
        changed = pieces if typed is None else replace_token(pieces, place, typed) or pieces
        rows = compare_blocks(pieces, changed, BLOCK)
        found = _counted(rows, len(changed))
        if asked:
            _told(rows, found)
        else:
            show_part(NAME, "before")
    with picture:
        pen = new_pen()
        height = draw_chain(pen, rows, asked=asked)
        words = say("course.ch04.picture", size=BLOCK, **found) if asked else ""
        show_picture(pen, height, words or say("course.ch04.picture.before", size=BLOCK))


def _told(rows: Sequence[BlockPair], found: Mapping[str, int]) -> None:
    """What became of the change: said only to who has made one."""
    show_part(NAME, "edited" if found["tags"] else "unchanged", **found)
    if same := sum(row.verdict == "same_text" for row in rows):
        show_part(NAME, "edited_same", same=same)
    with more(say("course.ch04.more.table")), st.container(key="table-ch04"):
        st.markdown(_table(rows))


def _counted(rows: Sequence[BlockPair], total: int) -> dict[str, int]:
    """What the text says of them."""
    return {
        "hit": sum(row.verdict == "hit" for row in rows) * BLOCK,
        "total": total,
        "tags": sum(row.first_tag != row.second_tag for row in rows if row.second_tag),
    }


def _table(rows: Sequence[BlockPair]) -> str:
    head = [say(f"course.ch04.head.{name}") for name in ("block", "first", "tag", "second", "tag", "verdict")]
    return markdown_table(head, [_cells(row) for row in rows], "rlllll")


def _cells(row: BlockPair) -> list[str]:
    tags = [f"`{tag}`" if tag else "–" for tag in (row.first_tag, row.second_tag)]
    verdict = say(f"course.ch04.verdict.{row.verdict}")
    first, second = (" · ".join(one) or "–" for one in token_marks(row))
    return [str(row.index), first, tags[0], second, tags[1], verdict]


def token_marks(row: BlockPair) -> tuple[list[str], list[str]]:
    """The tokens of both blocks as Markdown; where they differ, it is marked."""
    pairs = [seen_diff(one, other) for one, other in zip_longest(row.first, row.second, fillvalue="")]
    return [one for one, _ in pairs if one], [other for _, other in pairs if other]


# -- folded: the last token --------------------------------------------------------------------------------


def repeated(length: int, block_size: int) -> int:
    """Tokens that hit when the same prompt comes again: the engine's answer."""
    return tag_hit(range(length), range(length), block_size)


def _last_token() -> None:
    show_part(NAME, "last")
    left, right = st.columns(2)
    length = left.slider(say("course.ch04.length"), 1, 72, 32)
    size = right.select_slider(say("knob.block_size"), (1, 4, 8, 16, 32), 16)
    hit = repeated(length, size)
    show_part(
        NAME,
        "last_result",
        length=length,
        hit=hit,
        computed=length - hit,
        percent=f"{100 * hit / length:.1f}",
    )
    stage = course_run("P6")[2]
    stage_link(say("course.show_me"), "P6", find_step(stage, op_is("plan", "R1")))


# -- folded: after a break ---------------------------------------------------------------------------------


def _after_a_break() -> None:
    show_part(NAME, "broken")
    seed = st.slider(say("course.ch04.model"), 0, 9, 0)
    result = forced_reuse(seed)
    bars = []
    for layer in result.layers:
        words = say("course.ch06.percent", change=f"{100 * layer.value:.1f}")
        bars.append(
            Bar(f"{say('course.ch04.layer', n=layer.layer)}<br>{words}", 100 * layer.value, "", words)
        )
    _draw_bars("layers", bars, say("course.ch04.error"))
    show_part(
        NAME,
        "broken_result",
        tokens=result.reused_tokens,
        error=f"{100 * result.broken.relative:.0f}",
        legal=power(result.legal.difference.max_abs),
    )
    st.caption(say(f"course.ch04.flipped.{str(result.broken.flipped).lower()}"))


def _draw_bars(key: str, bars: Sequence[Bar], axis: str) -> None:
    figure = bars_beside(bars, axis, one_colour=True)
    st.plotly_chart(figure, key=f"ch04-{key}", config={"displayModeBar": False})


# -- folded: the race --------------------------------------------------------------------------------------


def _race() -> None:
    show_part(NAME, "race")
    left, middle, right = st.columns(3)
    stored = left.select_slider(say("course.ch04.stored"), (1, 2, 5, 10, 20, 50, 100), 20)
    shared = middle.slider(say("course.ch04.shared"), 0, RACE_LENGTH - 1, 512)
    size = right.select_slider(say("knob.block_size"), (4, 8, 16, 32), 16, key="ch04-race-size")
    done = race(stored, RACE_LENGTH, shared, size)
    bars = [
        Bar(f"{say(f'course.ch04.race.{name}')}<br>{count:,}", count, "", f"{count:,}")
        for name, count in (
            ("compared", done.compared),
            ("hashed", done.hashed),
            ("looked_up", done.looked_up),
        )
    ]
    _draw_bars("race", bars, say("course.ch04.race.axis"))
    show_part(
        NAME, "race_result", length=f"{RACE_LENGTH:,}", lookups=done.looked_up, compared=f"{done.compared:,}"
    )


# -- folded: collisions ------------------------------------------------------------------------------------


def _collisions() -> None:
    show_part(NAME, "weak", size=WEAK_BLOCK)
    left, right = st.columns(2)
    first = left.text_input(say("course.ch04.guest1"), say("course.ch04.order1"), max_chars=80)
    second = right.text_input(say("course.ch04.guest2"), say("course.ch04.order2"), max_chars=80)
    if not (first and second):
        return
    head = [say(f"course.ch04.weak.{name}") for name in ("hash", "tag1", "tag2", "hit", "outcome")]
    rows = []
    for name, hash_name, verify in TRIALS:
        trial = collide(first, second, WEAK_BLOCK, hash_name, verify)
        outcome = "noticed" if trial.noticed else "none"
        if trial.hit_tokens:
            outcome = "right" if trial.right else "wrong"
        tags = [f"`{tag}`" for tag in trial.tags]
        told = say(f"course.ch04.outcome.{outcome}")
        rows.append([say(f"course.ch04.hash.{name}"), *tags, str(trial.hit_tokens), told])
    show_table("ch04-weak", head, rows, "lllrl")
    chance = power(collision_chance(MANY_BLOCKS, BITS))
    show_part(NAME, "weak_result", bits=BITS, blocks=f"{MANY_BLOCKS:,.0f}", chance=chance)


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
