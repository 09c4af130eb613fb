"""What travels to the act: the beats of one language, its variants, and the path that begins behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from ui.act.play import RIDS, act_beats, act_run, alike
from ui.act.variants import act_variants, could_hit
from ui.stage.presets import FIRST, path
from ui.words.i18n import LangMode, languages, t
from ui.words.palette import PALETTE

Payload = dict[str, Any]


def act_payload(mode: LangMode) -> Payload:
    """The component's whole ``data``: prompts in the leading language, words in each that is shown."""
    leading = languages(mode)[0]
    scenario, log = act_run(leading)
    pieces = scenario.pieces()
    return {
        "lang": mode,
        "palette": PALETTE,
        "size": log.config.block_size,
        "pieces": [pieces[rid] for rid in RIDS],
        "alike": alike(leading),
        "beats": list(act_beats(leading)),
        "variants": [list(one) for one in act_variants(leading)],
        "could": could_hit(leading),
        "path": [_group(group, names[:FIRST], mode) for group, names in path().items()],
    }


def _group(group: str, names: tuple[str, ...], mode: LangMode) -> Mapping[str, Any]:
    return {"id": group, "runs": [_run(name, mode) for name in names]}


def _run(name: str, mode: LangMode) -> Mapping[str, Any]:
    """A run of the path: a plain link, so that it can be opened beside this page too."""
    query = urlencode({"s": name, "m": "guided", "lang": mode})
    shown = {
        lang: [t(f"scenario.{name}.{part}", lang) for part in ("title", "question")]
        for lang in languages(mode)
    }
    return {"s": name, "href": f"execute?{query}", "said": shown}
