"""Records scheduler scenarios: vLLM's own synchronous Scheduler with a stand-in for the model.

Each request carries the tokens that will be "sampled" for it; it finishes when they run out.
"""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from vllm.config import CacheConfig, KVEventsConfig, ModelConfig, SchedulerConfig, VllmConfig
from vllm.v1.core.encoder_cache_manager import EncoderCacheManager
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.outputs import ModelRunnerOutput
from vllm.v1.request import RequestStatus
from vllm.v1.structured_output import StructuredOutputManager

from tests.fidelity.recorder.contents import Contents
from tests.fidelity.recorder.parts import (
    MAX_MODEL_LEN,
    Counted,
    block_hasher,
    free_queue,
    kv_cache_config,
    make_request,
    told_events,
)

AMPLE = 1 << 30  # encoder budget and cache, in embeddings, so that no image is ever held back

# The smallest model that vLLM accepts the description of. No weight of it is ever made.
MODEL = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": 2000,
    "hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": MAX_MODEL_LEN,
    "dtype": "float32",
}


@cache
def model_config() -> ModelConfig:
    """Read once a process; vLLM wants a folder to read it from."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(MODEL), "utf-8")
        return ModelConfig(
            model=folder, dtype="float32", max_model_len=MAX_MODEL_LEN, skip_tokenizer_init=True
        )


def make_scheduler(config: dict[str, Any]) -> Scheduler:
    """vLLM's scheduler with a scenario's settings."""
    scheduler_config = SchedulerConfig(
        max_num_seqs=config["max_num_seqs"],
        max_num_batched_tokens=config["max_num_batched_tokens"],
        max_model_len=MAX_MODEL_LEN,
        is_encoder_decoder=False,
        enable_chunked_prefill=True,
        async_scheduling=False,
        watermark=config.get("watermark", 0.0),
        policy=config.get("policy", "fcfs"),
        long_prefill_token_threshold=config.get("long_prefill_token_threshold", 0),
        scheduler_reserve_full_isl=config.get("reserve_full_prompt", True),
    )
    block_size = config["block_size"]
    cache_config = CacheConfig(
        block_size=block_size, enable_prefix_caching=config.get("enable_caching", True)
    )
    vllm_config = VllmConfig(
        scheduler_config=scheduler_config,
        model_config=model_config(),
        cache_config=cache_config,
        kv_events_config=KVEventsConfig(enable_kv_cache_events=True, publisher="null"),
    )
    cache_config.block_size, cache_config.num_gpu_blocks = block_size, config["num_blocks"]
    register_specs(vllm_config)
    scheduler = Scheduler(
        vllm_config=vllm_config,
        kv_cache_config=kv_cache_config(config),
        block_size=block_size,
        log_stats=True,
        structured_output_manager=StructuredOutputManager(vllm_config),
    )
    scheduler.use_v2_model_runner = False
    # The model described above takes no images; the scheduler counts them all the same once it has a budget.
    scheduler.max_num_encoder_input_tokens = config.get("encoder_budget", AMPLE)
    scheduler.encoder_cache_manager = EncoderCacheManager(cache_size=config.get("encoder_cache", AMPLE))
    return scheduler


def register_specs(vllm_config: VllmConfig) -> None:
    """Newer versions want the kinds of attention registered; older ones know no such call."""
    from vllm.v1.core import single_type_kv_cache_manager as managers

    register = getattr(managers, "register_all_kvcache_specs", None)
    if register is not None:
        register(vllm_config)


class StepRecorder:
    """A scheduler, what it tells, and the tokens its requests will get."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.contents = Contents(config["block_size"])
        self._hasher = block_hasher(config["block_size"])
        self._scheduler = make_scheduler(config)
        self._manager = self._scheduler.kv_cache_manager
        self._counted = Counted()
        self._outputs: dict[str, list[int]] = {}  # of every request that ever came
        self._num_arrivals = 0
        self._preempted: list[str] = []
        self._events: list[Any] = []
        self._stats: Any = None
        self._listen()

    def _listen(self) -> None:
        """Look over vLLM's shoulder at three calls; each does what it did."""
        preempt = self._scheduler._preempt_request
        take_events, make_stats = self._manager.take_events, self._scheduler.make_stats

        def preempting(request: Any, *more: Any, **named: Any) -> None:
            self._preempted.append(request.request_id)
            preempt(request, *more, **named)

        def taking_events() -> list[Any]:
            events = take_events()
            self._events += events
            return events

        def making_stats(*more: Any, **named: Any) -> Any:
            self._stats = make_stats(*more, **named)
            return self._stats

        self._scheduler._preempt_request = preempting
        self._manager.take_events = taking_events
        self._scheduler.make_stats = making_stats

    def makes_sense(self, op: dict[str, Any]) -> bool:
        """Whether the operation can be asked now. What cannot is left out of a recording."""
        match op["op"]:
            case "add":
                return op["id"] not in self._scheduler.requests
            case "abort":
                return op["id"] in self._outputs
        return True

    def apply(self, op: dict[str, Any]) -> dict[str, Any]:
        """Carry out one operation and write down everything that can be seen of it."""
        out: dict[str, Any] = {}
        scheduler = self._scheduler
        match op["op"]:
            case "add":
                self._add(op)
            case "abort":
                scheduler.finish_requests(op["id"], RequestStatus.FINISHED_ABORTED)
            case "reset":
                out["ok"] = scheduler.reset_prefix_cache(reset_running_requests=op.get("running", False))
                out["preempted"] = self._taken_preempted()
            case "step":
                out = self._step()
            case verb:
                raise ValueError(f"unknown operation {verb}")
        out["running"] = [request.request_id for request in scheduler.running]
        out["waiting"] = [request.request_id for request in scheduler.waiting]
        out["computed"] = {name: request.num_computed_tokens for name, request in scheduler.requests.items()}
        out["queue"] = free_queue(self._manager.block_pool)
        return out

    def _add(self, op: dict[str, Any]) -> None:
        request = make_request(
            op, self._hasher, arrival=float(self._num_arrivals), max_tokens=len(op["outputs"])
        )
        self._num_arrivals += 1
        self._outputs[op["id"]] = op["outputs"]
        self._scheduler.add_request(request)

    def _step(self) -> dict[str, Any]:
        scheduler = self._scheduler
        # All: one that is scheduled and preempted in one step is in no output, but its blocks are told.
        for request in scheduler.requests.values():
            self.contents.learn(request)
        plan = scheduler.schedule()
        resumed = plan.scheduled_cached_reqs
        ids = list(plan.num_scheduled_tokens)
        out: dict[str, Any] = {
            "scheduled": [[name, count] for name, count in plan.num_scheduled_tokens.items()]
        }
        lists = {
            "admitted": [[new.req_id, new.num_computed_tokens] for new in plan.scheduled_new_reqs],
            "resumed": [
                [name, computed]
                for name, computed in zip(resumed.req_ids, resumed.num_computed_tokens, strict=True)
                if name in resumed.resumed_req_ids
            ],
            "preempted": self._taken_preempted(),
        }
        out["tables"] = {name: list(self._manager.get_block_ids(name)[0]) for name in ids}
        before = set(scheduler.requests)
        scheduler.update_from_output(plan, self._computed(ids))
        lists["finished"] = [name for name in ids if name in before and name not in scheduler.requests]
        lists["events"] = told_events(self._events, self.contents)
        self._events = []
        out |= {name: values for name, values in lists.items() if values}
        return out | self._counted.observe(self._stats.prefix_cache_stats)

    def _computed(self, ids: list[str]) -> ModelRunnerOutput:
        """What the model would say: the next token of everybody whose tokens are all computed."""
        requests = [self._scheduler.requests[name] for name in ids]
        return ModelRunnerOutput(
            req_ids=ids,
            req_id_to_index={name: index for index, name in enumerate(ids)},
            sampled_token_ids=[
                [] if request.is_prefill_chunk else [self._outputs[name][request.num_output_tokens]]
                for name, request in zip(ids, requests, strict=True)
            ],
        )

    def _taken_preempted(self) -> list[str]:
        preempted, self._preempted = self._preempted, []
        return preempted
