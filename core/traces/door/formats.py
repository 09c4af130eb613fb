"""All formats, in the order in which they are asked: the more specific one first."""

from __future__ import annotations

from core.traces import problems
from core.traces.building.reader import Format
from core.traces.readers.anthropic import ANTHROPIC
from core.traces.readers.bailian import BAILIAN
from core.traces.readers.claude_code_blocks import CLAUDE_CODE_BLOCKS
from core.traces.readers.claude_code_transcript import CLAUDE_CODE_TRANSCRIPT
from core.traces.readers.codex_rollout import CODEX_ROLLOUT
from core.traces.readers.conversations import LMSYS, SHAREGPT
from core.traces.readers.engine_events import KV_EVENTS
from core.traces.readers.gateway_csv import GATEWAY_CSV
from core.traces.readers.langfuse import LANGFUSE
from core.traces.readers.lengths_csv import AZURE, BURSTGPT
from core.traces.readers.litellm import LITELLM
from core.traces.readers.llmservingsim import LLMSERVINGSIM
from core.traces.readers.mooncake import MOONCAKE, SIMULATOR
from core.traces.readers.mooncake_sessions import MOONCAKE_SESSIONS
from core.traces.readers.openai_batch import OPENAI_BATCH
from core.traces.readers.openai_chat import OPENAI_CHAT
from core.traces.readers.prompts import PROMPTS, TEXT_LINES
from core.traces.readers.sagemaker import SAGEMAKER
from core.traces.readers.sglang_log import SGLANG_LOG
from core.traces.readers.token_ids import TOKEN_IDS
from core.traces.readers.vllm_metrics import VLLM_METRICS

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
    LITELLM,
    LANGFUSE,
    SAGEMAKER,
    KV_EVENTS,
    SHAREGPT,
    LMSYS,
    ANTHROPIC,
    TOKEN_IDS,
    OPENAI_CHAT,
    PROMPTS,
    GATEWAY_CSV,
    AZURE,
    BURSTGPT,
    SGLANG_LOG,
    VLLM_METRICS,
    TEXT_LINES,
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
