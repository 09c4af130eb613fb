"""A model's own chat template: what it writes, what is said where there is none, and what it may not do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.backends.models import chat_template
from core.backends.models.chat_files import gguf_chat, hf_chat
from core.backends.models.chat_format import PLAIN, ChatFormat
from core.backends.models.gguf import GgufFile
from core.errors import BackendError
from tests.unit.core.backends.files import CHATML, TOKENS, gguf_bytes, tokenizer_metadata

DEFAULT = """\
{%- if messages[0]['role'] != 'system' %}
    {{- '<|im_start|>system\\nYou are a cook.<|im_end|>\\n' }}
{%- endif %}
"""
"""Qwen2.5's way: a system prompt of the model's own where none is given."""

LLAMA2 = """\
{% if messages[0]['role'] == 'system' %}
{% set rest = messages[1:] %}{% set system = '<<SYS>>\\n' + messages[0]['content'] + '\\n<</SYS>>\\n\\n' %}
{% else %}{% set rest = messages %}{% set system = '' %}{% endif %}
{% for message in rest %}
{% if message['role'] == 'user' %}
{{ bos_token + '[INST] ' + (system if loop.first else '') + message['content'].strip() + ' [/INST]' }}\
{% else %}{{ ' ' + message['content'] + ' ' + eos_token }}{% endif %}
{% endfor %}"""
NO_SYSTEM = """\
{%- for message in messages %}
    {%- if message.role == 'system' %}{{ raise_exception('Only user and assistant!') }}{% endif %}
    {{- '[INST] ' + message.content + ' [/INST]' }}
{%- endfor %}"""
DROPS_SYSTEM = "{% for message in messages if message.role != 'system' %}[{{ message.content }}]{% endfor %}"
BOTH = (("bos_token", "<s>"), ("eos_token", "</s>"))


def of(template: str, **settings: Any) -> ChatFormat:
    return ChatFormat("soup", template, BOTH, **settings)


def test_chatml_with_and_without_a_system_prompt() -> None:
    assert of(CHATML).prompt("Be kind.", "Hi {text} 汤!") == (
        "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi {text} 汤!<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert of(CHATML).prompt("", "Hi").startswith("<|im_start|>user\n")
    assert of(CHATML).note("Be kind.") == ""
    assert of(CHATML).head("Be kind.") == "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\n"


def test_the_models_own_system_prompt_stands_where_none_is_given() -> None:
    own = "<|im_start|>system\nYou are a cook.<|im_end|>\n"
    assert of(DEFAULT + CHATML).prompt("", "Hi").startswith(own + "<|im_start|>user\nHi")
    assert "cook" not in of(DEFAULT + CHATML).prompt("Be kind.", "Hi")


def test_several_turns_with_the_tokens_that_begin_and_end() -> None:
    turns = (("system", "S"), ("user", " a "), ("assistant", "b"), ("user", "c"))
    assert (
        of(LLAMA2).conversation(turns)
        == "<s>[INST] <<SYS>>\nS\n<</SYS>>\n\na [/INST] b </s><s>[INST] c [/INST]"
    )


@pytest.mark.parametrize("template", [NO_SYSTEM, DROPS_SYSTEM])
def test_a_system_prompt_that_the_template_does_not_take_goes_before_the_question(template: str) -> None:
    """One refuses it, one leaves it out without a word: neither may happen silently."""
    made = of(template)
    assert "S\n\nHi" in made.prompt("S", "Hi")
    assert made.note("S") == "no_system"
    assert made.note("") == ""
    later = (("assistant", "Ho"), ("user", "Hm"))
    grown = made.dialogue((("system", "S"), ("user", "Hi"), *later))
    assert grown == made.conversation((("user", "S\n\nHi"), *later))


def test_a_model_without_template_says_so_and_begins_as_its_tokenizer_does() -> None:
    assert PLAIN.prompt("A", "B") == "A\n\nB\n\n"
    assert of("", start="<s>").prompt("A", "B") == "<s>A\n\nB\n\n"
    assert of("").note("") == "no_template"


def test_a_template_that_leaves_the_question_out_says_so() -> None:
    assert of("nothing").note("S") == "no_question"
    assert of(CHATML).note("S") == ""


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{{ raise_exception('roles must alternate') }}", "roles must alternate"),
        ("{% for %}", "Expected"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ cycler.__init__.__globals__ }}", "unsafe"),
        ("{{ messages.append(1) }}", "unsafe"),
        ("{% include '/etc/passwd' %}", "no loader"),
        ("{{ messages[0].nothing.more }}", "no attribute"),
        ("{{ 'x' * 10**10 }}", "memory"),
        ("{{ 'x' * 2_000_000 }}", "more than 1000000"),
        ("{{ 1 }}" * 40_000, "more than 200000"),
    ],
)
def test_a_template_that_fails_is_a_sentence(template: str, why: str) -> None:
    with pytest.raises(BackendError, match=why) as caught:
        of(template).prompt("", "Hi")
    assert caught.value.code == "backend.chat_template"
    assert len(str(caught.value)) < 400


@pytest.mark.slow
@pytest.mark.parametrize(
    "template",
    [
        "{% set r = range(99999) %}{% for a in r %}{% for b in r %}{% endfor %}{% endfor %}",
        "{% set n = namespace(x=[1]) %}{% for i in range(64) %}{% set n.x = [n.x]*2 %}{% endfor %}{{ n.x }}",
    ],
)
def test_a_template_without_end_is_ended(template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_template, "_PATIENCE", 6.0)
    with pytest.raises(BackendError) as caught:
        of(template).prompt("", "Hi")
    assert caught.value.code == "backend.chat_template"


def test_today_is_a_day_that_does_not_pass() -> None:
    """A template that can do without a clock gets none; one that insists gets Llama 3.2's own day."""
    careful = "{% if strftime_now is defined %}{{ strftime_now('%Y') }}{% else %}no clock{% endif %}"
    assert of(careful).prompt("", "") == "no clock"
    assert of("{{ strftime_now('%d %b %Y') }}").prompt("", "") == "26 Jul 2024"


def test_what_transformers_adds_to_the_language() -> None:
    template = "{% generation %}{{ messages|tojson }}{% endgeneration %}{{ tools is none }}"
    assert of(template).prompt("", "汤 <") == '[{"role": "user", "content": "汤 <"}]True'
    assert of("{% for a in 'abc' %}{{ a }}{% break %}{% endfor %}").prompt("", "") == "a"
    assert of("{% if 1 %}\n  x\n  {% endif %}\ny").prompt("", "") == "  x\ny"


# -- where templates stand ----------------------------------------------------------------------------------


def write(folder: Path, **files: Any) -> Path:
    for name, value in files.items():
        place = folder / name.replace("__", ".")
        place.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return folder


ALL = [{"name": "tool_use", "template": "no"}, {"name": "default", "template": "several"}]


@pytest.mark.parametrize(
    ("files", "template"),
    [
        ({"tokenizer_config__json": {"chat_template": "one"}}, "one"),
        ({"tokenizer_config__json": {"chat_template": ALL}}, "several"),
        ({"tokenizer_config__json": {"chat_template": "one"}, "chat_template__jinja": "own"}, "own"),
        ({"chat_template__json": {"chat_template": "own"}}, "own"),
        ({}, ""),
    ],
)
def test_a_directory_keeps_its_template_in_one_of_four_places(
    files: Any, template: str, tmp_path: Path
) -> None:
    assert hf_chat(write(tmp_path, **files)).template == template


def test_a_directory_names_its_tokens_and_how_texts_begin(tmp_path: Path) -> None:
    processors = [
        {"type": "ByteLevel"},
        {"single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}]},
    ]
    made = hf_chat(
        write(
            tmp_path,
            tokenizer_config__json={"bos_token": {"content": "<s>"}, "eos_token": "</s>", "pad_token": None},
            tokenizer__json={"post_processor": {"type": "Sequence", "processors": processors}},
        )
    )
    assert made.tokens == BOTH
    assert made.prompt("A", "B") == "<s>A\n\nB\n\n"


@pytest.mark.parametrize(
    "files",
    [
        {"tokenizer_config__json": "[" * 100_000},
        {"tokenizer_config__json": "[1]"},
        {"tokenizer_config__json": {"chat_template": 3}},
        {"tokenizer__json": "{"},
    ],
)
def test_a_damaged_directory_is_refused(files: Any, tmp_path: Path) -> None:
    with pytest.raises(BackendError) as caught:
        hf_chat(write(tmp_path, **files))
    assert caught.value.code == "backend.model_damaged"


@pytest.mark.parametrize("adds", [None, True, False])
@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_a_gguf_file_names_its_tokens_and_how_texts_begin(
    adds: bool | None, kind: str, tmp_path: Path
) -> None:
    """Where it does not say, SentencePiece's tokenizers put a token in front and byte-level ones do not."""
    metadata = {**tokenizer_metadata(), "tokenizer.ggml.model": kind, "tokenizer.ggml.bos_token_id": 1}
    if adds is not None:
        metadata["tokenizer.ggml.add_bos_token"] = adds
    (tmp_path / "m.gguf").write_bytes(gguf_bytes(metadata, {}))
    made = gguf_chat(GgufFile(tmp_path / "m.gguf"))
    assert made.template == CHATML
    assert dict(made.tokens) == {"bos_token": TOKENS[1], "eos_token": TOKENS[2]}
    assert made.start == (TOKENS[1] if adds or (adds is None and kind == "llama") else "")
