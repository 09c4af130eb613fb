"""CSV that a spreadsheet shows and never runs. The payloads are written here, sign by sign."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from core.csv_table import csv_text, defused

ROOT = Path(__file__).resolve().parents[3]
PAYLOADS = (
    "=1+1", "=cmd|'/c calc'!A1", '=HYPERLINK("http://x.y","z")', "+1+1", "-1+1", "@SUM(A1:A9)",
    "-2+3+cmd|'/c'!A1",
    "\t=1+1", "\r=1+1", "\n=1+1", " =1+1", "\u00a0=1+1", "\u3000=1+1", "\u2009\u202f-1+1", "\ufeff=1+1",
    "\u200b=1+1", "\u200d@x", "\u2060+1+1", "\u00ad=1+1", "\x00=1+1", "\x1b=1+1", "\u202e=1+1", "\u2066=1+1",
    "\u3164=1+1", "\uffa0=1+1", "\u2800=1+1", "\u034f=1+1", "\ufe0f=1+1", "\x85=1+1", "\u2028=1+1",
    "＝1+1", "＋1+1", "－1+1", "＠SUM(1)", "﹦1+1", "﹢1+1", "﹣1+1", "﹫x", "⁼1+1", "⁺1+1", "−1+1",
    "\u200b \u00a0＝1",
    'a;"=1+1;b', 'a;"=HYPERLINK("x");b', 'x\t"=1+1\tb', '"=1+1"',
    "a,=1+1,b", "a|=1+1|b", 'a,"" =1+1', "-1|'c'!A1",
    "-1,+A1", "a;-1,@x", "x\n-1;+y", "\U000e0100=1+1", "\U000e01ef=1+1", "\u2065=1+1", "\u180b=1+1",
    "a;=1+1", "a\t=1+1", "a\n=1+1", "a\r\n@x", "a; ＝1+1", "+49 30 1234", "-", "=", "- item", "--3",
)  # fmt: skip
HARMLESS = (
    "", "a", "a=b", "1+1", "a-b", "R-1", "me@here", "'=1+1", "高汤", " a", "# 1",
    "[1, -2]", "a; b", "5 %", "\u00a0",
    "f(x, y), g", "a | b", 'she said "no", -3', "a;-1;-2", "(0, -2)", '"-3.5"',
    "-3.5", "−3.5", "+7", "-1,536.25", "-1e-9", "-3.5%", "-12 %", " -3.5", "－３.5", "a;-3.5;b",
)  # fmt: skip
RUNS = set("=+-@＝＋－＠﹦﹢﹣﹫⁼⁺−")


def cut(text: str, delimiter: str, quoted: bool) -> list[str]:
    """The cells as a reader finds them who cuts there and heeds quotes or does not."""
    if quoted:
        return [
            cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) for cell in row
        ]
    return re.split(f"[{re.escape(delimiter)}\r\n\x0b\x0c\x85\u2028]", text)


@pytest.mark.parametrize("text", PAYLOADS)
def test_no_cell_runs_however_it_is_cut(text: str) -> None:
    """Whatever the reader cuts at, and whether or not it drops quotes: no cell is a formula."""
    for row in (["log", text, 3], [text, "x"]):
        made = csv_text([row])
        assert next(csv.reader(io.StringIO(made, newline=""))) == [str(defused(cell)) for cell in row]
        cells = [cell for way in ",;\t|" for quoted in (True, False) for cell in cut(made, way, quoted)]
        for cell in [*cells, *re.split(r"[,;|\t\r\n\x0b\x0c\x85\u2028]", made)]:
            seen = [sign for sign in cell if sign.isprintable() and not sign.isspace() and sign != '"']
            unseen = "\u3164\uffa0\u2800\u034f\ufe0f\u180b\U000e0100\U000e01ef"
            seen = [sign for sign in seen if sign not in unseen]
            assert not seen or seen[0] not in RUNS or re.fullmatch(r'[ "]*-\d+[ "]*', cell), (made, cell)
    assert str(defused(text)).replace("'", "") == text.replace("'", "")
    assert defused(defused(text)) == defused(text)


def test_what_is_harmless_and_every_number_stays_as_it_is() -> None:
    assert [defused(text) for text in HARMLESS] == list(HARMLESS)
    assert csv_text([[-3.5, -2, 1e-9, None, True]]) == "-3.5,-2,1e-09,,True\r\n"


def test_nobody_else_writes_csv() -> None:
    """One writer: a second one would need the same care."""
    places = [
        ROOT / "app.py",
        ROOT / "run.py",
        *(p for d in ("core", "ui", "pages") for p in (ROOT / d).rglob("*.py")),
    ]
    writes = re.compile(r"csv\.(?:writer|DictWriter)|\bto_csv\b|from csv import|import csv as")
    found = {path.relative_to(ROOT).as_posix() for path in places if writes.search(path.read_text("utf-8"))}
    assert found == {"core/csv_table.py"}
    scripts = (path for path in (ROOT / "assets").rglob("*.js"))
    assert not [path.name for path in scripts if "text/csv" in path.read_text("utf-8")]
