"""All formats, in the order in which they are asked: the more specific one first."""

from __future__ import annotations

from core.traces import problems
from core.traces.building.reader import Format
from core.traces.mapping.by_map import BY_MAP
from core.traces.readers.anthropic import ANTHROPIC, ANTHROPIC_BATCH
from core.traces.readers.bailian import BAILIAN
from core.traces.readers.bedrock import BEDROCK
from core.traces.readers.claude_code_blocks import CLAUDE_CODE_BLOCKS
from core.traces.readers.claude_code_transcript import CLAUDE_CODE_TRANSCRIPT
from core.traces.readers.codex_rollout import CODEX_ROLLOUT
from core.traces.readers.conversations import LMSYS, SHAREGPT
from core.traces.readers.engine_events import KV_EVENTS
from core.traces.readers.engine_log import ENGINE_LOG
from core.traces.readers.engine_metrics import ENGINE_METRICS, PROMETHEUS_API
from core.traces.readers.gateway_csv import GATEWAY_CSV
from core.traces.readers.gemini import GEMINI
from core.traces.readers.helicone import HELICONE, HELICONE_CSV
from core.traces.readers.langfuse import LANGFUSE, LANGFUSE_CSV
from core.traces.readers.langsmith import LANGSMITH
from core.traces.readers.lengths_csv import AZURE, BURSTGPT
from core.traces.readers.litellm import LITELLM
from core.traces.readers.llmservingsim import LLMSERVINGSIM
from core.traces.readers.mooncake import MOONCAKE, SIMULATOR
from core.traces.readers.mooncake_sessions import MOONCAKE_SESSIONS
from core.traces.readers.openai_chat import OPENAI_BATCH, OPENAI_CHAT, STORED_COMPLETIONS
from core.traces.readers.opentelemetry import OPENTELEMETRY
from core.traces.readers.pairs import PAIRS
from core.traces.readers.phoenix import PHOENIX
from core.traces.readers.prompts import PROMPTS, TEXT_LINES, TOKEN_IDS
from core.traces.readers.responses import RESPONSES
from core.traces.readers.sagemaker import SAGEMAKER
from core.traces.readers.sglang_log import SGLANG_LOG
from core.traces.readers.usage_lines import USAGE_LINES
from core.traces.readers.vllm_log import VLLM_LOG

FORMATS: tuple[Format, ...] = (
    CODEX_ROLLOUT,
    BAILIAN,
    SIMULATOR,
    MOONCAKE_SESSIONS,
    MOONCAKE,
    CLAUDE_CODE_BLOCKS,
    CLAUDE_CODE_TRANSCRIPT,
    LLMSERVINGSIM,
    OPENAI_BATCH,
    ANTHROPIC_BATCH,
    STORED_COMPLETIONS,
    LITELLM,
    LANGFUSE,
    SAGEMAKER,
    BEDROCK,
    HELICONE,
    LANGSMITH,
    PHOENIX,
    OPENTELEMETRY,
    GEMINI,
    KV_EVENTS,
    PROMETHEUS_API,
    SHAREGPT,
    LMSYS,
    ANTHROPIC,
    RESPONSES,
    PAIRS,
    TOKEN_IDS,
    OPENAI_CHAT,
    PROMPTS,
    USAGE_LINES,
    GATEWAY_CSV,
    LANGFUSE_CSV,
    HELICONE_CSV,
    AZURE,
    BURSTGPT,
    SGLANG_LOG,
    VLLM_LOG,
    ENGINE_METRICS,
    ENGINE_LOG,
    TEXT_LINES,
    BY_MAP,
)
NAMES = tuple(entry.name for entry in FORMATS)


def format_named(name: str) -> Format:
    """The format of that name.

    Raises:
        TraceError: there is none.
    """
    for entry in FORMATS:
        if entry.name == name:
            return entry
    raise problems.no_such_format(name, ", ".join(NAMES))
