"""What the chapter on misconceptions draws: links to reports, the opening step, token texts, the chart."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType

from core.misconceptions import Shown
from core.scenario.scenario import Command, Scenario, Tokens
from ui.course.grid import stage_colours
from ui.frame import plain_figure as go
from ui.stage.payload import Payload
from ui.stage.show_me import Wanted, find_step
from ui.words.numbers import power

_RANGE = re.compile(r"([A-Za-z_]+?)(\d*)\[(\d+):(\d+)\]")
_FILLS = MappingProxyType({"reused": "hit", "computed": "miss"})
_STRONG = 4
_REPORT = re.compile(r"([\w.-]+/[\w.-]+)(?: (PR)?#(\d+))?")


def report_link(report: str) -> str:
    """``owner/name #12``, ``owner/name PR#12`` or a whole ``owner/name`` as a Markdown link."""
    found = _REPORT.fullmatch(report)
    assert found is not None, report
    place = f"/{'pull' if found[2] else 'issues'}/{found[3]}" if found[3] else ""
    return f"[{report}](https://github.com/{found[1]}{place})"


def opening(shown: Payload, opens_on: Sequence[Wanted]) -> int:
    """The first of these steps that the run has.

    Raises:
        LookupError: it has none of them.
    """
    for wanted in opens_on[:-1]:
        if any(wanted(step) for step in shown["events"]):
            return find_step(shown, wanted)
    return find_step(shown, opens_on[-1])


# -- token texts ------------------------------------------------------------------------------------------


def with_words(scenario: Scenario, word: Callable[[str], str]) -> Scenario:
    """The same run, its tokens called by ``word`` of their stream: ``menu[0:2]`` as " menu·0 menu·1"."""
    return replace(scenario, commands=tuple(_worded(command, word) for command in scenario.commands))


def _worded(command: Command, word: Callable[[str], str]) -> Command:
    return replace(
        command,
        prompt=_pieces(command.prompt, command.args.get("tokens"), word),
        output=_pieces(command.output, command.args.get("output_tokens"), word),
    )


def _pieces(tokens: Tokens, notation: object, word: Callable[[str], str]) -> Tokens:
    if not isinstance(notation, str) or not tokens.ids:
        return tokens
    pieces: list[str] = []
    for part in notation.split():
        if found := _RANGE.fullmatch(part):
            name = f" {word(found[1])}{found[2]}"
            pieces += [f"{name}·{index}" for index in range(int(found[3]), int(found[4]))]
        else:
            pieces += [f" {number}" for number in part.split(",")]
    return replace(tokens, pieces=tuple(pieces))


# -- chart --------------------------------------------------------------------------------------------------


def beside(
    shown: Shown, label: Callable[[int | str], str], axis: str, across: str, believed: str
) -> go.Figure:
    """All settings beside each other, this one with a strong edge; the believed value as a line across them.
    Blue is what is reused, amber with stripes what is computed; every other value is neither."""
    names = [label(name) for name, _ in shown.bars]
    here = None if shown.here is None else label(shown.here)
    colours, fill = stage_colours(), _FILLS.get(shown.bars_unit or shown.unit, "hair")
    figure = go.Figure()
    figure.add_bar(
        x=names,
        y=[value for _, value in shown.bars],
        text=[_short(value) for _, value in shown.bars],
        textposition="outside",
        cliponaxis=False,
        marker={
            "color": colours[fill],
            "line": {
                "color": colours["ink"],
                "width": [_STRONG if name == here else 1 for name in names],
            },
            "pattern": {"shape": "/" if fill == "miss" else "", "fillmode": "overlay", "fgopacity": 0.25},
        },
        hovertemplate="%{x}: %{y:.3g}<extra></extra>",
    )
    if not shown.bars_unit:
        figure.add_hline(y=shown.believed, line_dash="dot", line_color=colours["line"])
        place = {"x": 1, "xref": "x domain", "xanchor": "left", "y": shown.believed, "yanchor": "middle"}
        figure.add_annotation(**place, text=believed, showarrow=False)
    figure.update_layout(
        height=230,
        showlegend=False,
        margin={"l": 8, "r": 8 if shown.bars_unit else 110, "t": 28, "b": 8},
        bargap=0.4,
    )
    figure.update_xaxes(title_text=across or None, type="category", fixedrange=True)
    figure.update_yaxes(title_text=axis, rangemode="tozero", fixedrange=True)
    return figure


def _short(value: float) -> str:
    if 0 < abs(value) < 0.01:
        return power(value)
    return f"{value:,.1f}".removesuffix(".0")
