"""A recorded stream of KV events: uploaded on Your traffic, played on Execute, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.visit import calm, choose, payload, press, texts, visit
from ui.words.i18n import LANGS, Lang, stage_texts, t

FORMATS = Path(__file__).resolve().parents[1] / "data" / "formats"
CAPTURED = (FORMATS / "kv_events_vllm.jsonl").read_bytes()
ONE_SERVER = b"\n".join(CAPTURED.splitlines()[5:])


def upload(lang: Lang, data: bytes) -> AppTest:
    at = choose(visit("traffic", lang=lang), "traffic_source", "upload")
    at.file_uploader(key="traffic_upload").set_value([("stream.jsonl", data, "application/json")])
    return calm(at.run())


def play(at: AppTest) -> AppTest:
    """Press the button and stand on the page it leads to; this frame cannot switch by itself."""
    next(button for button in at.button if button.key == "traffic_events_open").click()
    at.run()
    at.session_state["visited"] = "execute"
    return calm(at.run())


@pytest.mark.parametrize("lang", LANGS)
def test_an_uploaded_stream_plays_on_the_stage(lang: Lang) -> None:
    at = upload(lang, CAPTURED)
    assert at.info[0].value == t("traffic.events.told", lang)
    assert t("trace.format.kv_events", lang) in texts(at)
    assert [metric.value for metric in at.metric] == ["19", "5", "7", "10"]
    assert t("traffic.no_rate", lang) not in texts(at) + at.info[0].value
    play(at)
    data = payload(at)
    log = data["a"]
    assert log["meta"]["told"] == "kv_events"
    title = t("traffic.events.title", lang, name="stream.jsonl", first=1, last=7, n=7)
    assert log["meta"]["title"] == title
    assert [step["op"] for step in log["events"]][:5] == ["chain", *["register"] * 4]
    assert {"inspect", "tables", "fork", "code"} <= set(data["flags"]["hide"])
    for zone in "DEF":
        assert stage_texts()[lang][f"stage.untold.{zone}"]
    said = texts(at)
    assert t("traffic.events.note", lang) in said
    assert t("traffic.events.left_out", lang, n=5) in said
    assert {button.label for button in at.button} >= {t("traffic.back", lang), t("traffic.leave", lang)}


def test_every_caption_has_its_words_and_its_arguments() -> None:
    at = play(upload("en", CAPTURED + b"\n" + CAPTURED))
    for step in payload(at)["a"]["events"]:
        for lang in LANGS:
            for part in ("what", "why"):
                assert t(f"cap.{step['cap']}.{part}", lang, **step["args"])


def test_a_stream_can_be_played_from_a_later_batch() -> None:
    at = upload("en", ONE_SERVER)
    choose(at, "traffic_events_first", 2)
    log = payload(play(at))["a"]
    assert log["events"][0]["args"]["batch"] == 2
    assert log["meta"]["slots"] == len(log["init"]["slots"]) == 3
    assert [slot["hash"] is not None for slot in log["init"]["slots"].values()] == [True, True, False]


def test_a_broken_stream_is_told_and_leaving_brings_the_example_back() -> None:
    at = upload("en", ONE_SERVER + b'\n{"seq": 1, "decoded": [1, [{"type": "BlockMelted"}], 0]}')
    assert "line 3" in at.error[0].value
    at = play(upload("en", ONE_SERVER))
    press(at, "moment_leave")
    assert "told" not in payload(at)["a"]["meta"]
