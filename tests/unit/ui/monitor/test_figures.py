"""Numbers of the monitor in Python, by the same table as in tests/js/monitor/monitor.test.mjs."""

from __future__ import annotations

import re
from pathlib import Path

from ui.monitor.looks import INKS, RARE, ROWS
from ui.words.numbers import digits, seconds
from ui.words.palette import PALETTE

ROOT = Path(__file__).parents[4]
TABLE = re.compile(r'\[(\d[\d.]*), "([^"]+)"\]')


def test_python_and_the_browser_write_the_same_numbers() -> None:
    text = (ROOT / "tests/js/monitor/monitor.test.mjs").read_text("utf-8")
    times, plain = text[text.index("const table = ") :].split("const plain = ")
    for write, rows in ((seconds, TABLE.findall(times)), (digits, TABLE.findall(plain))):
        assert len(rows) > 5
        for number, shown in rows:
            assert write(float(number) if "." in number else int(number)) == shown  # type: ignore[operator]


def test_what_the_browser_draws_and_the_charts_show_has_one_colour_of_the_palette() -> None:
    drawn = re.findall(r'\["(\w+)", \{', (ROOT / "assets/monitor/strips.js").read_text("utf-8"))
    charted = {curve for curves in ROWS.values() for curve in curves}
    assert set(drawn) <= charted <= INKS.keys()
    assert {*RARE, "hit_rate"} <= set(drawn)
    assert all(ink in colours for ink in INKS.values() for colours in PALETTE.values())
    assert not re.search("#[0-9A-Fa-f]{6}", (ROOT / "ui/monitor/charts.py").read_text("utf-8"))
