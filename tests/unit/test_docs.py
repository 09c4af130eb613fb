"""The papers keep up with the code: every event, field, op, setting, frame key and rule is written down."""

from __future__ import annotations

import ast
import doctest
import importlib
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from core.conformance import check
from core.scenario.reader import _FIELDS, MAX_STEPS, MAX_TOKENS, OPS, load_scenario
from core.timeline.diagnose import ReasonKind
from core.timeline.event_log import SCHEMA_VERSION, event_types
from core.timeline.frame import Frame, RequestFrame, SlotFrame, Totals
from core.types import MAX_LESSON_SLOTS, POLICY_FIELDS, EngineConfig, config_field_names

ROOT = Path(__file__).resolve().parents[2]
EVENT_LOG = (ROOT / "docs" / "event-log.md").read_text("utf-8")
FIDELITY = (ROOT / "docs" / "fidelity.md").read_text("utf-8")
METRICS = (ROOT / "docs" / "metrics.md").read_text("utf-8")


def rows(text: str) -> dict[str, str]:
    """The rows of all tables by what stands in their first cell in code, else by its plain text."""
    found = {}
    for line in text.splitlines():
        if line.startswith("| ") and not line.startswith("| ---"):
            first, rest = line[2:].split(" | ", 1)
            found[first.strip("`")] = rest
    return found


EVENT_ROWS = rows(EVENT_LOG.split("## The frame")[0])
OP_ROWS, SETTING_ROWS = (rows(part) for part in EVENT_LOG.split("### Ops")[1].split("### Settings"))


def code_in(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", text))


@pytest.mark.parametrize("name", event_types())
def test_every_event_is_described_with_exactly_its_fields(name: str) -> None:
    described = re.findall(r"`(\w+)`", EVENT_ROWS[name].split(" | ")[0])
    assert described == [field.name for field in fields(event_types()[name])]


def test_block_events_stand_under_their_heading() -> None:
    section = EVENT_LOG.split("### Blocks (B)")[1].split("###")[0]
    listed = {name for name in event_types() if f"| `{name}` |" in section}
    assert listed == {name for name, kind in event_types().items() if kind.is_block_event}


@pytest.mark.parametrize("op", OPS)
def test_every_op_is_described_with_its_fields(op: str) -> None:
    described = code_in(OP_ROWS[op])
    required, optional = _FIELDS[op]
    for field in required | optional:
        if field in {
            "text",
            "tokens",
            "output",
            "output_tokens",
            "salt",
            "lora",
            "mm",
            "priority",
            "skip_read",
        }:
            assert f"`{field}`" in EVENT_LOG
        else:
            assert field in described, field


@pytest.mark.parametrize("name", config_field_names())
def test_every_setting_is_described_with_its_default(name: str) -> None:
    default = getattr(EngineConfig(), name)
    shown = SETTING_ROWS[name].split(" | ")[0].strip("`")
    assert shown == (default if isinstance(default, str) and default else json.dumps(default))


def test_policies_that_change_live_are_named_at_the_op() -> None:
    assert set(POLICY_FIELDS) <= code_in(OP_ROWS["policy"])


@pytest.mark.parametrize("kind", [Frame, SlotFrame, RequestFrame, Totals])
def test_every_key_of_a_frame_is_described(kind: type) -> None:
    section = EVENT_LOG.split("## The frame")[1].split("## Scenarios")[0]
    assert set(kind.__annotations__) - code_in(section) == set()


def test_bounds_and_schema_are_the_real_ones() -> None:
    for number in (MAX_LESSON_SLOTS, MAX_TOKENS, MAX_STEPS):
        assert f"{number:,}" in EVENT_LOG
    assert f'"schema":{SCHEMA_VERSION}' in EVENT_LOG


def test_the_scenario_in_the_paper_can_be_read() -> None:
    block = EVENT_LOG.split("```json\n")[2].split("```")[0]
    assert [command.op for command in load_scenario(block).commands] == ["submit", "run"]


# -- fidelity -------------------------------------------------------------------------------------------


def test_all_53_rules_are_there_in_order_each_with_its_verdict() -> None:
    rules = re.findall(r"^\| (\d+) \| (.+?) \| (.+?) \|$", FIDELITY, re.M)
    assert [int(number) for number, _, _ in rules] == list(range(1, 54))
    for number, rule, verdict in rules:
        assert re.fullmatch(r"(exact|equal|out)(; [\w ]+ out)?", verdict), (number, verdict)
        assert rule.endswith(".")


def test_every_rule_the_code_speaks_of_exists() -> None:
    numbers = set()
    for path in (ROOT / "core").rglob("*.py"):
        for found in re.findall(r"\brules? (\d+(?:[,-] ?\d+)*)", path.read_text("utf-8")):
            numbers |= {int(number) for number in re.findall(r"\d+", found)}
    assert numbers
    assert numbers <= set(range(1, 54))


def test_every_setting_of_our_own_is_explained() -> None:
    section = FIDELITY.split("## Beyond vLLM")[1].split("## Digests")[0]
    own = {*POLICY_FIELDS, "version", "queue_rule", "hash_name", "verify_tokens"}
    assert {name for name in own if f"`{name}`" not in section} == set()


@pytest.mark.slow
def test_the_counts_of_the_recordings_are_the_real_ones() -> None:
    folder = ROOT / "tests" / "conformance" / "data"
    reports = {path.name.split(".")[0]: check([path]) for path in folder.glob("*.jsonl.gz")}
    assert {report.exit_status for report in reports.values()} == {0}
    cases = reports.pop("cases").num_scenarios
    total = sum(report.num_scenarios for report in reports.values())
    operations = sum(report.num_operations for report in reports.values())
    cache = sum(r.num_scenarios for name, r in reports.items() if name.startswith(("hand", "random")))
    cache += reports["v033_cache"].num_scenarios
    told = (
        f"{total} recorded scenarios with {operations:,} operations",
        f"({cache} of the cache manager, {total - cache} of the scheduler;",
        f"and {cases} cases from public reports, 0 differences",
    )
    papers = " ".join(FIDELITY.split()), " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert [part for part in told if part not in papers[0]] == []
    assert told[0] in papers[1]


# -- metrics --------------------------------------------------------------------------------------------


def test_every_total_and_every_reason_is_defined() -> None:
    assert set(Totals.__annotations__) - code_in(METRICS) == set()
    told = METRICS.split("## Misses")[1].replace(" ", "_")
    special = {"collision", "skip_read", "caching_off"}
    places = [told.find(kind) for kind in get_args(ReasonKind) if kind not in special]
    assert -1 not in places
    assert places == sorted(places)


# -- examples in docstrings -------------------------------------------------------------------------------


def modules_with_examples() -> list[str]:
    found = []
    for path in sorted((ROOT / "core").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        nodes = (n for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef))
        if any(">>>" in (ast.get_docstring(node) or "") for node in nodes):
            found.append(".".join(path.relative_to(ROOT).with_suffix("").parts))
    return found


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings_are_true(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0
