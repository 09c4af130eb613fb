"""LLMServingSim workloads: flat requests and agentic sessions.

Source rule: times in nanoseconds. Flat: `input_toks, output_toks, arrival_time_ns, input_tok_ids,
output_tok_ids`; agentic: `session_id, arrival_time_ns, sub_requests[{input_toks, output_toks,
tool_duration_ns, …}]`, where each sub-request follows the one before after its tool's time (answers take
time too, which is not in the file: arrivals are lower bounds). Without `*_tok_ids` only lengths are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.model import TraceRequest
from core.traces.prompts.bodies import Segments, token_segment
from core.traces.rows import Row
from core.traces.timestamps import nanoseconds


def _read(builder: Builder, row: Row) -> None:
    arrival = nanoseconds(row, "arrival_time_ns")
    session = row.label("session_id")
    if row.get("sub_requests") is None:
        builder.add(_request(row, builder.next_id(row, "request_id", "id"), arrival, session))
        return
    name = session or builder.next_id(row)
    requests = []
    for number, sub in enumerate(row.objects("sub_requests"), 1):
        requests.append(_request(sub, f"{name}/{number}", arrival, name))
        if arrival is not None:
            arrival += nanoseconds(sub, "tool_duration_ns") or 0.0
    for request in requests:
        builder.add(request)
    if len(requests) > 1 and arrival is not None:
        builder.note("delay", len(requests) - 1)


def _request(row: Row, name: str, arrival: float | None, session: str | None) -> TraceRequest:
    segments: Segments = ()
    length = row.whole("input_toks", least=1)
    if row.get("input_tok_ids") is not None:
        segments = token_segment(row, "input_tok_ids")
        if len(segments[0].token_ids) != length:
            raise row.wrong("input_tok_ids", f"{length} ids (input_toks)")
    output = row.token_ids("output_tok_ids") if row.get("output_tok_ids") is not None else None
    return TraceRequest(
        request_id=name,
        num_tokens=length,
        arrival_s=arrival,
        segments=segments,
        num_output=row.whole_or_none("output_toks"),
        output_ids=output,
        session=session,
        line=row.place.line,
    )


def _claims(data: Mapping[str, Any]) -> bool:
    return "input_toks" in data or isinstance(data.get("sub_requests"), list)


LLMSERVINGSIM = Format(
    "llmservingsim",
    "LLMServingSim",
    "json",
    frozenset({"tokens", "lengths"}),
    _claims,
    each_row(_read),
)
