"""Usage as providers report it: how many prompt tokens, how many of them came from a cache.

Two conventions exist, and mixing them up gives rates above 100 % or far too low:

* inclusive: the prompt count *includes* the cached tokens. OpenAI (`prompt_tokens`, `input_tokens` with
  `input_tokens_details`), Gemini (`prompt_token_count`), SGLang, LiteLLM.
* exclusive: it counts *the rest only*. Anthropic (`input_tokens` beside `cache_read_input_tokens` and
  `cache_creation_input_tokens`), Bedrock (`inputTokens`), DeepSeek (hit + miss), Langfuse (usually).

`Usage.prompt_tokens` is all of them in every case. A field that is missing or null is *unknown*, not 0: such
rows are left out of the rate and counted. A row with more cached than prompt tokens contradicts itself (most
often an exclusive count read as an inclusive one): it is left out and counted as well, so that no rate ever
exceeds 100 %.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.traces.rows import Row


@dataclass(frozen=True, slots=True)
class Usage:
    """One request's reported tokens; None: not reported. `prompt_tokens` are all, cached and written too."""

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    written_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def contradictory(self) -> bool:
        """More cached than there is: the row cannot be right."""
        if self.prompt_tokens is None or self.cached_tokens is None:
            return False
        return self.cached_tokens > self.prompt_tokens

    @property
    def known(self) -> bool:
        """Whether the row says how much was cached, in a way that can be true."""
        return self.prompt_tokens is not None and self.cached_tokens is not None and not self.contradictory

    @property
    def ratio(self) -> float | None:
        """Cached / prompt tokens of this request; None where unknown."""
        if not self.known or not self.prompt_tokens or self.cached_tokens is None:
            return None
        return self.cached_tokens / self.prompt_tokens


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """Reported usage over many requests. The two rates differ: show the definition beside the number."""

    num_known: int = 0
    num_unknown: int = 0
    num_contradictory: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    ratio_sum: float = 0.0
    num_ratios: int = 0

    @classmethod
    def of(cls, rows: Iterable[Usage | None]) -> UsageTotals:
        """Add up; None (no usage at all) counts as unknown."""
        known = unknown = contradictory = prompt = cached = num_ratios = 0
        ratio_sum = 0.0
        for row in rows:
            if row is not None and row.contradictory:
                contradictory += 1
            elif row is None or row.prompt_tokens is None or row.cached_tokens is None:
                unknown += 1
            else:
                known += 1
                prompt += row.prompt_tokens
                cached += row.cached_tokens
                if row.prompt_tokens:
                    ratio_sum += row.cached_tokens / row.prompt_tokens
                    num_ratios += 1
        return cls(known, unknown, contradictory, prompt, cached, ratio_sum, num_ratios)

    @property
    def ratio_of_sums(self) -> float | None:
        """Cached tokens / prompt tokens over the known rows: what engines and bills mean by hit rate."""
        return self.cached_tokens / self.prompt_tokens if self.prompt_tokens else None

    @property
    def mean_of_ratios(self) -> float | None:
        """The average of the requests' own ratios: a short request weighs as much as a long one."""
        return self.ratio_sum / self.num_ratios if self.num_ratios else None


def read_usage(row: Row | None) -> Usage | None:
    """Usage in whichever convention its field names show; None where there is none.

    Raises:
        TraceError: a count that is not a whole number from 0 up.
    """
    if row is None or not row.value:
        return None
    if "prompt_cache_hit_tokens" in row or "prompt_cache_miss_tokens" in row:
        return _deepseek(row)
    if "prompt_tokens" in row:
        return _openai(row, "prompt_tokens", "completion_tokens", "prompt_tokens_details")
    if "input_tokens_details" in row:
        return _openai(row, "input_tokens", "output_tokens", "input_tokens_details")
    if "input_tokens" in row:
        return _anthropic(row)
    if "inputTokens" in row:
        return _exclusive(row, "inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens", "outputTokens")
    if "prompt_token_count" in row:
        return _inclusive(row, "prompt_token_count", "cached_content_token_count", "candidates_token_count")
    return None


def _anthropic(row: Row) -> Usage:
    return _exclusive(
        row, "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"
    )


def _exclusive(row: Row, rest: str, read: str, written: str, output: str) -> Usage:
    """Input counts the rest only. Without a count of writes, written tokens are part of that rest."""
    uncached, cached, new = row.whole_or_none(rest), row.whole_or_none(read), row.whole_or_none(written)
    total = None if uncached is None or cached is None else uncached + cached + (new or 0)
    return Usage(total, cached, new, row.whole_or_none(output))


def _inclusive(row: Row, prompt: str, cached: str, output: str) -> Usage:
    return Usage(row.whole_or_none(prompt), row.whole_or_none(cached), None, row.whole_or_none(output))


def _openai(row: Row, prompt: str, output: str, details_name: str) -> Usage:
    """The count of cached tokens stands in the details; proxies repeat it in Anthropic's words."""
    details = row.object_or_none(details_name)
    cached = details.whole_or_none("cached_tokens") if details else None
    written = details.whole_or_none("cache_write_tokens") if details else None
    if cached is None:
        cached = row.whole_or_none("cache_read_input_tokens")
    if written is None:
        written = row.whole_or_none("cache_creation_input_tokens")
    return Usage(row.whole_or_none(prompt), cached, written, row.whole_or_none(output))


def _deepseek(row: Row) -> Usage:
    hit, miss = row.whole_or_none("prompt_cache_hit_tokens"), row.whole_or_none("prompt_cache_miss_tokens")
    total = row.whole_or_none("prompt_tokens")
    if total is None and hit is not None and miss is not None:
        total = hit + miss
    return Usage(total, hit, None, row.whole_or_none("completion_tokens"))


_LANGFUSE_CACHED = ("input_cached_tokens", "cache_read_input_tokens", "input_cache_read", "cached_tokens")
_LANGFUSE_WRITTEN = ("cache_creation_input_tokens", "input_cache_creation")


def langfuse_usage(row: Row | None) -> Usage | None:
    """Langfuse's `usageDetails`: whether `input` includes the cached tokens is read off `total`.

    total = input + output: inclusive. total = input + cached + written + output, or no total at all:
    exclusive, which is what Langfuse's own integrations write.
    """
    if row is None or not row.value:
        return None
    if "input" not in row:
        return read_usage(row)
    rest, output, total = (row.whole_or_none(name) for name in ("input", "output", "total"))
    cached = _first(row, _LANGFUSE_CACHED)
    written = _first(row, _LANGFUSE_WRITTEN)
    if rest is None:
        return Usage(None, cached, written, output)
    if cached is None:
        return Usage(rest + (written or 0), None, written, output)
    inclusive = total is not None and total == rest + (output or 0)
    return Usage(rest if inclusive else rest + cached + (written or 0), cached, written, output)


def _first(row: Row, names: tuple[str, ...]) -> int | None:
    return next((row.whole_or_none(name) for name in names if name in row), None)
