"""The report from the shell: one offline file, or JSON; mistakes are a sentence and a status."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from core.backends.models import log_tokenizers
from core.cost import FORMULAS
from core.extras import how_to_add
from core.traffic.samples import sample_log
from tests.usage_logs import make_session, transcript
from ui.report.__main__ import main
from ui.report.svg import line_chart
from ui.words.formula_words import OF_A_LOG
from ui.words.i18n import LANGS, Lang, t

DATA = Path(__file__).resolve().parents[3] / "data"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("log") / "rag.jsonl"
    file.write_text(sample_log("rag"), "utf-8")
    return file


def summary(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main([str(one) for one in arguments]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


class Tags(HTMLParser):
    """Which elements a page has, and everything in it that could lead elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "action")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_json_says_everything_once_per_block_size(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = summary(capsys, log, "--blocks", 8, 16, "--slots", 400, "--json")
    assert (found["broth"], found["schema"]) == ("traffic-report", 1)
    assert found["log"]["requests"] == 100
    eight, sixteen = found["runs"]
    assert (eight["settings"]["block_size"], sixteen["settings"]["block_size"]) == (8, 16)
    for run in found["runs"]:
        assert run["hit_rate"] == run["hit_tokens"] / run["prompt_tokens"] <= run["best_rate"] <= 1
        assert sum(run["reasons"].values()) == run["requests"] == 100
        assert len(run["definitions"]) == 7
        assert sum(one["num_requests"] for one in run["sources"]["session"]) <= 100
        assert all(0 <= rate <= 1 for _, rate in run["curve"]["points"])
    assert eight["best_rate"] >= sixteen["best_rate"]
    assert sixteen["savings"]["gpu_seconds"]["basis"] == "modelled"


@pytest.mark.parametrize("lang", LANGS)
def test_the_file_is_whole_and_leads_nowhere(log: Path, tmp_path: Path, lang: Lang) -> None:
    out = tmp_path / "report.html"
    assert main([str(log), "--slots", "200", "--lang", lang, "--out", str(out)]) == 0
    text = out.read_text("utf-8")
    page = Tags(text)
    assert page.open == []
    assert page.links == []
    assert "script" not in page.seen
    assert page.seen.count("svg") == 4
    assert not re.search(r"https?://|url\(|@import", text)
    assert t("traffic.cause.shuffled_documents", lang) in text
    body, _, formulas = text[text.index("<main>") :].partition("<details>")
    assert "{" not in body.replace('{"', "")
    assert all(html.escape(FORMULAS[name]) in formulas and t(name, lang) in formulas for name in OF_A_LOG)
    assert html.escape(t("traffic.read.tokens", lang, tokenizer=t("traffic.tokenizer.teaching", lang),
                         template=t("traffic.template.plain", lang))) in body  # fmt: skip
    assert f"{t('traffic.basis.size', lang, size=16)} · " in body


def test_what_a_log_says_stays_text(tmp_path: Path) -> None:
    row = {"prompt": "<img src=x onerror=y> **b** a b c d e", "tenant": "<b>", "request_id": "<script>"}
    other = row | {"tenant": "**", "prompt": "<img src=x onerror=y> **b** a b <i> d e", "request_id": "q"}
    file, out = tmp_path / "<b>.jsonl", tmp_path / "out.html"
    file.write_text(json.dumps(row) + "\n" + json.dumps(other) + "\n", "utf-8")
    assert main([str(file), "--blocks", "1", "--out", str(out)]) == 0
    page = Tags(out.read_text("utf-8"))
    assert not {"img", "i", "script"} & set(page.seen)
    assert "a b <mark>&lt;</mark>i&gt; d e" in out.read_text("utf-8")


def test_white_space_that_decides_is_seen_and_has_a_name(tmp_path: Path) -> None:
    """Two prompts that differ in a no-break space were printed alike."""
    file, out = tmp_path / "log.jsonl", tmp_path / "out.html"
    rows = [{"prompt": f"one two three{space}four five"} for space in (" ", "\u00a0")]
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert main([str(file), "--blocks", "1", "--out", str(out)]) == 0
    page = out.read_text("utf-8")
    for sign, name in (("␣", "a space"), ("⍽", "a no-break space")):
        assert f'<mark><span class="seen" role="img" aria-label="{name}">{sign}</span></mark>' in page


def test_what_no_utf_8_has_a_form_for_is_told_all_the_same(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Half of 🍜 in every text, in the JSON as it was. (The file's name cannot be such on every system.)"""
    half = "\ud83c"
    fields = ("request_id", "tenant", "session_id", "tag", "template", "model", "cache_salt")
    row = {"prompt": f"a {half} b", **dict.fromkeys(fields, half)}
    others = [row | {"prompt": f"a {half} {number}", "tenant": f"{half}{number}"} for number in range(3)]
    file, out = tmp_path / "log.jsonl", tmp_path / "out.html"
    file.write_text("".join(json.dumps(one) + "\n" for one in (row, *others)), "utf-8")
    assert main([str(file), "--blocks", "1", "--json", "--out", str(out)]) == 0
    told = json.loads(capfdbinary.readouterr().out.partition(b"\n")[2])
    assert half in {one["name"] for one in told["runs"][0]["sources"]["tenant"]}
    assert "\ufffd" in out.read_text("utf-8")


def test_the_tokenizer_is_named_and_one_that_is_not_here_is_a_sentence(
    log: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert summary(capsys, log, "--tokenizer", "teaching")["log"]["tokenizer"] == "teaching"
    monkeypatch.setattr(log_tokenizers, "has_qwen", lambda: False)
    assert main([str(log), "--tokenizer", "qwen"]) == 1
    assert how_to_add("tokens") in capsys.readouterr().err


def test_copies_bend_the_curve_and_the_report_says_by_how_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "aligned.jsonl", tmp_path / "out.html"
    rows = [{"token_ids": [place % 5 + 1] * 4 + [1, 2, 3, 4]} for place in range(40)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    curve = summary(capsys, file, "--blocks", "4")["runs"][0]["curve"]
    assert curve["exact"] is False
    off = curve["deviation"]
    assert off["largest"] == max(abs(a - b) for a, b in zip(off["curve"], off["exact"], strict=True))
    assert main([str(file), "--blocks", "4", "--out", str(out)]) == 0
    assert "Replayed exactly at" in out.read_text("utf-8")


def test_lengths_have_no_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "azure.csv"
    file.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00,10,5\n", "utf-8")
    assert summary(capsys, file)["runs"] == []
    out = tmp_path / "out.html"
    assert main([str(file), "--out", str(out)]) == 0
    assert "no hit rate" in out.read_text("utf-8")
    assert "0.0 %" not in out.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.jsonl"], "missing.jsonl cannot be read"),
        (["bad.jsonl"], "bad.jsonl, line 2 is not valid JSON"),
        (["good.jsonl", "--blocks", "0"], "The setting block_size is 0; we expected a whole number from 1"),
        (["good.jsonl", "--out", "nowhere/x.html"], "No such file or directory"),
        (["good.jsonl", "--gpus", "0"], "The number of GPUs must be a whole number"),
    ],
)
def test_mistakes_are_a_sentence(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "good.jsonl").write_text('{"prompt": "a b c"}\n', "utf-8")
    (tmp_path / "bad.jsonl").write_text('{"prompt": "a b c"}\n{broken\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
    told = capsys.readouterr()
    assert words in told.err
    assert told.out == ""


def test_json_and_file_say_what_is_not_sure_of_the_prices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model without a list price after one that has one: each has its price, and the guess is said."""
    file, out = tmp_path / "claude.jsonl", tmp_path / "report.html"
    unlisted = transcript([make_session(5, {}, name="b")], model="claude-x")
    file.write_text(transcript([make_session(20, {12: "model"})]) + unlisted, "utf-8")
    assert main([str(file), "--out", str(out)]) == 0
    capsys.readouterr()
    found = summary(capsys, file, "--json")
    models = {one["model"]: one for one in found["usage"]["bill"]["models"]}
    assert {name: (one["listed"], one["rules"]["per_million"]) for name, one in models.items()} == {
        "claude-sonnet-4-5-20250929": (True, 3.0),
        "claude-opus-4-5-20251101": (True, 5.0),
        "claude-x": (False, 3.0),
    }
    told = t("usage.prices.unlisted", "en", model="claude-x", provider="Anthropic", price="$3")
    assert told in out.read_text("utf-8")
    assert "claude-sonnet-4-5-20250929 → claude-opus-4-5-20251101" in out.read_text("utf-8")


def test_broken_lines_can_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"prompt": "a b c"}\n{broken\n', "utf-8")
    assert summary(capsys, file, "--skip-broken")["log"]["skipped_lines"] == 1


SAMPLES = sorted(file for folder in ("formats", "counters", "usage") for file in (DATA / folder).iterdir())
TWO_READINGS = (
    '{"id": "o", "traceId": "t", "type": "GENERATION", "startTime": "2026-01-02T10:00:00Z", "model": "m", '
    '"usageDetails": {"input": 17903, "input_cached_tokens": 17817, "output": 100, "total": 35820}}'
)


@pytest.mark.parametrize("lang", LANGS)
def test_every_kind_of_log_gives_a_file(tmp_path: Path, lang: Lang) -> None:
    """Text that lacks a value is only seen where that text is shown: so all of them are."""
    (tmp_path / "two.jsonl").write_text(TWO_READINGS, "utf-8")
    (tmp_path / "two_totals.jsonl").write_text(TWO_READINGS.replace(', "total": 35820', ""), "utf-8")
    for file in (*SAMPLES, *sorted(tmp_path.glob("two*"))):
        out = tmp_path / f"{file.name}.html"
        assert main([str(file), "--out", str(out), "--lang", lang]) == 0, file.name
        assert Tags(out.read_text("utf-8")).open == [], file.name


def test_a_chart_of_nothing_and_of_one_point() -> None:
    assert line_chart({}, "x") == ""
    assert "NaN" not in line_chart({"a": [(5.0, 0.5)]}, "x", log_x=True)
    wide = line_chart({"a<b": [(1.0, 0.0), (1e9, 1.0)]}, "x & y", log_x=True, marks={"<here>": 10.0})
    assert "a&lt;b" in wide
    assert "&lt;here&gt;" in wide
    assert "x &amp; y" in wide
