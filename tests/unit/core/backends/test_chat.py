"""Chatting with a model: shared prefixes hit, answers do not depend on the cache, a stop breaks nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from core.backends.decoders.loader import Model, ModelLoader
from core.backends.experiments.astray import answers_astray
from core.backends.experiments.break_reports import Story, texts_astray
from core.backends.experiments.chat import Chat
from core.backends.experiments.generate import generate
from core.backends.experiments.report import Report
from core.backends.models.sources import HOW_TO_ADD_MODEL, ModelSource, small_model_path
from core.backends.plan import Plan
from core.errors import BackendError
from tests.unit.core.backends.files import TOKENS, gguf_bytes, gguf_metadata, gguf_tensors, tokenizer_metadata
from tests.unit.core.backends.tiny import TINY, backend_of, weights_of

SYSTEM = "Every bowl of noodles comes with the broth of the day, and nobody waits for it."
needs_model = pytest.mark.skipif(
    small_model_path() is None,
    reason=f"no model is installed: {HOW_TO_ADD_MODEL}",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A random model that reads text: its answers are noise, but always the same noise."""
    spec = replace(TINY, vocab_size=len(TOKENS), folds_tokens=False, max_positions=400)
    path = tmp_path_factory.mktemp("model") / "m.gguf"
    metadata = {**gguf_metadata(spec), **tokenizer_metadata()}
    path.write_bytes(gguf_bytes(metadata, gguf_tensors(spec, weights_of(spec))))
    return ModelLoader().load(ModelSource("gguf", str(path)))


@pytest.fixture
def chat(model: Model) -> Chat:
    return Chat(model, num_blocks=60, block_size=8)


def test_the_system_prompt_is_shared(chat: Chat, model: Model) -> None:
    head = len(model.readable().encode(model.chat_format.head(SYSTEM)))
    first, second = chat.ask(SYSTEM, "Is it hot?"), chat.ask(SYSTEM, "What does it cost?")
    assert first.hit_tokens == 0
    assert second.hit_tokens >= head // 8 * 8
    assert second.first.num_computed == second.num_prompt - second.hit_tokens
    assert "".join(second.pieces) == model.chat_format.prompt(SYSTEM, "What does it cost?")
    assert chat.engine.view.running_ids() == ()
    chat.engine.check()


def test_the_answer_does_not_depend_on_the_cache(chat: Chat) -> None:
    with_cache = [chat.ask(SYSTEM, text) for text in ("One?", "Two?", "One?")]
    without = [chat.ask(SYSTEM, text, use_cache=False) for text in ("One?", "Two?", "One?")]
    assert [answer.text for answer in with_cache] == [answer.text for answer in without]
    assert with_cache[2].hit_tokens > with_cache[1].hit_tokens > 0
    assert {answer.hit_tokens for answer in without} == {0}


def test_the_time_without_cache_can_be_asked_for(chat: Chat) -> None:
    chat.ask(SYSTEM, "One?", max_tokens=2)
    answer = chat.ask(SYSTEM, "Two?", max_tokens=2)
    without = chat.without_cache(answer)
    assert without.first.num_computed == answer.num_prompt
    assert without.difference.equal


def test_a_changed_beginning_hits_nothing_but_the_mark_before_it(chat: Chat) -> None:
    chat.ask(SYSTEM, "One?", max_tokens=2)
    changed = chat.ask("X" + SYSTEM, "One?", max_tokens=2)
    assert "".join(changed.pieces[: changed.hit_tokens]) == "<|im_start|>system\n"


def test_the_text_grows_token_by_token(chat: Chat) -> None:
    told: list[str] = []
    answer = chat.ask(SYSTEM, "One?", max_tokens=5, on_text=told.append)
    assert len(told) == answer.num_tokens == 5
    assert told[-1] == answer.text
    assert not answer.finished
    assert answer.token_ms is not None


def test_an_answer_of_no_token(chat: Chat) -> None:
    answer = chat.ask(SYSTEM, "One?", max_tokens=0)
    assert (answer.text, answer.num_tokens, answer.token_ms, answer.finished) == ("", 0, None, False)


def test_a_stop_token_ends_the_answer(model: Model) -> None:
    longer = Chat(model, num_blocks=60).ask(SYSTEM, "One?", max_tokens=4)
    tokens = model.readable().encode(longer.text)
    stopping = Chat(replace(model, stop_ids=frozenset(range(len(TOKENS)))), num_blocks=60)
    answer = stopping.ask(SYSTEM, "One?", max_tokens=4)
    assert tokens
    assert (answer.text, answer.finished) == ("", True)


def test_cancelling_cuts_the_answer(chat: Chat) -> None:
    told: list[str] = []
    answer = chat.ask(SYSTEM, "One?", max_tokens=9, on_text=told.append, cancelled=lambda: len(told) >= 3)
    assert (answer.num_tokens, answer.finished) == (3, False)


def test_a_stop_in_the_middle_leaves_no_block_that_was_not_computed(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine caches what it schedules. If computing fails, the content must be forgotten with it."""

    def fail(_plan: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(chat._backend, "prefill", fail)
        with pytest.raises(KeyboardInterrupt):
            chat.ask(SYSTEM, "One?")
    assert chat.engine.view.cached_hashes() == ()
    assert chat.engine.view.running_ids() == ()
    answer = chat.ask(SYSTEM, "One?", max_tokens=3)
    assert answer.hit_tokens == 0
    assert chat.without_cache(answer).difference.equal


def test_what_does_not_fit_is_refused(model: Model) -> None:
    small = Chat(model, num_blocks=5, block_size=8)
    with pytest.raises(BackendError) as caught:
        small.ask(SYSTEM, "One?")
    assert caught.value.code == "backend.too_long"
    assert caught.value.values["limit"] == 31
    with pytest.raises(BackendError):
        Chat(model, num_blocks=90, block_size=8).ask("x" * 500, "One?")  # the model's own limit


def test_a_full_pool_cuts_the_answer(model: Model) -> None:
    tight = Chat(model, num_blocks=6, block_size=8)
    answer = tight.ask("", "Hm?", max_tokens=99)
    assert answer.num_prompt + answer.num_tokens >= 40
    assert answer.num_tokens < 99
    assert not answer.finished


def test_greedy_decoding_follows_the_likeliest_token() -> None:
    backend = backend_of("numpy")
    backend.reserve(20, 4)
    first = backend.recompute((1, 2, 3)).logits
    assert first is not None
    table = tuple(range(1, 20))
    backend.prefill(Plan("a", (1, 2, 3), table, 0))
    found = generate(backend, first, 3, table, 6)
    tokens = [1, 2, 3]
    for token in found:
        logits = backend.recompute(tokens).logits
        assert logits is not None
        assert token == int(logits.argmax())
        tokens.append(token)
    assert len(found) == 6
    assert generate(backend, first, 3, table, 6, frozenset(found[:1])) == []


# -- texts that go astray ------------------------------------------------------------------------------------


def test_a_forced_reuse_is_described(model: Model) -> None:
    found = answers_astray(model, "A: " + SYSTEM, "B: " + SYSTEM, max_tokens=4, block_size=4)
    assert found.num_tokens == len(model.readable().encode("A: " + SYSTEM))
    assert 0 < found.reused_tokens < found.num_tokens
    assert found.layers[0].value < 1e-6
    assert found.layers[-1].value > 0.01
    assert not found.logits.difference.equal
    assert (found.diverges_at is None) == (found.honest == found.broken)


def test_stories_make_a_report(model: Model) -> None:
    stories = [Story("one", "A: " + SYSTEM, "B: " + SYSTEM), Story("two", SYSTEM, SYSTEM)]
    report = texts_astray(model, stories, max_tokens=3)
    again = Report.from_json(json.loads(json.dumps(report.to_json(), allow_nan=False)))
    first, second = again.rows
    assert (first["story_id"], first["prompt"], first["block_size"]) == ("one", "A: " + SYSTEM, 4)
    assert len(first["layers"]) == TINY.num_layers
    assert second["diverges_at"] is None
    assert second["honest"] == second["broken"] == second["other"]
    assert not second["flipped"]
    with pytest.raises(BackendError):
        texts_astray(model, stories, cancelled=lambda: True)


def test_equal_prompts_do_not_go_astray(model: Model) -> None:
    found = answers_astray(model, SYSTEM, SYSTEM, max_tokens=4, block_size=4)
    assert found.honest == found.broken == found.other
    assert found.diverges_at is None
    assert found.logits.difference.equal


def test_prompts_of_different_length_are_refused(model: Model) -> None:
    with pytest.raises(BackendError) as caught:
        answers_astray(model, SYSTEM, SYSTEM + "!")
    assert caught.value.code == "backend.lengths"


# -- the real one -------------------------------------------------------------------------------------------


@needs_model
@pytest.mark.slow
def test_the_real_model_answers_and_hits() -> None:
    path = small_model_path()
    assert path is not None
    real = ModelLoader().load(ModelSource("gguf", str(path)))
    chat = Chat(real, num_blocks=40)
    system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
    answer = chat.ask(system, "What is the capital of France?", max_tokens=12)
    assert answer.text == "The capital of France is Paris."
    assert answer.finished
    again = chat.ask(system, "What is the capital of Italy?", max_tokens=8)
    assert again.hit_tokens == 16
    assert again.text == chat.ask(system, "What is the capital of Italy?", max_tokens=8, use_cache=False).text
    assert chat.without_cache(again).difference.equal
    cat = "Once upon a time there was a {} named Tom. Tom lived in a little house near the forest. One day"
    found = answers_astray(real, cat.format("cat"), cat.format("boy"), max_tokens=8, block_size=4)
    assert found.layers[0].value < 1e-6 < 0.01 < found.layers[-1].value
    assert not found.logits.difference.equal
