"""Which engines can be asked beside ours: llama.cpp where its package is installed, and the server that was
named when the app was started. Nobody types an address here."""

from __future__ import annotations

import os
import time
from functools import partial

from core.backends.decoders.loader import Model
from core.backends.engines.address import server_address
from core.backends.engines.base import PromptEngine
from core.backends.engines.comparison import Plan, compare_engines
from core.backends.engines.llama import LlamaEngine, can_compute, llama_available
from core.backends.engines.openai_server import OpenAiEngine
from core.backends.engines.opening import Opens
from core.backends.experiments.report import Report
from core.backends.progress import Cancelled, Progress

SERVER, KEY, MODEL = "BROTH_SERVER", "BROTH_SERVER_KEY", "BROTH_SERVER_MODEL"
"""Environment variables: the address, its key (never shown), and which of its models."""

_LARGE = 20e6


def server_named() -> bool:
    """Whether whoever started the app named a server."""
    return bool(os.environ.get(SERVER, "").strip())


def plan_for(num_parameters: float) -> Plan:
    """How much is asked: half-long prompts and fewer rounds of a large model."""
    return Plan(total=320, users=(1, 4), rounds=3) if num_parameters > _LARGE else Plan()


def measure_engines(
    model: Model, progress: Progress, cancelled: Cancelled, plan: Plan | None = None
) -> Report:
    """The same prompts through all engines that can be had."""
    plan = (plan or plan_for(model.spec.num_parameters)).fitting(model.spec.max_positions)
    others: list[Opens] = []
    if llama_available() and can_compute(model):
        others.append(partial(_llama, model, plan, cancelled))
    if server_named():
        others.append(_server)
    seed = time.time_ns()  # a server remembers the last measurement: every one needs new prompts
    return compare_engines(model, others, seed=seed, plan=plan, progress=progress, cancelled=cancelled)


def _llama(model: Model, plan: Plan, cancelled: Cancelled) -> PromptEngine:
    return LlamaEngine(model, plan.total + 32, slots=max(plan.users), cancelled=cancelled)


def _server() -> PromptEngine:
    address = server_address(os.environ[SERVER], os.environ.get(KEY, ""))
    return OpenAiEngine(address, model=os.environ.get(MODEL, ""))
