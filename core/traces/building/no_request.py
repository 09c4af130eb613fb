"""Which records are no request to a language model: one rule for all formats, by what each record says.

* **Nothing was generated**: embeddings, reranking, moderation, speech, images, counted tokens, health checks.
  The call's type or operation says so, its path, the model's name, or the shape of its body or its answer; a
  record that holds an answer's text is a request all the same (LiteLLM's list of call types; the API
  references of OpenAI, Anthropic, Gemini, Cohere).
* **It failed**: a status code that is not 2xx, a status in words, or an error where an answer and usage would
  be. A call that an error ended after usage was counted did reach the model, and stays.
* **It is the sum of others**: a row whose label is a total.

Formats whose exporters have rules of their own (a proxy's response cache) state those beside their map.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from core.traces.field_map import entered


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


_SILENT = _words(
    "embedding embeddings embed embed_content embed_contents embed_text batch_embed_contents",
    "rerank reranking moderation moderations transcription transcriptions audio_transcription",
    "audio_transcriptions audio_translation audio_translations speech audio_speech text_to_speech",
    "speech_to_text tts image_generation image_generations image_edit image_edits image_variation",
    "image_variations images_generations images_edits images_variations video_generation ocr",
    "count_tokens count_token token_count token_counter responses_input_tokens compute_tokens tokenize",
    "detokenize health healthz health_check health_liveliness health_liveness health_readiness livez readyz",
    "ping metrics models list_models create_batch retrieve_batch list_batches cancel_batch create_file",
    "retrieve_file delete_file list_files file_content create_vector_store vector_store_search",
)
"""Calls by type, operation or the end of their path, that give no answer of a language model."""
_SILENT_MODEL = re.compile(
    r"embed(?:ding)?s?(?![a-z])|rerank|-moderation|whisper|(?:^|/)tts-|dall-e|gpt-image|imagen(?![a-z])", re.I
)
_PROBE = "litellm-internal-health-check"
_NAMES = {
    "call": _words(
        "call_type operation operation_name gen_ai_operation_name api_type request_type api_operation"
    ),
    "path": _words(
        "endpoint url path uri route request_path request_url request_uri target_url http_target http_route",
        "http_url url_path url_full request_route user_api_key_request_route",
    ),
    "code": _words(
        "status_code response_status http_status http_status_code response_code response_status_code",
        "http_response_status_code status",
    ),
    "word": _words("status response_status status_text outcome state"),
    "good": _words("success ok is_success succeeded"),
    "error": _words("error errors exception error_message error_type error_str"),
    "model": _words("model model_name model_id request_model response_model"),
    "tags": _words("request_tags tags user_api_key_alias"),
    "label": _words("date day month time timestamp ts created_at start_time model model_name name id user"),
    "num": _words(
        "num_requests requests request_count requests_count n_requests total_requests num_calls calls",
        "call_count num_model_requests number_of_requests api_requests",
    ),
}
_FAILED = _words(
    "error errored failed failure fail timeout timed_out timedout canceled cancelled expired aborted",
    "rejected rate_limited exception internal_error status_code_error",
)
_NO_ERROR = ("", "none", "null", "nan", "false", "0", "{}", "[]", "no_error", "noerror")
_TOTALS = _words(
    "total totals sum grand_total subtotal sub_total summe gesamt gesamtsumme 合计 总计 总和 小计 合計 總計"
)
_STATUS = re.compile(r"\s*(?:HTTP\S*\s+)?(-?\d{1,3})(?:\.0)?(?![\d.])", re.I)
_HOLDERS = ("request", "response", "metadata", "http", "request_body", "response_body", "body")
_PROMPTS = (
    *("messages", "prompt", "contents", "input", "request", "request_body", "body", "hash_ids", "inputs"),
)
_TEXTS = ("choices", "candidates", "output", "content", "completion")
_COUNTS = ("usage", "usageMetadata", "completion_tokens", "output_tokens")
_COUNTED = _words(
    "totalTokens totalBillableCharacters cachedContentTokenCount promptTokensDetails input_tokens"
)
_LONGEST_NAME = 80


def why_no_request(data: Mapping[str, Any]) -> str | None:
    """The code of the note that says why a record is left out; None for a request. O(fields)."""
    holders = [data, *_inner(data)]
    if (any(map(_is_silent, holders)) or _has_silent_body(data, holders)) and not _answers(
        data, holders, _TEXTS
    ):
        return "no_generation"
    if any(map(_has_bad_status, holders)) or _has_only_error(data, holders):
        return "failed"
    return "total_row" if _is_total(data) else None


def stands_for_several(data: Mapping[str, Any]) -> str | None:
    """The column by which a row of counts stands for more than one request."""
    if any(data.get(name) for name in _PROMPTS):
        return None
    for name in _named(data, "num"):
        number = data[name]
        if isinstance(number, str):
            number = int(number) if number.strip().isdecimal() else 0
        if type(number) in (int, float) and number > 1:
            return name
    return None


def _inner(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The objects in which a record may say it instead: the call, the answer, and what lies in them."""
    for name in _HOLDERS:
        value = data.get(name)
        if isinstance(value, dict):
            yield value
            inner = value.get("body")
            if isinstance(inner, dict):
                yield inner


def _answers(data: Mapping[str, Any], holders: list[Mapping[str, Any]], names: tuple[str, ...]) -> bool:
    """Whether any of these stands in the record or its answer."""
    answers = (holder for holder in holders if holder is not data.get("request"))
    return any(name in holder and _is_something(holder[name]) for holder in answers for name in names)


def _named(holder: Mapping[str, Any], role: str) -> tuple[str, ...]:
    """Which of an object's fields have one of a role's names, in whatever spelling."""
    return _roles(tuple(holder)).get(role, ())


@lru_cache(maxsize=4096)
def _roles(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """What the fields of these names say, by role; most records of a log have the same."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        word = _snake(name) if len(name) <= _LONGEST_NAME else ""
        for role in (role for role, wanted in _NAMES.items() if word in wanted):
            found[role] = (*found.get(role, ()), name)
    return found


def _snake(text: str) -> str:
    """statusCode, "Status Code" and http.status-code as one spelling."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text.strip())
    return re.sub(r"[\s.\-]+", "_", apart).lower()


# -- nothing was generated -------------------------------------------------------------------------------


def _is_silent(holder: Mapping[str, Any]) -> bool:
    for name in _named(holder, "call"):
        if isinstance(holder[name], str) and _is_silent_call(holder[name]):
            return True
    for name in _named(holder, "path"):
        if isinstance(holder[name], str) and _is_silent_path(holder[name]):
            return True
    for name in _named(holder, "model"):
        if isinstance(holder[name], str) and _SILENT_MODEL.search(holder[name][:_LONGEST_NAME]):
            return True
    return any(_PROBE in str(holder[name])[:1000] for name in _named(holder, "tags") if holder[name])


@lru_cache(maxsize=4096)
def _is_silent_call(text: str) -> bool:
    word = _snake(text[:_LONGEST_NAME])
    return word in _SILENT or (word[:1] == "a" and word[1:] in _SILENT)


@lru_cache(maxsize=4096)
def _is_silent_path(text: str) -> bool:
    path = text.partition("?")[0].strip().rstrip("/")
    steps = [_snake(step) for step in re.split(r"[/:]", path)[-2:]]
    if "/" not in path and len(steps) == 1:
        return steps[0] in _SILENT
    return steps[-1] in _SILENT or "_".join(steps) in _SILENT


def _has_silent_body(data: Mapping[str, Any], holders: list[Mapping[str, Any]]) -> bool:
    for holder in holders:
        if "messages" in holder or "contents" in holder:
            continue
        if "input" in holder and any(name in holder for name in ("encoding_format", "dimensions", "voice")):
            return True
        if "query" in holder and isinstance(holder.get("documents"), list):
            return True
        if _is_silent_answer(holder):
            return True
    answer = data.get("response")
    return isinstance(answer, dict) and bool(answer) and set(answer) <= _COUNTED


def _is_silent_answer(answer: Mapping[str, Any]) -> bool:
    for name, marks in (("data", ("embedding", "b64_json")), ("results", ("relevance_score", "flagged"))):
        found = answer.get(name)
        first = found[0] if isinstance(found, list) and found else None
        if isinstance(first, dict) and any(mark in first for mark in marks):
            return True
    return isinstance(answer.get("embeddings"), list)


# -- it failed -------------------------------------------------------------------------------------------


def _has_bad_status(holder: Mapping[str, Any]) -> bool:
    for name in _named(holder, "code"):
        code = _status(holder[name])
        if code is not None:
            return not 200 <= code < 300
    for name in _named(holder, "word"):
        if isinstance(holder[name], str) and _snake(holder[name][:_LONGEST_NAME]) in _FAILED:
            return True
    return any(
        holder[name] is False or (isinstance(holder[name], str) and holder[name].strip().lower() == "false")
        for name in _named(holder, "good")
    )


def _status(value: object) -> int | None:
    """An HTTP status; None for what is no such number (0 is success elsewhere)."""
    if isinstance(value, str):
        match = _STATUS.match(value)
        value = int(match[1]) if match else None
    if type(value) not in (int, float) or not isinstance(value, int | float):
        return None
    return int(value) if value < 0 or 100 <= value < 600 else None


def _has_only_error(data: Mapping[str, Any], holders: list[Mapping[str, Any]]) -> bool:
    """An error where an answer and its usage would be."""
    if not any(_is_error(holder[name]) for holder in holders for name in _named(holder, "error")):
        return False
    return not _answers(data, holders, (*_TEXTS, *_COUNTS))


def _is_error(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in _NO_ERROR
    return isinstance(value, dict | list) and bool(value)


def _is_something(value: object) -> bool:
    value = entered(value)
    if isinstance(value, dict):
        if "embeddings" in value or "results" in value:
            return False  # vectors or scores under an answer's name (DashScope)
        return any(_is_something(inner) for inner in value.values())
    return value.strip() not in ("", "0") if isinstance(value, str) else bool(value)


# -- sums ------------------------------------------------------------------------------------------------


def _is_total(data: Mapping[str, Any]) -> bool:
    if any(data.get(name) for name in _PROMPTS):
        return False
    first = next((name for name in data if data[name] not in (None, "")), None)
    places = (*_named(data, "label"), *((first,) if first is not None else ()))
    return any(isinstance(data[name], str) and _is_total_word(data[name]) for name in places)


def _is_total_word(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and _snake(text.strip().rstrip(":：")) in _TOTALS
