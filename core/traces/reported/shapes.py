"""The shapes in which exporters write usage: which fields hold which count, and what they mean.

Sources (read there, put in our words): the API references of OpenAI (chat and Responses), Anthropic, Gemini
(`UsageMetadata`; proto3 JSON leaves zeros out), Bedrock Converse (`TokenUsage`) and its invocation log,
DeepSeek, Moonshot, DashScope; the types of LiteLLM, LangChain (`UsageMetadata`), the Vercel AI SDK (5 and
6), OpenInference and OpenTelemetry's GenAI conventions, SGLang's `meta_info`, llama.cpp's `timings`.
"""

from __future__ import annotations

from dataclasses import dataclass

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


GEMINI_REST = Shape(
    "gemini",
    ("promptTokenCount",),
    ("cachedContentTokenCount",),
    output=("candidatesTokenCount",),
    total=("totalTokenCount",),
    absent="zero",
)
GEMINI_SDK = Shape(
    "gemini",
    ("prompt_token_count",),
    ("cached_content_token_count",),
    output=("candidates_token_count",),
    total=("total_token_count",),
    absent="zero",
)
DETAILS = ("prompt_tokens_details", "input_tokens_details", "input_token_details", "prompt_token_details")
_READ_KEYS = ("cached_tokens", "cache_read_tokens", "cache_read", "cache_read_input_tokens")
_WRITE_KEYS = (
    "cache_write_tokens",
    "cache_creation_tokens",
    "cache_creation_input_tokens",
    "cache_creation",
)
_IN_DETAILS = tuple(f"{outer}.{inner}" for outer in DETAILS for inner in _READ_KEYS)
_WRITTEN_IN_DETAILS = tuple(f"{outer}.{inner}" for outer in DETAILS for inner in _WRITE_KEYS)
_ANTHROPIC_READ = ("cache_read_input_tokens", "cache_read_tokens")
_ANTHROPIC_WRITTEN = ("cache_creation_input_tokens", "cache_creation_tokens", "cache_write_tokens")

SHAPES = (
    GEMINI_REST,
    GEMINI_SDK,
    # LiteLLM puts Anthropic's counts beside OpenAI's and adds them to the prompt, as others do or do not.
    Shape(
        "litellm",
        ("prompt_tokens",),
        (*_IN_DETAILS, *_ANTHROPIC_READ),
        (*_WRITTEN_IN_DETAILS, *_ANTHROPIC_WRITTEN),
        ("completion_tokens",),
        ("total_tokens",),
        needs=(*_ANTHROPIC_READ, *_ANTHROPIC_WRITTEN),
        also=_IN_DETAILS,
    ),
    Shape(
        "proxy",
        ("prompt_tokens",),
        (*_IN_DETAILS, *_ANTHROPIC_READ, "cached_tokens"),
        (*_WRITTEN_IN_DETAILS, *_ANTHROPIC_WRITTEN),
        ("completion_tokens",),
        ("total_tokens",),
        sure=False,
        needs=(*_ANTHROPIC_READ, *_ANTHROPIC_WRITTEN),
    ),
    Shape(
        "helicone",
        ("prompt_tokens",),
        ("prompt_cache_read_tokens",),
        ("prompt_cache_write_tokens",),
        ("completion_tokens",),
        ("total_tokens",),
        convention="exclusive",
        sure=False,
        needs=("prompt_cache_read_tokens", "prompt_cache_write_tokens"),
    ),
    Shape(
        "openai_chat",
        ("prompt_tokens",),
        (*_IN_DETAILS, "cached_tokens", "num_cached_tokens"),
        _WRITTEN_IN_DETAILS,
        ("completion_tokens",),
        ("total_tokens",),
    ),
    Shape(
        "openai_responses",
        ("input_tokens",),
        (*_IN_DETAILS, "cached_input_tokens", "cached_tokens"),
        _WRITTEN_IN_DETAILS,
        ("output_tokens",),
        ("total_tokens",),
        needs=(*DETAILS, "cached_input_tokens", "cached_tokens"),
    ),
    Shape(
        "anthropic",
        ("input_tokens",),
        _ANTHROPIC_READ,
        _ANTHROPIC_WRITTEN,
        ("output_tokens",),
        ("total_tokens",),
        convention="exclusive",
    ),
    Shape(
        "vercel",
        ("inputTokens.total", "inputTokens"),
        ("inputTokens.cacheRead", "inputTokenDetails.cacheReadTokens"),
        ("inputTokens.cacheWrite", "inputTokenDetails.cacheWriteTokens"),
        ("outputTokens.total", "outputTokens"),
        ("totalTokens",),
        needs=("inputTokens.total", "inputTokenDetails"),
    ),
    Shape(
        "vercel_5",
        ("inputTokens", "promptTokens"),
        ("cachedInputTokens", "cachedPromptTokens"),
        output=("outputTokens", "completionTokens"),
        total=("totalTokens",),
        sure=False,
        needs=("cachedInputTokens", "cachedPromptTokens"),
    ),
    Shape(
        "converse",
        ("inputTokens", "inputTokenCount"),
        (
            "cacheReadInputTokens",
            "cacheReadInputTokensCount",
            "cacheReadInputTokenCount",
            "cacheReadTokens",
        ),
        (
            "cacheWriteInputTokens",
            "cacheWriteInputTokensCount",
            "cacheWriteInputTokenCount",
            "cacheCreationInputTokens",
            "cacheWriteTokens",
        ),
        ("outputTokens", "outputTokenCount"),
        ("totalTokens", "totalTokenCount"),
        convention="exclusive",
        sure=False,
        total_tells=True,
    ),
    Shape(
        "opentelemetry",
        ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
        (
            "gen_ai.usage.cache_read.input_tokens",
            "gen_ai.usage.cache_read_input_tokens",
            "gen_ai.usage.input_tokens.cached",
            "gen_ai.usage.cached_input_tokens",
            "gen_ai.usage.details.cache_read_tokens",
            "gen_ai.usage.details.cached_tokens",
            "ai.usage.cachedInputTokens",
        ),
        (
            "gen_ai.usage.cache_creation.input_tokens",
            "gen_ai.usage.cache_creation_input_tokens",
            "gen_ai.usage.input_tokens.cache_write",
            "gen_ai.usage.details.cache_write_tokens",
        ),
        ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
        ("gen_ai.usage.total_tokens", "llm.usage.total_tokens"),
        sure=False,
    ),
    Shape(
        "openinference",
        ("llm.token_count.prompt",),
        ("llm.token_count.prompt_details.cache_read",),
        ("llm.token_count.prompt_details.cache_write",),
        ("llm.token_count.completion",),
        ("llm.token_count.total",),
        sure=False,
    ),
    Shape(
        "llama_cpp",
        ("prompt_n",),
        ("cache_n",),
        output=("predicted_n",),
        convention="exclusive",
        needs=("cache_n",),
    ),
)

LANGFUSE_OPENAI = Shape(
    "langfuse",
    ("input",),
    ("input_cached_tokens", "cached_tokens", "input_cached", "input_cache_read", "input_cache_read_tokens"),
    ("input_cache_creation", "input_cache_creation_tokens", "input_cache_write"),
    ("output",),
    ("total",),
    sure=False,
    total_tells=True,
)
LANGFUSE_ANTHROPIC = Shape(
    "langfuse_anthropic",
    ("input",),
    ("cache_read_input_tokens", "cache_read", "cacheReadInputTokens"),
    ("cache_creation_input_tokens", "cache_creation", "cache_write", "cacheWriteInputTokens"),
    ("output",),
    ("total",),
    convention="exclusive",
    sure=False,
    total_tells=True,
)
