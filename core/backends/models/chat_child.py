"""Renders a model's chat template in a process of its own: ``python -I chat_child.py < task > answer``.

A template is a program that came with a model's file. Jinja2's sandbox keeps it from everything outside; it
does not keep it from running for ever or filling the memory, so this process has limits of both.
Nothing of Broth is imported here.
"""

from __future__ import annotations

import datetime
import json
import sys
from typing import Any

SECONDS = 2
MEMORY = 2**30
LONGEST = 1_000_000
"""Characters of the longest prompt that a template may make."""
DAY = datetime.date(2024, 7, 26)
"""The "today" of templates that insist on one; Llama 3.2's own names this day where it has no clock. A real
today would change every prompt at midnight, and no block would be hit the next day."""


def limit() -> None:
    """Let the system end this process where it takes too much (where there is such a limit)."""
    try:
        import resource
    except ImportError:  # Windows: the caller's patience is the only limit
        return
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def render(task: dict[str, Any]) -> str:
    """The prompt, by the rules of transformers' ``apply_chat_template``.

    Raises:
        Exception: whatever the template does wrong.
    """
    from jinja2 import nodes
    from jinja2.exceptions import TemplateError
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """``{% generation %}`` marks what is trained on, and changes nothing."""

        tags = {"generation"}  # noqa: RUF012  Jinja2 reads it from the class

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body, lineno=line)

    def refuse(message: object) -> None:
        raise TemplateError(str(message))

    def as_json(value: object, indent: int | None = None, **options: Any) -> str:
        return json.dumps(value, ensure_ascii=False, indent=indent, **options)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = as_json
    environment.globals["raise_exception"] = refuse
    if task["day"]:
        environment.globals["strftime_now"] = DAY.strftime
    none = {"tools": None, "documents": None}
    known = {**none, **task["tokens"], "messages": task["messages"], "add_generation_prompt": task["open"]}
    parts: list[str] = []
    size = 0
    for part in environment.from_string(task["template"]).generate(**known):
        size += len(part)
        if size > LONGEST:
            raise TemplateError(f"it writes more than {LONGEST} characters")
        parts.append(part)
    return "".join(parts)


def main() -> None:
    """One task, one answer."""
    limit()
    task = json.load(sys.stdin)
    try:
        answer = {"text": render(task)}
    except MemoryError:
        answer = {"wrong": "it takes too much memory"}
    except Exception as problem:  # noqa: BLE001  a template can raise anything; the caller says it
        answer = {"wrong": str(problem) or type(problem).__name__, "kind": type(problem).__name__}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
