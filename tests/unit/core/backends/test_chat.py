"""Chatting with a model: shared prefixes hit, answers do not depend on the cache, a stop breaks nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.backends.base import PrefillResult
from core.backends.decoders.loader import Model, ModelLoader
from core.backends.experiments.answer import Answer
from core.backends.experiments.astray import answers_astray
from core.backends.experiments.break_reports import Story, texts_astray
from core.backends.experiments.chat import Chat
from core.backends.experiments.generate import generate
from core.backends.experiments.hit_end import HitEnd
from core.backends.experiments.report import Report
from core.backends.models.chat_template import Messages
from core.backends.models.sources import ModelSource, small_model_path
from core.backends.plan import Plan
from core.errors import BackendError
from core.extras import how_to_add
from tests.unit.core.backends.files import TOKENS, gguf_bytes, gguf_metadata, gguf_tensors, tokenizer_metadata
from tests.unit.core.backends.tiny import TINY, backend_of, weights_of

SYSTEM = "Every bowl of noodles comes with the broth of the day, and nobody waits for it."
needs_model = pytest.mark.skipif(
    small_model_path() is None,
    reason=f"no model is installed: {how_to_add('model')}",
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


def one(system: str, question: str) -> Messages:
    """The beginning of a conversation."""
    return (("system", system), ("user", question))


def longer(messages: Messages, answer: Answer, question: str) -> Messages:
    """It goes on."""
    return (*messages, ("assistant", answer.text), ("user", question))


def test_the_system_prompt_is_shared(chat: Chat, model: Model) -> None:
    head = len(model.readable().encode(model.chat_format.head(SYSTEM)))
    first, second = chat.ask(one(SYSTEM, "Is it hot?")), chat.ask(one(SYSTEM, "What does it cost?"))
    assert first.hit_tokens == 0
    assert second.hit_tokens >= head // 8 * 8
    assert "".join(second.pieces) == model.chat_format.prompt(SYSTEM, "What does it cost?") + second.text
    assert chat.engine.view.running_ids() == ()
    chat.engine.check()


def test_the_answer_does_not_depend_on_the_cache(chat: Chat) -> None:
    with_cache = [chat.ask(one(SYSTEM, text)) for text in ("One?", "Two?", "One?")]
    without = [chat.ask(one(SYSTEM, text), use_cache=False) for text in ("One?", "Two?", "One?")]
    assert [answer.text for answer in with_cache] == [answer.text for answer in without]
    assert with_cache[2].hit_tokens > with_cache[1].hit_tokens > 0
    assert {answer.hit_tokens for answer in without} == {0}


def test_the_clock_takes_both_sides_in_turn_and_warmed(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    """Known times: a pass takes a millisecond a token, and the first pass of each side ten times as long."""
    passes: list[str] = []

    def timed(name: str, tokens: int) -> PrefillResult:
        slow = 1 if name in passes else 10
        passes.append(name)
        return PrefillResult(logits, tokens, 0.0, slow * tokens * 2e-3, slow * tokens * 1e-3)

    chat.ask(one(SYSTEM, "One?"), max_tokens=2)
    answer = chat.ask(one(SYSTEM, "Two?"), max_tokens=2)
    logits = answer.logits
    monkeypatch.setattr(chat._backend, "prefill", lambda plan: timed("hit", plan.num_new))
    monkeypatch.setattr(chat._backend, "recompute", lambda ids: timed("full", len(ids)))
    clock = chat.clock(answer)
    new = answer.num_prompt - answer.hit_tokens
    assert sorted(passes) == ["full"] * 4 + ["hit"] * 4
    assert all(set(passes[place : place + 2]) == {"hit", "full"} for place in range(0, 8, 2))
    assert (clock.hit.num, clock.full.num) == (3, 3)
    assert clock.hit.cpu_ms == pytest.approx(new)
    assert clock.full.wall_ms == pytest.approx(2 * answer.num_prompt)
    assert clock.ratio == pytest.approx((answer.num_prompt / new,) * 3)


def test_the_clock_compares_the_logits_and_changes_nothing(chat: Chat) -> None:
    chat.ask(one(SYSTEM, "One?"), max_tokens=2)
    answer = chat.ask(one(SYSTEM, "Two?"), max_tokens=9)
    assert chat.clock(answer).difference.equal
    again = chat.ask(longer(one(SYSTEM, "Two?"), answer, "Three?"), max_tokens=4)
    assert again.hit_tokens > answer.hit_tokens
    assert chat.clock(again).difference.equal


def test_a_cold_prompt_is_timed_once(chat: Chat) -> None:
    clock = chat.clock(chat.ask(one(SYSTEM, "One?"), max_tokens=1))
    assert clock.hit == clock.full
    assert clock.ratio == (1, 1, 1)


def test_a_clock_that_is_stopped_has_no_result(chat: Chat) -> None:
    answer = chat.ask(one(SYSTEM, "One?"), max_tokens=1)
    with pytest.raises(BackendError):
        chat.clock(answer, cancelled=lambda: True)


def test_a_changed_beginning_hits_nothing_but_the_mark_before_it(chat: Chat) -> None:
    chat.ask(one(SYSTEM, "One?"), max_tokens=2)
    changed = chat.ask(one("X" + SYSTEM, "One?"), max_tokens=2)
    assert "".join(changed.pieces[: changed.hit_tokens]) == "<|im_start|>system\n"
    assert changed.hit_end.reason == "changed"


# -- a conversation that grows ------------------------------------------------------------------------------


def says(chat: Chat, monkeypatch: pytest.MonkeyPatch, ids: list[int]) -> None:
    """The model's next answers are these tokens, whatever it was asked; K/V are computed as ever."""
    sequence = iter(ids)

    def of_next(result: PrefillResult) -> PrefillResult:
        logits = np.zeros(len(TOKENS), np.float32)
        logits[next(sequence, 0)] = 1
        return replace(result, logits=logits)

    prefill, decode = chat._backend.prefill, chat._backend.decode
    monkeypatch.setattr(chat._backend, "prefill", lambda plan: of_next(prefill(plan)))
    monkeypatch.setattr(chat._backend, "decode", lambda *args: of_next(decode(*args)))


def test_the_blocks_of_an_answer_are_hit_by_the_next_turn(
    chat: Chat, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known truth: answer tokens that read back as themselves, so all full blocks of turn one are shared."""
    ids = model.readable().encode(SYSTEM)[:40]
    with monkeypatch.context() as patch:
        says(chat, patch, ids)
        first = chat.ask(one("", "One?"), max_tokens=len(ids))
    assert list(first.token_ids) == ids
    second = chat.ask(longer(one("", "One?"), first, "Two?"), max_tokens=2)
    held = first.num_prompt + first.num_tokens
    assert second.hit_tokens == held // 8 * 8 > first.num_prompt
    assert (second.hit_end.reason, second.hit_end.num_shared) == ("all", held)
    assert second.table[: second.hit_tokens // 8] == first.table[: second.hit_tokens // 8]
    assert chat.clock(second).difference.equal


def test_an_answer_that_reads_back_as_other_tokens_ends_the_hit(
    chat: Chat, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model may say "h", "e", "l", "l", "o"; the tokenizer cuts that text as a whole."""
    tokenizer = model.readable()
    letters = [tokenizer.encode(letter)[0] for letter in "hello world" * 2]
    assert tokenizer.encode("hello world" * 2) != letters
    with monkeypatch.context() as patch:
        says(chat, patch, letters)
        first = chat.ask(one("", "One?"), max_tokens=len(letters))
    second = chat.ask(longer(one("", "One?"), first, "Two?"), max_tokens=2)
    end = second.hit_end
    assert first.text == "hello world" * 2
    assert end.reason == "other_ids"
    assert end.num_shared == first.num_prompt
    assert second.hit_tokens == end.num_shared // 8 * 8
    assert (end.was[0], end.now[0]) == ("h", tokenizer.texts(tokenizer.encode("hello world"))[0])
    assert chat.clock(second).difference.equal


def test_a_template_that_rewrites_an_answer_ends_the_hit(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Qwen3's does, which leaves out what stands before ``</think>`` in earlier answers."""
    template = (
        "{% for m in messages %}{{ m.role }}: {{ m.content.split('.')[-1] if m.role == 'assistant' else "
        "m.content }}\n{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}"
    )
    format_ = replace(model.chat_format, template=template)
    chat = Chat(replace(model, chat_format=format_), num_blocks=60, block_size=4)
    with monkeypatch.context() as patch:
        says(chat, patch, model.readable().encode("thought. hello world"))
        first = chat.ask(one("", "One?"), max_tokens=9)
    assert "." in first.text
    second = chat.ask(longer(one("", "One?"), first, "Two?"), max_tokens=1)
    assert second.hit_end.reason == "rewritten"
    assert second.hit_tokens <= first.num_prompt


def test_a_changed_message_is_computed_from_there_on(chat: Chat) -> None:
    start = one(SYSTEM, "One?")
    first = chat.ask(start, max_tokens=9)
    second = chat.ask(longer(start, first, "Two?"), max_tokens=9)
    edited = list(longer(start, first, "Two?"))
    edited[1] = ("user", "Xne?")
    changed = chat.ask(tuple(edited), max_tokens=9)
    same = chat.ask(longer(start, first, "Two?"), max_tokens=9)
    place = next(
        place
        for place, (was, now) in enumerate(zip(second.plan.token_ids, changed.plan.token_ids, strict=False))
        if was != now
    )
    assert changed.hit_end.reason == "changed"
    assert changed.hit_tokens == place // 8 * 8 < second.hit_tokens
    assert same.hit_tokens >= second.hit_tokens, "the unedited path is still held"
    assert same.text == second.text


def test_evicted_blocks_are_the_reason_where_the_pool_was_full(model: Model) -> None:
    chat = Chat(model, num_blocks=12, block_size=8)
    first = chat.ask(one("", "One? hello world hello world"), max_tokens=1)
    chat.ask(one("", "A B C D E F G H I J K L M"), max_tokens=30)
    again = chat.ask(one("", "One? hello world hello world"), max_tokens=1)
    assert again.hit_end == HitEnd("evicted", first.num_prompt)
    assert again.hit_tokens < first.num_prompt // 8 * 8


def test_the_kv_of_a_token_is_counted_by_hand(chat: Chat) -> None:
    assert chat.kv_bytes_per_token == 2 * TINY.num_layers * TINY.num_kv_heads * TINY.head_dim * 4


# -- how answers end ----------------------------------------------------------------------------------------


def test_the_text_grows_token_by_token(chat: Chat) -> None:
    told: list[str] = []
    answer = chat.ask(one(SYSTEM, "One?"), max_tokens=5, on_text=told.append)
    assert len(told) == answer.num_tokens == 5
    assert told[-1] == answer.text
    assert answer.ended == "length"


def test_an_answer_of_no_token(chat: Chat) -> None:
    answer = chat.ask(one(SYSTEM, "One?"), max_tokens=0)
    assert (answer.text, answer.num_tokens, answer.ended) == ("", 0, "length")


def test_a_stop_token_ends_the_answer(model: Model) -> None:
    stopping = Chat(replace(model, stop_ids=frozenset(range(len(TOKENS)))), num_blocks=60)
    answer = stopping.ask(one(SYSTEM, "One?"), max_tokens=4)
    assert (answer.text, answer.ended) == ("", "model")


def test_stopping_cuts_the_answer_and_the_conversation_goes_on(chat: Chat) -> None:
    told: list[str] = []
    answer = chat.ask(
        one(SYSTEM, "One?"), max_tokens=9, on_text=told.append, cancelled=lambda: len(told) >= 3
    )
    assert (answer.num_tokens, answer.ended) == (3, "stopped")
    after = chat.ask(longer(one(SYSTEM, "One?"), answer, "Two?"), max_tokens=3)
    assert after.hit_tokens >= answer.num_prompt // 8 * 8 - 8
    assert chat.clock(after).difference.equal
    chat.engine.check()


def test_a_stop_in_the_middle_leaves_no_block_that_was_not_computed(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine caches what it schedules. If computing fails, the content must be forgotten with it."""

    def fail(_plan: Any) -> Any:
        raise KeyboardInterrupt

    chat.ask(one(SYSTEM, "One?"), max_tokens=3)
    with monkeypatch.context() as patch:
        patch.setattr(chat._backend, "prefill", fail)
        with pytest.raises(KeyboardInterrupt):
            chat.ask(one(SYSTEM, "Two?"))
    assert chat.engine.view.cached_hashes() == ()
    assert chat.engine.view.running_ids() == ()
    answer = chat.ask(one(SYSTEM, "One?"), max_tokens=3)
    assert (answer.hit_tokens, answer.hit_end.reason) == (0, "empty")
    assert chat.clock(answer).difference.equal


def test_what_does_not_fit_is_refused(model: Model) -> None:
    small = Chat(model, num_blocks=5, block_size=8)
    with pytest.raises(BackendError) as caught:
        small.ask(one(SYSTEM, "One?"))
    assert caught.value.code == "backend.chat_too_long"
    assert caught.value.values["limit"] == 31
    with pytest.raises(BackendError):
        Chat(model, num_blocks=90, block_size=8).ask(one("x" * 500, "One?"))  # the model's own limit


def test_a_full_pool_cuts_the_answer(model: Model) -> None:
    tight = Chat(model, num_blocks=6, block_size=8)
    answer = tight.ask(one("", "Hm?"), max_tokens=99)
    assert answer.num_prompt + answer.num_tokens >= 40
    assert answer.ended == "pool"
    tight.engine.check()


def test_the_models_longest_text_cuts_the_answer(model: Model) -> None:
    answer = Chat(model, num_blocks=90, block_size=8).ask(one("x " * 150, "Hm?"), max_tokens=999)
    assert answer.num_prompt + answer.num_tokens == model.spec.max_positions
    assert answer.ended == "positions"


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
    start = one(system, "What is the capital of France?")
    answer = chat.ask(start, max_tokens=12)
    assert (answer.text, answer.ended) == ("The capital of France is Paris.", "model")
    on = longer(start, answer, "What is the capital of Italy?")
    again = chat.ask(on, max_tokens=8)
    assert again.hit_tokens == (answer.num_prompt + answer.num_tokens) // 16 * 16
    assert again.hit_end.reason == "all"
    assert again.text == chat.ask(on, max_tokens=8, use_cache=False).text
    assert chat.clock(again).difference.equal
    cat = "Once upon a time there was a {} named Tom. Tom lived in a little house near the forest. One day"
    found = answers_astray(real, cat.format("cat"), cat.format("boy"), max_tokens=8, block_size=4)
    assert found.layers[0].value < 1e-6 < 0.01 < found.layers[-1].value
    assert not found.logits.difference.equal
