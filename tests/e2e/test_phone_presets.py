"""Every preset on a phone: nothing too small, nothing over the edge, and no open question is answered.

The page holds nothing but the stage: every step that is looked at costs milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.e2e.test_leak import look, script
from tests.e2e.test_phone import SIZES, SMALL
from tests.leaks import SEE, leaks_here
from tests.stage_runs import PRESETS, frames_of, log_of, stage_log_of
from ui.words.i18n import Lang, t

STEPS_A_RUN = 24
Frame = Mapping[str, Any]

TOKENS = """
(phone, rid) => {
  const [request, pool] = phone.querySelectorAll('.pzone');
  const count = (zone, names) => zone.querySelectorAll(names).length;
  const mini = phone.querySelector('.m-request');
  return {
    rid, rows: count(request, '.pblk .ptok:not(.hole, .pnear .ptok), .pflow .ptok'),
    map: mini.dataset.bar ? 0 : count(mini, 'i'), chips: count(pool, '.pchip'),
    written: [...request.querySelectorAll('.pblk')].map(row => ({
      b: Number(row.querySelector('.pno').textContent), state: row.dataset.state,
      part: Number(row.querySelector('.plook').textContent.match(/(\\d+)\\/\\d+$/)?.[1] ?? -1),
    })),
  };
}
"""
"""How many tokens and blocks each zone shows of the request, and what it says is written."""

BOARD = """
phone => {
  const board = phone.querySelector('.pboard'), zone = board.parentNode;
  if (zone.hasAttribute('inert') || !board.getClientRects().length) return null;
  const box = board.getBoundingClientRect();
  const end = phone.querySelector('.pfootbar').getBoundingClientRect().top;
  return box.height > 0 && box.bottom <= end + 0.5 && box.top > zone.getBoundingClientRect().top;
}
"""
"""Is the hash table whole in sight beside the request? Null where another zone is shown."""

SEE_PHONE = (
    """
root => {
  const phone = root.querySelector('.phone'), all = names => [...phone.querySelectorAll(names)];
  const shown = node => node.getClientRects().length > 0, text = node => node.textContent;
  const [request, , queue] = all('.pzone');
  const mark = request.querySelector('.preq[aria-pressed=true], .preqs > .who');
  const rid = mark?.textContent.trim();
  const keyOf = node => `blk:${rid}:${node.querySelector('.pno').textContent}`;
  return {
    wrong: (SMALL)(phone), step: Number(root.querySelector('.track').getAttribute('aria-valuenow')),
    asking: phone.dataset.asking === '1', bench: text(phone), live: text(root.querySelector('.live')),
    names: all('[aria-label]').map(node => node.getAttribute('aria-label')).join(' · '),
    tip: '', head: '', loud: false, card: false,
    blocks: all('.pblk, .pline').map(node => ({ state: node.dataset.state, keys: [keyOf(node)] })),
    tags: all('.ptag, .pmono').filter(node => !node.closest('.off, .pboard'))
      .map(node => ({ text: text(node), icons: 0 })),
    rows: all('.prow').filter(shown).map(node => ({ asked: node.dataset.lit ? '1' : null, ghost: null })),
    lane: text(request), queue: [text(queue)], slots: [], ends: all('.pend').map(text).join(''),
    board: (BOARD)(phone), tokens: (TOKENS)(phone, rid),
  };
}
""".replace("SMALL", SMALL.strip())
    .replace("TOKENS", TOKENS.strip())
    .replace("BOARD", BOARD.strip())
)
"""What is to be seen and heard on a phone, as tests/leaks.py reads it, and what of it is too small."""


@pytest.fixture
def phone_page(browser_page: Page, tmp_path: Path) -> Page:
    file = tmp_path / "stage.html"
    text = (
        script()
        .replace(SEE.strip().removesuffix(";"), SEE_PHONE.strip())
        .replace("width:1280px", "width:100vw")
    )
    file.write_text(text.replace("<body>", '<body style="margin:0">'), "utf-8")
    browser_page.emulate_media(reduced_motion="reduce")
    browser_page.goto(file.as_uri())
    browser_page.wait_for_function("() => window.look")
    return browser_page


def steps_of(log: Mapping[str, Any]) -> list[int]:
    """Steps spread over the run, and all that a question stands before."""
    total = len(log["events"])
    asked = {one["i"] for one in log["events"] if "ask" in one}
    return sorted(asked | {total * part // STEPS_A_RUN for part in range(STEPS_A_RUN + 1)})


def told_early(
    seen: Mapping[str, Any], log: Mapping[str, Any], frames: Sequence[Frame], lang: Lang
) -> list[str]:
    """The same eyes as on the wide stage; the ends of the queue say where they are, not who goes."""
    told = leaks_here(dict(seen), log, frames, lang)
    if any(t(f"stage.phone.{end}.note", lang) in seen["bench"] for end in ("head", "tail")):
        told.append("the ends of the queue speak")
    kind = log["events"][seen["step"]]["ask"]["kind"]
    if kind == "pool" and seen["ends"] and t("stage.phone.head", lang) not in seen["ends"]:
        told.append("nobody can tell the front of the queue")
    return told


def shown_wrongly(seen: Mapping[str, Any], log: Mapping[str, Any], frame: Frame) -> list[str]:
    """Tokens that do not exist yet, parts that are not written, a hash table that is out of sight."""
    shown, wrong = seen["tokens"], []
    request = frame["reqs"].get(shown["rid"])
    if request is None:
        return []
    size, table = log["meta"]["block_size"], request["btable"]
    blocks = -(-request["num_tokens"] // size)
    for zone, most in [("rows", request["num_tokens"]), ("map", request["num_tokens"]), ("chips", blocks)]:
        if shown[zone] > most:
            wrong.append(f"{shown[zone]} {zone}, and {most} exist")
    for row in shown["written"]:
        held = min(size, request["num_tokens"] - row["b"] * size)
        fill = frame["slots"][str(table[row["b"]][0])]["fill"] if row["b"] < len(table) else held
        if row["state"] == "computed" and row["part"] != (fill if fill < held else -1):
            wrong.append(f"block {row['b']}: {row['part']} written, {fill} of {held} are")
    if seen["board"] is False:
        wrong.append("the hash table is out of sight")
    return wrong


@pytest.mark.parametrize(("lang", "size"), [("en", SIZES[0]), ("zh", SIZES[1])])
def test_nothing_is_too_small_and_nothing_told_early(
    phone_page: Page, lang: Lang, size: tuple[int, int]
) -> None:
    """On the wide stage, scaled to 390 pixels, text was 6 pixels high and buttons 14."""
    page = phone_page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    found: dict[str, list[str]] = {}
    for preset in PRESETS:
        log = stage_log_of(preset, lang)
        frames, steps = frames_of(log_of(preset, lang), log["events"]), steps_of(log)
        for step, seen in zip(steps, look(page, log, lang, steps), strict=True):
            asked = step < len(log["events"]) and "ask" in log["events"][step]
            told = told_early(seen, log, frames, lang) if asked else []
            if wrong := [*seen["wrong"], *shown_wrongly(seen, log, frames[step]), *told]:
                found[f"{preset} step {step}"] = wrong
    assert found == {}
