"""A model's own chat template (Jinja2): conversation in, prompt out, in a process with limits."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from core.errors import BackendError

CHILD = Path(__file__).resolve().with_name("chat_child.py")
LONGEST = 200_000
"""Characters of the longest template that is read; those of models have a few thousand."""
_PATIENCE = 20.0
"""Seconds until a process that does not end is ended: more than its CPU time, for the machine may be busy."""

Messages = tuple[tuple[str, str], ...]
"""(role, text) in order."""
Named = tuple[tuple[str, str], ...]
"""(bos_token, its name) and the like, which templates may ask for."""


@lru_cache(maxsize=128)
def render(model: str, template: str, tokens: Named, messages: Messages, *, open_answer: bool = True) -> str:
    """The prompt for these messages; ``open_answer``: up to where the answer begins.

    Raises:
        BackendError: the template refuses them, is none, or takes too long or too much.
    """
    if len(template) > LONGEST:
        raise _wrong(model, f"it has more than {LONGEST} characters")
    task = {
        "template": template,
        "tokens": dict(tokens),
        "messages": [{"role": role, "content": text} for role, text in messages],
        "open": open_answer,
        "day": False,
    }
    answer = _ask(model, task)
    if "strftime_now" in answer.get("wrong", ""):
        answer = _ask(model, {**task, "day": True})
    if "wrong" in answer:
        raise _wrong(model, answer["wrong"])
    return answer["text"]


def _ask(model: str, task: dict[str, object]) -> dict[str, str]:
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-X", "utf8", str(CHILD)],
            input=json.dumps(task).encode("ascii"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=True,
        )
        answer: dict[str, str] = json.loads(done.stdout)
    except subprocess.TimeoutExpired as problem:
        raise _wrong(model, "it does not come to an end") from problem
    except (subprocess.CalledProcessError, ValueError) as problem:  # ended at its limit
        raise _wrong(model, "it takes too long or too much memory") from problem
    except OSError as problem:
        raise _wrong(model, "no process could be started for it") from problem
    return answer


def _wrong(model: str, why: str) -> BackendError:
    why = why if len(why) <= 200 else why[:200] + "…"
    return BackendError(
        "backend.chat_template",
        f"The chat template of {model} does not take this conversation: {why}. Change the texts, or choose "
        "another model.",
        name=model,
        why=why,
    )
