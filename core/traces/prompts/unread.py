"""Fields of a request's body that become no part of the prompt here, weighed in bytes.

A body holds what the model sees (messages, tools), what steers the answer (temperature), and sometimes what
this project does not know. The last kind may be a part of the prompt, and then every rate is wrong: it is
named. Nobody can tell by a name alone, so these rules decide, in this order:

* names that enter a prompt wherever they are known are named whatever they hold: OpenAI's old
  `functions`, `previous_response_id` (the history stays at the provider), vLLM's `documents` and
  `chat_template*`, Gemini's `cachedContent`;
* known parameters, numbers, truth values and whatever is at most 64 bytes long are "parameters", one line;
* what answers a request (`response`, `choices`, …) is no part of it;
* everything else is named.

Weighed are all of the first 1,000 records and every 16th behind them, which stands for its neighbours: 200 MB
cost about 0.3 s. Which fields there are, and in how many records, is counted over all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Set
from dataclasses import dataclass

from core.texts import text_bytes
from core.traces.left_out import MOST_SHOWN, UnreadField
from core.traces.rows import Row

EXACT_RECORDS = 1000
SAMPLED = 16
SMALL = 64
"""Bytes up to which an unknown field is taken for a name or a switch."""
PARAMETERS = "parameters"


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


PROMPT_FIELDS = _names(
    """
    functions documents previous_response_id conversation prompt_template chat_template chat_template_kwargs
    cachedContent cached_content suffix mcp_servers system_prompt preamble chat_history
    """
)
"""Names that enter a prompt in some API; what a reader does read is never looked up here."""
READ_FIELDS = _names(
    """
    request_id id custom_id timestamp ts created_at request_time time session_id session
    conversation_id thread_id prompt_cache_key tenant tenant_id user end_user tag route tags
    template template_id prompt_name model lora_name lora_path adapter cache_salt extra_key usage
    """
)
"""What every reader looks up to tell requests apart (core/traces/mapping/mapped.py): read, and no prompt."""
PARAMETER_FIELDS = _names(
    """
    temperature top_p top_k min_p typical_p n best_of max_tokens max_completion_tokens
    max_output_tokens max_new_tokens max_tool_calls min_tokens stop stop_sequences stop_token_ids
    seed stream stream_options presence_penalty frequency_penalty repetition_penalty length_penalty
    logit_bias logprobs top_logprobs prompt_logprobs metadata store service_tier parallel_tool_calls
    tool_choice function_call toolConfig tool_config thinking reasoning reasoning_effort verbosity
    modalities audio truncation include background safety_identifier prompt_cache_retention
    prompt_cache_options echo ignore_eos skip_special_tokens spaces_between_special_tokens
    guided_regex guided_choice priority add_generation_prompt continue_final_message
    add_special_tokens anthropic_version anthropic_beta betas output_config context_management
    generationConfig generation_config safetySettings safety_settings inferenceConfig
    guardrailConfig performanceConfig additionalModelResponseFieldPaths sampling_params
    sampling_parameters parameters created cost latency duration headers request_headers object name
    version options keep_alive usageDetails usage_details costDetails cost_details
    completionStartTime startTime endTime completion_start_time start_time end_time hidden_params
    """
)
"""What steers an answer, counts it or names it: OpenAI, Anthropic, Gemini, Bedrock, vLLM, Ollama."""
ANSWER_FIELDS = _names(
    """
    usageDetails usage_details costDetails cost_details providedUsageDetails
    response responses response_body choices completion completions output outputs answer answers result
    results generated_text output_token_ids output_text error errors candidates usageMetadata logs trace
    """
)
"""What stands beside a request in a record that is no body by itself."""
_ASIDE = READ_FIELDS | ANSWER_FIELDS
MESSAGE_FIELDS = _names(
    """
    role content parts name tool_calls tool_call_id function_call reasoning_content refusal annotations
    cache_control id
    type status object created_at timestamp metadata phase
    """
)
"""What a message has and what of it is read (core/traces/prompts/chat.py), or is no part of a prompt."""
_INDEX = re.compile(r"\[\d+\]")


@dataclass(slots=True)
class _Found:
    """One path: bytes as weighed, records, and the largest value seen."""

    num_bytes: int = 0
    num_records: int = 0
    largest: int = 0


class Unread:
    """Collects during one reading. `record` begins a record, `drop` forgets it (it was broken)."""

    def __init__(self) -> None:
        self._paths: dict[str, _Found] = {}
        self._pending: dict[str, int | None] = {}
        self._row: Row | None = None
        self._has_body = False
        self._num_bodies = 0
        self._num_bytes = 0

    def record(self, row: Row) -> None:
        """The next record; the one before it is counted."""
        if self._has_body:
            self._count()
        self._row = row

    def drop(self) -> None:
        """The record was broken: nothing of it counts."""
        self._pending.clear()
        self._has_body = False

    def body(self, body: Row, used: Set[str]) -> None:
        """A body of the record, of which the prompt is made from the fields `used`."""
        self._has_body = True
        for name in body.value.keys() - used - _ASIDE:
            self._add(body, name)

    def message(self, message: Row) -> None:
        """A message of a chat, as `ChatRenderer.turn` reads it."""
        for name in message.value.keys() - MESSAGE_FIELDS:
            self._add(message, name)

    def _add(self, row: Row, name: str) -> None:
        value = row.value[name]
        if value is None or value == "" or value == [] or value == {}:
            return
        path = _INDEX.sub("[]", row.name(name))
        more = _size(value) if self._is_weighed() else None
        known = self._pending.get(path)
        self._pending[path] = more if known is None or more is None else known + more

    def _is_weighed(self) -> bool:
        return self._num_bodies < EXACT_RECORDS or self._num_bodies % SAMPLED == 0

    def _count(self) -> None:
        """The record is whole: what was found in it counts."""
        weight = 1 if self._num_bodies < EXACT_RECORDS else SAMPLED
        if self._is_weighed() and self._row is not None:
            self._num_bytes += weight * _size(self._row.value)
        for path, size in self._pending.items():
            found = self._paths.setdefault(path, _Found())
            found.num_records += 1
            if size is not None:
                found.num_bytes += weight * size
                found.largest = max(found.largest, size)
        self._num_bodies += 1
        self.drop()

    # -- the end --------------------------------------------------------------------------------------

    def fields(self) -> tuple[UnreadField, ...]:
        """What may belong to the prompt, most bytes first; then the parameters as one."""
        if self._has_body:
            self._count()
        named = {path: found for path, found in self._paths.items() if _may_be_prompt(path, found)}
        fields = [self._field(path, found) for path, found in named.items()]
        fields.sort(key=lambda one: (-one.share, one.path))
        others = sorted(path for path in self._paths if path not in named)
        if others:
            size = sum(self._paths[path].num_bytes for path in others)
            most = max(self._paths[path].num_records for path in others)
            fields = fields[:MOST_SHOWN]
            fields.append(
                UnreadField(PARAMETERS, self._share(size), most, self._is_estimate, False, tuple(others))
            )
        return tuple(fields[: MOST_SHOWN + 1])

    def _field(self, path: str, found: _Found) -> UnreadField:
        return UnreadField(path, self._share(found.num_bytes), found.num_records, self._is_estimate)

    @property
    def _is_estimate(self) -> bool:
        return self._num_bodies > EXACT_RECORDS

    def _share(self, size: int) -> float:
        """Of all records; a body that was packed as text inside its record never weighs more than it."""
        return min(1.0, size / self._num_bytes) if self._num_bytes else 0.0


def _may_be_prompt(path: str, found: _Found) -> bool:
    name = path.rsplit(".", 1)[-1]
    if name in PROMPT_FIELDS:
        return True
    return name not in PARAMETER_FIELDS and found.largest > SMALL


def _size(value: object) -> int:
    """Bytes of a value as JSON."""
    if type(value) in (int, float, bool):
        return len(str(value))
    try:
        return len(text_bytes(json.dumps(value, ensure_ascii=False, default=str)))
    except (RecursionError, ValueError):
        return 0
