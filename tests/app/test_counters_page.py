"""An engine's own figures on the page: the rate of the run first, its basis, what cannot be known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.traces.door.read import read_trace
from core.traffic.meters.summary import counters_summary
from tests.app.test_traffic import paste
from tests.app.visit import choose, texts, visit
from ui.report.__main__ import main
from ui.words.i18n import LANGS, Lang, t
from ui.words.numbers import percent

COUNTERS = Path(__file__).resolve().parents[1] / "data" / "counters"


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("path", sorted(COUNTERS.iterdir()), ids=lambda path: path.name)
def test_the_page_says_the_numbers_of_the_shell(
    path: Path, lang: Lang, capsys: pytest.CaptureFixture[str]
) -> None:
    at = paste(visit("traffic", lang=lang), path.read_text("utf-8"))
    assert main([str(path), "--json"]) == 0
    counters = json.loads(capsys.readouterr().out)["log"]["counters"]
    page = texts(at)
    assert f"{t('traffic.counters', lang)} · {t('basis.reported.engine', lang)}" in page
    assert at.info.len == 0, "nothing is said about prompts: there are none"
    for field in ("local_rate", "any_rate"):
        rate = counters["fleet"][field]
        assert rate is None or t("unit.percent", lang, n=percent(rate, 2)) in page
    shown = at.dataframe[0].value
    rates = [one["local_rate"] for one in counters["engines"] if one["local_rate"] is not None]
    if rates:
        column = shown[t("traffic.counters.column.local", lang)]
        assert list(column)[: len(rates)] == [t("unit.percent", lang, n=percent(rate, 2)) for rate in rates]


def test_a_chart_of_one_engine_or_of_all() -> None:
    lines = [
        f'vllm:prefix_cache_{name}{{e="{e}"}} {value * k * k}'
        for k in range(1, 5)
        for e in "ab"
        for name, value in (("queries", 9), ("hits", 4))
    ]
    at = paste(visit("traffic", lang="en"), "\n".join(lines))
    assert len(at.get("plotly_chart")) == 1
    choose(at, "traffic_counters_engine", 2)
    assert len(at.get("plotly_chart")) == 1


def test_a_log_with_requests_and_batches_shows_both() -> None:
    batch = "[2030-01-01 00:00:00 TP0] Prefill batch. #new-seq: 1, #new-token: 3, #cached-token: 1, x\n"
    finish = "[2030-01-01 00:00:01] Finish: obj=GenerateReqInput(rid='a', input_ids=[1, 2, 3]), out={}\n"
    trace = read_trace(COUNTERS / "l12-sglang-server.log")
    assert counters_summary(trace) is not None
    at = paste(visit("traffic", lang="en"), batch + finish)
    assert "1 request" in texts(at)
    assert "**25.00 %**" in texts(at)
