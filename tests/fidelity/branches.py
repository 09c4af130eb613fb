"""Which branches of vLLM's own code a run has taken, and why it could not take the others."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fidelity.reasons import reason

# What we look at: a title, the end of a file's name, functions in it. What a version lacks is skipped.
PARTS = (
    (
        "one step",
        "sched/scheduler.py",
        r"Scheduler\.(schedule|_get_local_prefix_cache_hit|_update_after_schedule)\b.*",
    ),
    ("images in a step", "sched/scheduler.py", r"Scheduler\._(try_schedule|allocate|free)_encoder_inputs?"),
    (
        "arrival, preemption, end, reset",
        "sched/scheduler.py",
        r"Scheduler\.(add_request|_enqueue_waiting_request|_preempt_request|finish_requests|_free_request.*"
        r"|_free_blocks|reset_prefix_cache)",
    ),
    (
        "a step's outcome",
        "sched/scheduler.py",
        r"Scheduler\.(update_from_output|_update_request_with_output|_handle_stopped_request)",
    ),
    ("waiting queues", "sched/request_queue.py", r"(FCFS|Priority)RequestQueue\..*"),
    ("a request's rank", "v1/request.py", r"Request\.__lt__"),
    ("cache manager", "kv_cache_manager.py", r"KVCacheManager\.(?!__init__).*"),
    (
        "coordinator",
        "kv_cache_coordinator.py",
        r"(KVCacheCoordinator|KVCacheCoordinatorNoPrefixCache|UnitaryKVCacheCoordinator)\.(?!__init__).*",
    ),
    (
        "full attention",
        "single_type_kv_cache_manager.py",
        r"(SingleTypeKVCacheManager|FullAttentionManager)\.(?!__init__).*",
    ),
    ("block pool", "block_pool.py", r"(BlockPool|BlockHashToBlockMap)\..*"),
    ("free queue", "kv_cache_utils.py", r"FreeKVCacheBlockQueue\..*"),
    (
        "what a hash is made of",
        "kv_cache_utils.py",
        r"(_gen_.*|generate_block_hash_extra_keys|hash_block_tokens|get_request_block_hasher\b.*)",
    ),
)


@dataclass(frozen=True)
class Untaken:
    """A branch nobody took: where, on which condition, and why not (nothing, if it could have been)."""

    function: str
    line: int
    condition: str
    why: str


@dataclass
class Part:
    """One row of the table."""

    title: str
    num_branches: int = 0
    num_taken: int = 0
    untaken: list[Untaken] = field(default_factory=list)

    @property
    def num_out(self) -> int:
        """Branches that belong to what is out of scope."""
        return sum(bool(branch.why) for branch in self.untaken)


def read_parts(report: Path, root: Path) -> list[Part]:
    """The rows, from coverage's JSON report; `root` is the folder its file names are relative to."""
    files: dict[str, Any] = json.loads(report.read_text("utf-8"))["files"]
    parts = []
    for title, ending, functions in PARTS:
        part = Part(title)
        for name in [name for name in files if name.replace("\\", "/").endswith(ending)]:
            source = _Source(root / name)
            for function, found in files[name]["functions"].items():
                if re.fullmatch(functions, function):
                    _add(part, function, found, source)
        parts.append(part)
    return parts


def _add(part: Part, function: str, found: dict[str, Any], source: _Source) -> None:
    part.num_taken += len(found["executed_branches"])
    part.num_branches += len(found["executed_branches"]) + len(found["missing_branches"])
    executed = set(found["executed_lines"])
    for line, _ in found["missing_branches"]:
        condition = source.condition(line)
        causes = source.causes(line, executed) if executed else [condition, function]
        part.untaken.append(Untaken(function, line, condition, reason(causes)))


class _Source:
    """One of vLLM's files: the condition that is asked in each line, and those it stands under."""

    def __init__(self, path: Path) -> None:
        self._text = path.read_text("utf-8")
        self._conditions: dict[int, list[tuple[int, str]]] = {}  # outermost first, its own last: (line, text)
        self._walk(ast.parse(self._text), [])

    def condition(self, line: int) -> str:
        """What is asked in this line."""
        return self._conditions.get(line, [(line, "")])[-1][1]

    def causes(self, line: int, executed: set[int]) -> list[str]:
        """What may have kept a branch from being taken: its condition and, if its line was never reached,
        those above it, up to the first that was."""
        causes = []
        for above, text in reversed(self._conditions.get(line, [])):
            causes.append(text)
            if above in executed:
                break
        return causes

    def _walk(self, node: ast.AST, above: list[tuple[int, str]]) -> None:
        test = getattr(node, "test", None) or getattr(node, "iter", None)
        if test is not None and hasattr(node, "lineno"):
            text = " ".join((ast.get_source_segment(self._text, test) or "").split())
            above = [*above, (node.lineno, text)]
            for line in range(node.lineno, test.end_lineno + 1):
                self._conditions[line] = above
        for child in ast.iter_child_nodes(node):
            self._walk(child, above)


def why_not(parts: list[Part]) -> Counter[str]:
    """How many branches each reason explains."""
    return Counter(branch.why for part in parts for branch in part.untaken if branch.why)


def listing(parts: list[Part]) -> str:
    """Every untaken branch, one a line, those without a reason first."""
    rows = sorted(
        (branch.why, part.title, branch.function, branch.line, branch.condition)
        for part in parts
        for branch in part.untaken
    )
    return "\n".join(
        f"{why or '???'}: {title}: {name}:{line}: {text}" for why, title, name, line, text in rows
    )
