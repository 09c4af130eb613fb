"""Your traffic, page and session: sample, pasted text, mistakes, every view, the way to the stage."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.backends.models import log_tokenizers
from core.extras import how_to_add
from tests.app.visit import calm, choose, press, texts, visit
from ui.traffic.source import UPLOAD_MB
from ui.traffic.state import TrafficState
from ui.words.i18n import LANGS, Lang, t

ROOT = Path(__file__).resolve().parents[2]
VIEWS = ("overview", "misses", "sources", "sweeps", "compare")


def rows(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def paste(at: AppTest, text: str) -> AppTest:
    """Text into the box, as a person pastes it."""
    choose(at, "traffic_source", "paste")
    at.text_area(key="traffic_paste").set_value(text)
    return calm(at.run())


def state_of(at: AppTest) -> TrafficState:
    found: TrafficState = at.session_state["traffic"]
    return found


def metrics(at: AppTest) -> list[str]:
    return [str(metric.value) for metric in at.metric]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_of_the_sample(view: str, lang: Lang) -> None:
    at = choose(visit("traffic", lang=lang), "traffic_view", view)
    assert [error.value for error in at.error] == []
    said = texts(at)
    assert t("traffic.privacy", lang, minutes=2) in said
    assert "247" in said
    plain = [str(one.value).partition("`")[0] for one in at.markdown]  # formulas have braces of their own
    assert [one for one in plain if "{" in one] == []


def test_the_sample_in_numbers() -> None:
    at = visit("traffic", lang="en")
    assert metrics(at)[:2] == ["64.2 %", "64.2 %"]
    choose(at, "traffic_slots", 150)
    assert metrics(at)[0] < metrics(at)[1] == "64.2 %"


def test_a_sample_says_how_it_compares_with_real_logs() -> None:
    at = visit("traffic", lang="en")
    said = t("traffic.sample.stats", "en", mean="574", most="1,923", rate="64.2 %", size=16)
    assert said in texts(at)
    paste(at, rows({"prompt": "a b c d"}))
    assert "Mooncake's conversations" not in texts(at)


def test_pasted_text_is_read_and_stays_when_something_goes_wrong() -> None:
    at = paste(visit("traffic", lang="en"), rows({"prompt": "a b c d"}, {"prompt": "a b c e"}))
    assert "**pasted text**: 2 requests" in texts(at)
    choose(at, "traffic_block", 1)
    assert metrics(at)[0] == "37.5 %"
    paste(at, rows({"prompt": "a b c d"}) + "{broken\n")
    assert "line 2" in at.error[0].value
    log = state_of(at).log
    assert log is not None
    assert len(log.trace.requests) == 2
    at.checkbox(key="traffic_skip").check()
    calm(at.run())
    assert "1 broken line left out" in texts(at)
    assert at.error.len == 0


def test_a_chosen_format_overrules_what_was_recognised() -> None:
    at = paste(visit("traffic", lang="en"), "one two\nthree four\n")
    assert at.error.len == 1
    choose(at, "traffic_format", "text_lines")
    assert "2 requests" in texts(at)
    assert t("traffic.read.format", "en", format=t("trace.format.text_lines", "en")) in texts(at)


def test_lengths_have_no_hit_rate_and_never_zero() -> None:
    at = paste(
        visit("traffic", lang="en"), "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00,10,5\n"
    )
    assert at.info[0].value == t("traffic.no_rate", "en")
    assert metrics(at) == []
    assert "0.0 %" not in texts(at)


def test_reported_usage_stands_beside_ours() -> None:
    row = {
        "messages": [{"role": "user", "content": "a b c"}],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": 25},
        },
    }
    at = paste(visit("traffic", lang="en"), rows(row, row))
    assert "**25.0 %**" in texts(at)
    assert t("usage.rate.known", "en", known="2", cached="50", prompt="200") in texts(at)


def test_names_from_a_log_are_text_and_nothing_else() -> None:
    row = {
        "prompt": "a b c d e f",
        "tenant": "<script>x</script> **bold**",
        "request_id": "[x](http://y) `z`",
    }
    at = paste(visit("traffic", lang="en"), rows(row, row | {"tenant": "$x$"}))
    for view in VIEWS:
        choose(at, "traffic_view", view)
        assert "<script>" not in "".join(str(one.value).replace("\\<script", "") for one in at.markdown)


def test_uploads_belong_to_one_session() -> None:
    mine = paste(visit("traffic", lang="en"), rows({"prompt": "secret words of mine"}))
    assert "1 request" in texts(mine)
    other = visit("traffic", lang="en")
    assert "247 requests" in texts(other)
    assert "secret" not in str(state_of(other).computed)


def test_an_example_of_a_cause_opens_on_the_stage() -> None:
    """What the button does, short of leaving for the other page: the moment stands in the session."""
    at = choose(visit("traffic", lang="en"), "traffic_view", "misses")
    example = next(one for one in at.button if (one.key or "").startswith("cause_"))
    example.click()
    at.run()  # the page to go to is not registered here, so the switch itself fails
    moment = at.session_state["moment"]
    assert moment.origin == "traffic"
    assert at.session_state["go"][1] == moment.step > 0
    assert moment.note.startswith("Made small for the stage: ")
    assert "{" not in moment.note
    assert state_of(at).picked is not None


def test_a_link_keeps_working() -> None:
    assert t("traffic.title", "zh") in [str(one.value) for one in visit("traffic", lang="zh").header]


def test_the_link_keeps_every_setting_and_not_the_log() -> None:
    at = visit("traffic", lang="en", yk="rag", ya="32~200~", yv="sweeps", ym="chatml", yt="teaching")
    assert at.warning.len == 0
    assert at.selectbox(key="traffic_block").value == 32
    assert at.number_input(key="traffic_slots").value == 200
    assert at.selectbox(key="traffic_template").value == "chatml"
    assert "100 requests" in texts(at)
    assert at.button_group(key="traffic_view").value in ("sweeps", ["sweeps"])
    choose(at, "traffic_slots", 300)
    choose(at, "traffic_view", "compare")
    choose(at, "traffic_slots_b", 250)
    query = link_of(at)
    again = visit("traffic", **query)
    assert again.number_input(key="traffic_slots").value == 300
    assert again.number_input(key="traffic_slots_b").value == 250
    assert metrics_of_table(again) == metrics_of_table(at)
    assert t("traffic.link.kept", "en") in texts(again)


def link_of(at: AppTest) -> dict[str, str]:
    """What the address bar holds."""
    values = {name: at.query_params[name] for name in at.query_params}
    return {name: value if isinstance(value, str) else value[-1] for name, value in values.items()}


def metrics_of_table(at: AppTest) -> list[str]:
    return [str(one.value.to_dict()) for one in at.dataframe]


def test_what_a_log_holds_never_enters_the_link() -> None:
    at = paste(visit("traffic", lang="en"), rows({"prompt": "secret words of mine"}))
    query = link_of(at)
    assert "secret" not in str(query)
    again = visit("traffic", **query)
    assert "secret" not in texts(again)
    assert t("traffic.paste.empty", "en") in texts(again)


def test_another_log_begins_with_its_own_settings_and_another_reading_does_not() -> None:
    at = visit("traffic", lang="en", ya="~150~")
    assert at.number_input(key="traffic_slots").value == 150
    choose(at, "traffic_template", "llama3")
    assert at.number_input(key="traffic_slots").value == 150
    choose(at, "traffic_sample", "rag")
    assert at.number_input(key="traffic_slots").value is None


def test_the_tokenizer_stands_above_every_view_and_a_missing_one_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("core.backends.models.log_tokenizers", "ui.traffic.tokenizers"):
        monkeypatch.setattr(f"{module}.has_qwen", lambda: False)
    at = visit("traffic", lang="en", yt="qwen")
    name, used = t("traffic.tokenizer.qwen", "en"), t("traffic.tokenizer.teaching", "en")
    assert at.warning[0].value == t("traffic.tokenizer.not_here", "en", name=name, used=used)
    assert how_to_add("tokens") in texts(at)
    basis = t("traffic.read.tokens", "en", tokenizer=used, template=t("traffic.template.plain", "en"))
    for view in VIEWS:
        choose(at, "traffic_view", view)
        assert any(str(one.value).startswith(basis) for one in at.caption), view
    choose(at, "traffic_template", "chatml")
    assert t("traffic.template.chatml", "en") in texts(at)


class Letters:
    """A tokenizer of another server: a token is a letter."""

    def encode(self, text: str) -> list[int]:
        return [ord(letter) for letter in text]

    def pieces(self, text: str) -> list[str]:
        return list(text)


def test_another_tokenizer_counts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_tokenizers, "has_qwen", lambda: True)
    monkeypatch.setattr(log_tokenizers, "_qwen", Letters)
    at = paste(visit("traffic", lang="en"), rows({"prompt": "broth and"}, {"prompt": "broth or"}))
    assert "2 requests, 17 prompt tokens" in texts(at)  # a real one by itself where there is one
    choose(at, "traffic_tokenizer", "teaching")
    assert "2 requests, 4 prompt tokens" in texts(at)
    choose(at, "traffic_tokenizer", "auto")
    assert "2 requests, 17 prompt tokens" in texts(at)
    choose(at, "traffic_block", 1)
    assert metrics(at)[0] == "35.3 %"
    assert t("traffic.tokenizer.qwen", "en") in texts(at)


def test_work_that_was_stopped_does_not_begin_again_by_itself() -> None:
    at = visit("traffic", lang="en")
    log = state_of(at).log
    assert log is not None
    choose(at, "traffic_view", "sweeps")
    key = next(one for one in state_of(at).computed if one[0] == "orders")
    del state_of(at).computed[key]
    state_of(at).stopped.add(key)
    calm(at.run())
    assert t("traffic.stopped", "en") in texts(at)
    assert key not in state_of(at).computed
    press(at, "begin_")
    assert key in state_of(at).computed
    assert t("traffic.stopped", "en") not in texts(at)


def test_the_curve_says_how_far_it_is_off() -> None:
    aligned = [{"token_ids": [place % 5 + 1] * 4 + [1, 2, 3, 4]} for place in range(40)]
    at = paste(visit("traffic", lang="en", ya="4~~"), rows(*aligned))
    choose(at, "traffic_block", 4)
    assert "Replayed exactly at" in texts(at)
    assert "diamonds" in texts(at)


@pytest.mark.parametrize("lang", LANGS)
def test_the_words_say_how_much_is_enough(lang: Lang) -> None:
    at = paste(visit("traffic", lang=lang, ya="4~~"), rows(*[{"token_ids": [1] * 8 + [2] * 8 + [3]}] * 4))
    choose(at, "traffic_block", 4)
    assert t("traffic.curve.enough", lang, n="5") in texts(at)


@pytest.mark.parametrize("lang", LANGS)
def test_two_times_to_live_side_by_side(lang: Lang) -> None:
    """Every four minutes the same prompt: with five minutes it hits always, or every other time."""
    log = [{"token_ids": [1, 2, 3, 4, 5], "timestamp": 240 * place} for place in range(5)]
    at = choose(paste(visit("traffic", lang=lang, ya="4~~"), rows(*log)), "traffic_view", "sweeps")
    choose(at, "traffic_block", 4)
    assert t(
        "traffic.ttl.both",
        lang,
        ttl="300",
        idle=t("unit.percent", lang, n="64.0"),
        absolute=t("unit.percent", lang, n="32.0"),
    ) in texts(at)


def test_what_can_be_uploaded_is_what_the_server_takes() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["server"]["maxUploadSize"] == UPLOAD_MB == 200


def test_a_folder_offers_its_files_and_nobody_types_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "day.jsonl").write_text(rows({"prompt": "a b c"}, {"prompt": "a b d"}), "utf-8")
    (tmp_path / "inside").mkdir()
    (tmp_path / "out.jsonl").symlink_to(__file__)
    monkeypatch.setenv("BROTH_LOGS", str(tmp_path))
    at = choose(visit("traffic", lang="en"), "traffic_source", "folder")
    assert at.selectbox(key="traffic_folder").options == ["day.jsonl"]
    assert "2 requests" in texts(at)
    assert str(tmp_path) not in texts(at)
    assert at.query_params["ys"] in ("folder", ["folder"])


@pytest.mark.parametrize("lang", LANGS)
def test_a_broken_prefix_is_no_dead_end(lang: Lang) -> None:
    """A rate of nothing stood there with "nothing comes again", while a repair gives nearly all."""
    rules = "Rules follow, one by one and word by word. " * 20
    log = [{"prompt": f"Today is 2026-05-{day:02d}. {rules}"} for day in range(1, 9)]
    at = paste(visit("traffic", lang=lang), rows(*log))
    assert metrics(at)[0] == t("unit.percent", lang, n="0.0")
    assert metrics(at)[-1] == t("traffic.verdict.repaired", lang)
    assert t("traffic.cause.changing_text", lang) in texts(at)
    assert t("traffic.spread.rates.same", lang, r50=t("unit.percent", lang, n="0.0")) in texts(at)
    assert len(at.get("plotly_chart")) == 0, "a single size is no curve"
    press(at, "traffic_finding_look")
    assert t("traffic.causes", lang) in texts(at)


def test_where_nothing_can_be_repaired_the_verdict_stays() -> None:
    at = paste(visit("traffic", lang="en"), rows({"token_ids": list(range(40))}, {"token_ids": [99] * 40}))
    assert metrics(at)[-1] == t("traffic.verdict.never", "en")


def test_what_changes_the_numbers_is_never_folded() -> None:
    """The note of contradictory usage stood behind a click."""
    counts = {"completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 500}}
    talk = {"messages": [{"role": "user", "content": "a b c"}]}
    good, bad = (talk | {"usage": counts | {"prompt_tokens": number}} for number in (1000, 128))
    at = paste(visit("traffic", lang="en"), rows(*[good] * 99, bad))
    assert t("trace.note.contradictory", "en", count=1) in [one.value.replace("\\", "") for one in at.warning]
