"""LangSmith's runs, as its export and its SDK write them: one run a record, `run_type` says of what kind.

Source rules (its run schema, and LangChain's serialised messages, as public repositories have them):
`inputs.messages` is a list of lists of messages, each `{"id": […, "HumanMessage"], "kwargs": {…}}` or
`{"type": "human", "data": {…}}`; counts stand on the run (`prompt_tokens`,
`prompt_token_details.cache_read`) or in the answer's `llm_output.token_usage`. Only runs of models are calls;
chains, tools and retrievers only lead to them.
"""

from __future__ import annotations

from core.traces.mapping.mapped import Rules, common, mapped
from core.traces.rows import Row


def _left_out(row: Row) -> str | None:
    if row.get("run_type") not in ("llm", "chat_model"):
        return "other_rows"
    return "failed" if row.get("error") else None


LANGSMITH = mapped(
    "langsmith",
    "LangSmith runs",
    "json",
    ("text", "usage"),
    lambda data: "run_type" in data and "inputs" in data,
    common(
        "inputs.messages",
        "inputs.prompts[0]",
        "inputs.prompt",
        id=("id", "run_id"),
        time=("start_time",),
        session=("extra.metadata.thread_id", "extra.metadata.session_id", "extra.metadata.conversation_id"),
        model=(
            "extra.metadata.ls_model_name",
            "extra.invocation_params.model",
            "extra.invocation_params.model_name",
        ),
        usage=(".", "outputs.usage_metadata", "outputs.llm_output.token_usage", "outputs.llm_output.usage"),
    ),
    Rules(left_out=_left_out),
)
