"""The two string tables say the same things, and what `ui.words.i18n` makes of them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from core.errors import BrothError, ConfigError, RequestError
from core.types import EngineConfig, Request, config_field_names
from tests.strategies import any_texts
from ui.words.i18n import (
    LANGS,
    Lang,
    TextError,
    error_text,
    fill,
    languages,
    placeholders,
    resolve_mode,
    stage_texts,
    t,
    table,
    texts,
)
from ui.words.visible import visible_text

ROOT = Path(__file__).resolve().parents[4]
EN, ZH = table("en"), table("zh")
KEYS = list(EN)

CAPTIONS = [  # in the order of the tables
    "arrive", "arrive.next", "cut", "hash.first", "hash.next", "hash.last", "probe", "match",
    "miss.never_seen", "miss.chain_broken", "miss.evicted", "miss.evicted_before", "miss.evicted_by",
    "miss.not_admitted",
    "miss.salt", "miss.version", "miss.extras", "miss.collision", "collision",
    "plan.last_token", "plan.not_full", "plan.none", "wait", "reject", "touch.free", "touch.held",
    "evict.reused", "evict.cap", "evict.forced", "ttl", "alloc", "alloc.first", "register", "dup",
    "notstored.sightings", "notstored.cap", "compute.full", "compute.first", "compute.alone", "compute.part",
    "compute.answer", "append", "full", "full.last",
    "free.front", "free.known", "free.gone", "free.back", "free.dirty", "free.held",
    "done.finished", "done.aborted",
    "preempt", "resume", "tick", "reset.ok", "reset.refused", "version",
    "policy.cache_cap", "policy.cache_cap.none", "policy.admit_after", "policy.admit_window",
    "policy.admit_window.none", "policy.ttl", "policy.ttl.none", "policy.ttl_kind.idle",
    "policy.ttl_kind.absolute",
    "chain.begin", "chain.grow", "chain.branch", "chain.late",
    "register.told", "dup.told", "evict.told", "evict.unseen", "reset.told",
    "beat.arrive", "beat.arrive.even", "beat.hash", "beat.match.two", "beat.match", "beat.touch.held",
    "beat.touch.free", "beat.alloc.tags", "beat.alloc.first", "beat.alloc", "beat.alloc.one",
    "beat.evict", "beat.evict.some", "beat.register", "beat.compute", "beat.compute.pair",
    "beat.compute.mixed", "beat.compute.several", "beat.append", "beat.append.full", "beat.append.last",
    "beat.append.several", "beat.append.several.last", "beat.free", "beat.done.back", "beat.done.held",
    "beat.done.front", "beat.done.one", "beat.ttl", "beat.evict.cap",
]  # fmt: skip
CAPTION_KEYS = [f"cap.{name}.{part}" for name in CAPTIONS for part in ("what", "why", "noodle")]

LARGE_ARGS = {
    "req": "R12", "slot": 24, "other": 23, "tag": "5ae6", "parent": "9049", "block": 12, "n": 128, "size": 16,
    "full": 12, "rest": 15, "token": 129, "near": 15, "step": 148, "version": "v2", "reused": 12, "hit": 192,
    "need": 12, "free": 11, "ref": 10, "ttl": 300, "fill": 12, "threshold": 10, "word": "noodles",
    "writer": "R11", "clock": 1480, "value": 120, "at": "105.6",
    "batch": 1280, "answer": 12, "hits": 12, "tag2": "98ce", "slot2": 23,
    "reqs": ["R10", "R11", "…", "R19"], "slots": [21, 22, "…", 24], "gone": [21, 22, "…", 24], "refs": [10],
    "held": [22, 21], "front": [24], "tags": ["5ae6", "98ce", "…", "6e13"],
}  # fmt: skip
"""Every argument a caption may use, about as wide as it gets on the stage."""

_LISTS = {"fields": ["a", "b"], "files": ["a", "b"]} | {
    name: value for name, value in LARGE_ARGS.items() if isinstance(value, list)
}

MAX_CHARS = {"en": 95, "zh": 48}
MAX_CAPTION = {"en": 66, "zh": 31}  # the first line of a caption: it is large
MAX_SENTENCE = {"en": 18, "zh": 32}  # words; characters, where a number or a Latin word counts as one
_KV_EVENTS = re.compile(r"^cap\.chain\.|\.told\.|\.unseen\.")  # what is drawn from events alone says more
_PLURAL = re.compile(r"\{\w+:([^{}|]*)\|([^{}|]*)\}")


def sentence_lengths(text: str, lang: Lang) -> Iterator[int]:
    for sentence in re.split(r"(?<=[.?!;:])\s+|[。？！；：]", text):
        if lang == "en":
            yield len(sentence.split())
        else:
            yield len(re.sub(r"[A-Za-z0-9#./]+", "x", sentence).replace(" ", ""))


def width(text: str, lang: Lang) -> float:
    """In characters of the language: among Chinese ones a Latin letter is half as wide."""
    return sum(0.5 if lang == "zh" and letter.isascii() else 1 for letter in text)


def test_both_tables_have_the_same_keys_in_the_same_order() -> None:
    assert list(ZH) == KEYS


def test_both_languages_take_the_same_arguments() -> None:
    assert [key for key in KEYS if placeholders(EN[key]) != placeholders(ZH[key])] == []
    assert [key for key in KEYS if EN[key].count("**") != ZH[key].count("**")] == []


@pytest.mark.parametrize("lang", LANGS)
def test_templates_are_well_formed(lang: Lang) -> None:
    for key, template in table(lang).items():
        assert template == template.strip() or key.startswith("stage.code.") or key.endswith(".example"), key
        assert template or key.endswith((".why", ".noodle")), f"{key} may not be empty"
        filled = fill(template, dict.fromkeys(placeholders(template), 2) | _LISTS)
        assert not set(filled) & set("{}"), (key, filled)
        assert filled.count("**") % 2 == 0, key


def test_plural_forms() -> None:
    assert [key for key in KEYS if _PLURAL.search(ZH[key])] == [], "Chinese has no plural forms"
    for key in KEYS:
        for one, many in _PLURAL.findall(EN[key]):
            assert one, key
            assert many, key
            assert one != many, key


@pytest.mark.parametrize("lang", LANGS)
def test_there_is_a_caption_for_every_event(lang: Lang) -> None:
    assert [key for key in table(lang) if key.startswith("cap.")] == CAPTION_KEYS


@pytest.mark.parametrize("lang", LANGS)
def test_captions_are_short(lang: Lang) -> None:
    for key in CAPTION_KEYS:
        caption = t(key, lang, **LARGE_ARGS).replace("**", "")
        most = MAX_CAPTION if key.endswith(".what") and not _KV_EVENTS.search(key) else MAX_CHARS
        assert width(caption, lang) <= most[lang], (key, width(caption, lang), caption)
        assert max(sentence_lengths(caption, lang)) <= MAX_SENTENCE[lang], (key, caption)


@pytest.mark.parametrize("lang", LANGS)
def test_scenario_texts_are_short(lang: Lang) -> None:
    for key, text in table(lang).items():
        if key.startswith("scenario."):
            budget = {"title": 0.4, "question": 1, "story": 2}[key.rsplit(".", 1)[1]]
            assert len(text) <= budget * MAX_CHARS[lang], (key, text)
            assert max(sentence_lengths(text, lang)) <= MAX_SENTENCE[lang], (key, text)


# -- errors -------------------------------------------------------------------------------------------


def error_codes() -> set[str]:
    """The code of every error that core and ui raise by name; the command line speaks English."""
    codes = set()
    paths = [path for part in ("core", "ui") for path in (ROOT / part).rglob("*.py")]
    for path in paths:
        if "conformance" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and re.search("[Ee]rror$|^_refuse", ast.unparse(node.func)):
                texts = [one.value for one in node.args[:2] if isinstance(one, ast.Constant)]
                codes |= {text for text in texts if re.fullmatch(r"[a-z]+\.\w+", str(text))}
    codes |= {f"{prefix}.{code}" for prefix in ("scenario", "trace") for code in ("value", "missing")}
    return codes | {f"config.{name}" for name in config_field_names()}


def test_every_error_has_its_sentence() -> None:
    codes = error_codes()
    assert {"request.too_large", "scenario.op", "log.schema", "config.ttl"} <= codes
    assert {code for code in codes if f"error.{code}" not in EN} == set()


@pytest.mark.parametrize("name", config_field_names())
def test_a_refused_setting_is_told_in_both_languages(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        EngineConfig(**{name: -1 if name != "version" else 5})  # type: ignore[arg-type]
    for lang in LANGS:
        assert error_text(caught.value, lang) == t(f"error.config.{name}", lang, **caught.value.values)


def test_an_error_is_told_in_the_readers_language() -> None:
    with pytest.raises(RequestError) as caught:
        Request("R7", ())
    assert error_text(caught.value, "zh") == "请求 R7 是空的，至少写一个字。"


def test_an_error_without_a_sentence_speaks_for_itself() -> None:
    assert (
        error_text(BrothError("nobody.knows", "Something broke; try again."), "zh")
        == "Something broke; try again."
    )
    short_of_values = RequestError("request.empty", "An empty prompt.")
    assert error_text(short_of_values, "zh") == "An empty prompt."


# -- filling ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "args", "text"),
    [
        ("{n} {n:token|tokens}", {"n": 1}, "1 token"),
        ("{n} {n:token|tokens}", {"n": 0}, "0 tokens"),
        ("{free} {free:is|are} free", {"free": 2}, "2 are free"),
        ("{slot} and {tag}", {"slot": 5, "tag": "5ae6", "unused": 1}, "#5 and 5ae6"),
        ("{slots*, } of {reqs*、}", {"slots": [1, "…", 7], "reqs": ["R0"]}, "#1, …, #7 of R0"),
        ("{slots} slots, {held} held", {"slots": 5, "held": 2}, "5 slots, 2 held"),
        ("**{req}** {word}", {"req": "R0", "word": "{n} **x**"}, "**R0** “{n} **x**”"),
    ],
)
def test_fill(template: str, args: dict[str, object], text: str) -> None:
    assert fill(template, args) == text


@given(any_texts)
def test_what_a_person_typed_is_never_read_as_a_template(word: str) -> None:
    assert fill("{word}", {"word": word}) == f"“{visible_text(word)}”"
    assert fill("“{tag}”", {"tag": word}) == f"“{word}”"


def test_a_missing_argument_is_our_error() -> None:
    with pytest.raises(TextError) as caught:
        t("cap.arrive.what", "en", req="R0")
    assert caught.value.code == "text.missing_argument"
    assert caught.value.values == {"key": "cap.arrive.what", "name": "n"}


def test_an_unknown_key_is_our_error() -> None:
    with pytest.raises(TextError) as caught:
        t("cap.nothing", "zh")
    assert caught.value.code == "text.unknown_key"


# -- tables and languages -----------------------------------------------------------------------------


def test_the_stage_gets_its_texts_and_no_others() -> None:
    travelling = stage_texts()
    assert travelling["en"].keys() == travelling["zh"].keys()
    assert set(CAPTION_KEYS) <= travelling["en"].keys()
    assert all(key.startswith(("stage.", "cap.")) for key in travelling["en"])
    assert json.loads(json.dumps(travelling)) == travelling
    travelling["en"].clear()
    assert stage_texts()["en"], "callers get their own copy"


def test_texts_by_prefix() -> None:
    assert texts(["lang."])["zh"] == {key: ZH[key] for key in KEYS if key.startswith("lang.")}


def test_tables_are_read_only() -> None:
    with pytest.raises(TypeError):
        EN["app.title"] = "changed"  # type: ignore[index]


@pytest.mark.parametrize(
    ("query", "locale", "mode"),
    [
        ("zh", "en-US", "zh"),
        ("en", "zh-CN", "en"),
        ("both", None, "both"),
        (None, "zh-TW", "zh"),
        (None, "zh_CN", "zh"),
        ("klingon", "ZH", "zh"),
        ("", "de-DE", "en"),
        (None, "zhx", "en"),
        (None, None, "en"),
    ],
)
def test_which_language(query: str | None, locale: str | None, mode: str) -> None:
    assert resolve_mode(query, locale) == mode


def test_languages_of_a_mode() -> None:
    assert [languages("en"), languages("zh"), languages("both")] == [("en",), ("zh",), ("zh", "en")]


RATES = {
    "en": re.compile(r"^hit rate$", re.IGNORECASE),
    "zh": re.compile("^命中率$"),
}


@pytest.mark.parametrize("lang", LANGS)
def test_a_hit_rate_says_of_what(lang: Lang) -> None:
    """Of blocks, of requests, of tokens: a bare "hit rate" may be any of six (chapter 11)."""
    assert [key for key, text in table(lang).items() if RATES[lang].match(text)] == []
