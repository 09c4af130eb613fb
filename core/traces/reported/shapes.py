"""The shapes in which exporters write usage: which fields hold which count, and what they mean.

Sources (read there, put in our words): the API references of OpenAI (chat and Responses), Anthropic, Gemini
(`UsageMetadata`; proto3 JSON leaves zeros out), Bedrock Converse (`TokenUsage`) and its invocation log,
DeepSeek, Moonshot, DashScope; the types of LiteLLM, LangChain (`UsageMetadata`), Pydantic AI
(`RequestUsage`), OpenRouter, Cline, opencode, the Vercel AI SDK (5 and 6), OpenInference and
OpenTelemetry's GenAI conventions, SGLang's `meta_info`, llama.cpp's `timings`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.traces.usage import Absent, Convention


@dataclass(frozen=True, slots=True)
class Shape:
    """One exporter's fields; each count may stand under several dotted paths, the first that is there counts.

    `sure`: the convention is documented and kept. Otherwise exporters differ, and the numbers have to tell.
    `total_tells`: a total of input + output means that the input includes the cached tokens (elsewhere
    proxies add up whatever they have). `absent`: what a missing cached count means. One of `needs`, and one
    of `also`, has to be there beside the prompt.
    """

    name: str
    prompt: tuple[str, ...]
    cached: tuple[str, ...]
    written: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    total: tuple[str, ...] = ()
    convention: Convention = "inclusive"
    sure: bool = True
    total_tells: bool = False
    absent: Absent = "unknown"
    needs: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


def _shape(
    name: str, prompt: str, cached: str, written: str = "", output: str = "", total: str = "", **more: Any
) -> Shape:
    """A shape by its fields as words; `needs` and `also` are words too."""
    more |= {key: tuple(more.get(key, "").split()) for key in ("needs", "also")}
    last = tuple(written.split()), tuple(output.split()), tuple(total.split())
    return Shape(name, tuple(prompt.split()), tuple(cached.split()), *last, **more)


_DETAILS = "prompt_tokens_details input_tokens_details input_token_details prompt_token_details"
_READ_KEYS = "cached_tokens cache_read_tokens cache_read cache_read_input_tokens"
_WRITE_KEYS = "cache_write_tokens cache_creation_tokens cache_creation_input_tokens cache_creation"
_READ_IN, _WRITTEN_IN = (
    " ".join(f"{outer}.{inner}" for outer in _DETAILS.split() for inner in keys.split())
    for keys in (_READ_KEYS, _WRITE_KEYS)
)
_READ, _WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"
_PLAIN = "cache_write_tokens cache_creation_tokens"
_CHAT = {"output": "completion_tokens", "total": "total_tokens"}
_OTEL = "gen_ai.usage."
_EXCLUSIVE: dict[str, Any] = {"convention": "exclusive", "sure": False}

SHAPES = (
    _shape(
        "gemini",
        "promptTokenCount prompt_token_count",
        "cachedContentTokenCount cached_content_token_count",
        output="candidatesTokenCount candidates_token_count",
        absent="zero",
    ),
    # LiteLLM puts Anthropic's counts beside OpenAI's and adds them to the prompt, as others do or do not.
    _shape(
        "litellm",
        "prompt_tokens",
        f"{_READ_IN} {_READ}",
        f"{_WRITTEN_IN} {_WRITTEN}",
        needs=f"{_READ} {_WRITTEN}",
        also=_READ_IN,
        **_CHAT,
    ),
    _shape(
        "proxy",
        "prompt_tokens",
        f"{_READ_IN} {_READ} cache_read_tokens cached_tokens",
        f"{_WRITTEN_IN} {_WRITTEN} {_PLAIN}",
        needs=f"{_READ} {_WRITTEN} cache_read_tokens {_PLAIN}",
        sure=False,
        **_CHAT,
    ),
    _shape(
        "helicone",
        "prompt_tokens",
        "prompt_cache_read_tokens",
        "prompt_cache_write_tokens",
        needs="prompt_cache_read_tokens prompt_cache_write_tokens",
        **_CHAT,
        **_EXCLUSIVE,
    ),
    _shape(
        "openai_chat", "prompt_tokens", f"{_READ_IN} cached_tokens num_cached_tokens", _WRITTEN_IN, **_CHAT
    ),
    _shape(
        "openai_responses",
        "input_tokens",
        f"{_READ_IN} cached_input_tokens cached_tokens",
        _WRITTEN_IN,
        "output_tokens",
        needs=f"{_DETAILS} cached_input_tokens cached_tokens",
    ),
    # Agent libraries that bring all providers under one name, mostly with everything in the input.
    _shape(
        "agent",
        "input_tokens",
        "cache_read_tokens",
        _PLAIN,
        "output_tokens",
        needs=f"cache_read_tokens {_PLAIN}",
        sure=False,
    ),
    _shape("anthropic", "input_tokens", _READ, _WRITTEN, "output_tokens", convention="exclusive"),
    _shape(
        "vercel",
        "inputTokens.total inputTokens",
        "inputTokens.cacheRead inputTokenDetails.cacheReadTokens",
        "inputTokens.cacheWrite inputTokenDetails.cacheWriteTokens",
        "outputTokens.total outputTokens",
        needs="inputTokens.total inputTokenDetails",
    ),
    _shape(
        "vercel_5",
        "inputTokens promptTokens",
        "cachedInputTokens cachedPromptTokens",
        output="outputTokens completionTokens",
        needs="cachedInputTokens cachedPromptTokens",
        sure=False,
    ),
    # The documentation says that the input is the rest only; some models' streams include everything.
    _shape(
        "converse",
        "inputTokens inputTokenCount",
        "cacheReadInputTokens cacheReadInputTokensCount cacheReadInputTokenCount cacheReadTokens",
        "cacheWriteInputTokens cacheWriteInputTokensCount cacheWriteInputTokenCount cacheWriteTokens "
        "cacheCreationInputTokens",
        "outputTokens outputTokenCount",
        total="totalTokens totalTokenCount",
        total_tells=True,
        **_EXCLUSIVE,
    ),
    _shape(
        "opentelemetry",
        f"{_OTEL}input_tokens {_OTEL}prompt_tokens",
        f"{_OTEL}cache_read.input_tokens {_OTEL}cache_read_input_tokens {_OTEL}input_tokens.cached "
        f"{_OTEL}cached_input_tokens {_OTEL}details.cache_read_tokens {_OTEL}details.cached_tokens "
        "ai.usage.cachedInputTokens",
        f"{_OTEL}cache_creation.input_tokens {_OTEL}cache_creation_input_tokens "
        f"{_OTEL}input_tokens.cache_write {_OTEL}details.cache_write_tokens",
        f"{_OTEL}output_tokens {_OTEL}completion_tokens",
        sure=False,
    ),
    _shape(
        "openinference",
        "llm.token_count.prompt",
        "llm.token_count.prompt_details.cache_read",
        "llm.token_count.prompt_details.cache_write",
        "llm.token_count.completion",
        sure=False,
    ),
    _shape("openrouter", "native_tokens_prompt", "native_tokens_cached", "", "native_tokens_completion"),
    _shape("cline", "tokensIn", "cacheReads", "cacheWrites", "tokensOut", **_EXCLUSIVE),
    _shape("opencode", "input", "cache.read", "cache.write", "output", needs="cache.read", **_EXCLUSIVE),
    _shape("llama_cpp", "prompt_n", "cache_n", output="predicted_n", convention="exclusive", needs="cache_n"),
)

LANGFUSE_OPENAI = _shape(
    "langfuse",
    "input",
    "input_cached_tokens cached_tokens input_cached input_cache_read input_cache_read_tokens",
    "input_cache_creation input_cache_creation_tokens input_cache_write",
    "output",
    total="total",
    sure=False,
    total_tells=True,
)
LANGFUSE_ANTHROPIC = _shape(
    "langfuse_anthropic",
    "input",
    "cache_read_input_tokens cache_read cacheReadInputTokens",
    "cache_creation_input_tokens cache_creation cache_write cacheWriteInputTokens",
    "output",
    total="total",
    total_tells=True,
    **_EXCLUSIVE,
)
