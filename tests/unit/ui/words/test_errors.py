"""What an error knows reaches who reads it: every value it carries, in both languages, and what to do.

The code is read, not run: each place that makes an error says which values it gives. A new error, or a new
phrase for what was expected, that is not in the tables fails here and is named.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.errors import BrothError, TraceError
from core.traces import problems
from ui.words.i18n import LANGS, Lang, error_text, placeholders, table
from ui.words.phrases import pattern_of, phrases, translated

ROOT = Path(__file__).resolve().parents[4]
CODE = re.compile(r"[a-z_]+\.[a-z_0-9]+")
WHERE = {"file", "line"}
UNSAID = {
    ("cost.num_gpus", "field"): "the sentence is about that field alone",
    ("load.pool", "max"): "a form offers it as a value, a sentence needs the room alone",
    ("request.id", "request_id"): "the name that is missing",
    ("text.unknown_key", "lang"): "our own mistake, for whoever mends it",
}
LATER = {"scenario.op": {"command"}, "scenario.missing": {"command"}, "scenario.field": {"command"}}
"""Added by whoever passes the error on."""
STRICT = ("core/traces", "core/traffic", "core/replay", "core/timeline", "core/scenario", "core/load")
"""Where what was expected is told in both languages."""
SKIPPED = ("core/conformance", "core/demo", "core/backends")
"""Programs that speak English; models have their causes in a table of their own."""


@dataclass(frozen=True)
class Made:
    """One place that makes an error."""

    where: str
    code: str
    values: frozenset[str]
    placed: bool


def modules(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(SKIPPED):
                yield name, ast.parse(path.read_text("utf-8"))


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield name, node


def made_errors() -> Iterator[Made]:
    """`SomethingError("code", message, values…)` and `place.error("code", message, values…)`."""
    for name, tree in modules("core", "ui", "pages"):
        for function, call in calls(tree):
            first = call.args[0]
            if not (function.endswith("Error") or function == "error") or not isinstance(first, ast.Constant):
                continue
            if isinstance(first.value, str) and CODE.fullmatch(first.value):
                values = frozenset(keyword.arg or "" for keyword in call.keywords)
                yield Made(f"{name}:{call.lineno}", first.value, values, function == "error")


MADE = list(made_errors())


def test_the_code_is_read() -> None:
    assert len(MADE) > 70
    codes = {one.code for one in MADE}
    assert {"trace.json", "request.unknown", "log.late", "own.empty", "fork.prompt"} <= codes


@pytest.mark.parametrize("lang", LANGS)
def test_every_error_has_a_sentence_with_every_value_it_carries(lang: Lang) -> None:
    wrong = []
    for one in MADE:
        sentence = table(lang).get(f"error.{one.code}")
        if sentence is None:
            wrong.append(f"{one.where}: no error.{one.code}")
            continue
        shown = set(placeholders(sentence))
        given = set(one.values) | LATER.get(one.code, set()) | (WHERE if one.placed else set())
        if "where" in shown:
            shown |= WHERE | LATER.get(one.code, set())
            given |= WHERE | {"where"} | LATER.get(one.code, set())
        lost = {name for name in one.values - shown if (one.code, name) not in UNSAID}
        if lost or shown - given:
            wrong.append(f"{one.where}: {one.code} loses {sorted(lost)}, lacks {sorted(shown - given)}")
    assert wrong == []


def test_what_need_not_be_said_is_still_carried() -> None:
    carried = {(one.code, name) for one in MADE for name in one.values}
    assert set(UNSAID) - carried == set()


# -- what was expected -------------------------------------------------------------------------------------

SAYS = {
    "wrong": (1, 2),
    "missing": (1,),
    "bad_option": (2,),
    "not_json": (1,),
    "not_csv": (1,),
    "not_text": (1,),
    "empty": (1,),
    "unreadable": (1,),
    "_bad": (2, 3),
    "_bad_config": (1,),
    "_error": (3,),
}
"""Functions by the places of their arguments that are such phrases."""


def texts_in(node: ast.expr) -> Iterator[str]:
    """The texts an expression can be, with ¤ for what is filled in; a joined list is one hole."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "¤"
            for part in node.values
        )
    elif isinstance(node, ast.IfExp):
        yield from texts_in(node.body)
        yield from texts_in(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from texts_in(value)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        behind = list(texts_in(node.right)) or ["¤"]
        yield from (left + right for left in texts_in(node.left) for right in behind)


def said_phrases() -> Iterator[tuple[str, str]]:
    for name, tree in modules(*STRICT):
        for function, call in calls(tree):
            for place in SAYS.get(function, ()):
                if place < len(call.args):
                    for text in texts_in(call.args[place]):
                        yield f"{name}:{call.lineno}", text


def is_known(text: str) -> bool:
    """Whether a phrase of the table has this form; nothing but holes, or no letters, needs none."""
    if not re.search("[a-z]{2}", text.replace("¤", "")) or text.isidentifier():
        return True
    return any(pattern_of(one).fullmatch(text) for _, one in phrases(table("en")))


def test_what_was_expected_is_a_phrase_of_the_tables() -> None:
    """Add what is named here as `phrase.<name>` to both tables, holes where something is filled in."""
    said = set(said_phrases())
    assert len(said) > 60
    assert sorted(one for one in said if not is_known(one[1])) == []


def test_the_two_languages_differ_in_every_phrase() -> None:
    english, chinese = table("en"), table("zh")
    same = {key for key, text in phrases(english) if chinese[key] == text}
    assert same <= {"phrase.name_path"}
    for key, text in phrases(english):
        if not placeholders(text):
            assert translated(text, english, chinese) == chinese[key]


# -- what a person reads -----------------------------------------------------------------------------------


def test_a_wrong_value_says_what_was_expected_in_both_languages() -> None:
    error = problems.Place("log.jsonl", 3).wrong("messages[0].content", "a text or a list of parts", [1, 2])
    assert error_text(error, "en").startswith(
        "log.jsonl, line 3: messages[0].content is a list of 2; we expected a text or a list of parts."
    )
    assert error_text(error, "zh").startswith(
        "log.jsonl 第 3 行：messages[0].content 是 2 项的列表，应为文本，或由几部分组成的列表。"
    )


def test_a_place_without_a_line_is_told_without_one() -> None:
    error = problems.Place("log.jsonl").wrong("x", "one of a, b", 3)
    assert error_text(error, "zh").startswith("log.jsonl 这个文件：x 是 3，应为其中之一：a, b。")
    assert error_text(error, "en").startswith("log.jsonl: x is 3; we expected one of a, b.")


def test_the_reason_of_broken_json_is_told() -> None:
    error = problems.not_json(problems.Place("l", 2), "Expecting ',' delimiter: line 1 column 9 (char 8)")
    assert "Expecting ',' delimiter: line 1 column 9" in error_text(error, "en")
    assert "这里应有逗号（第 1 行第 9 列，第 8 个字符）" in error_text(error, "zh")


def test_what_stood_in_the_file_is_not_translated() -> None:
    error = problems.Place("l", 2).wrong("x", "a number", "a text")
    assert "x 是 a text，应为数" in error_text(error, "zh")


@pytest.mark.parametrize("group", ["load", "model", "gpu"])
def test_settings_of_a_kind_share_a_sentence(group: str) -> None:
    error = BrothError(f"{group}.brand_new", "…", field="rate", value="-1", expected="a number from 1 to 9")
    assert "从 1 到 9 的数" in error_text(error, "zh")


@pytest.mark.parametrize("lang", LANGS)
def test_every_sentence_about_a_log_ends_with_what_to_do(lang: Lang) -> None:
    """A sentence behind the first one, or a semicolon: what is wrong, then the remedy."""
    ends = {"en": r"[.:;?] \S.*[.”]$", "zh": r"[。：；，].*[。”]$"}[lang]
    about = ("error.trace.", "error.log.", "error.traffic.")
    known = {"error.trace.id": "says what it must be", "error.trace.too_long": ""}
    short = [
        key
        for key, text in table(lang).items()
        if key.startswith(about) and key not in known and not re.search(ends, text)
    ]
    assert short == []


def test_an_error_of_a_reader_keeps_its_english_words_for_programs() -> None:
    assert isinstance(problems.empty("f", "nothing was found"), TraceError)
    assert problems.empty("f", "nothing was found").values == {"file": "f", "reason": "nothing was found"}
