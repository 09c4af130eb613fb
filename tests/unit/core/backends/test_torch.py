"""torch beside numpy: same weights, same logits; threads, devices and float types; and life without torch."""

from __future__ import annotations

import builtins
import importlib.util
import threading
import time
from typing import Any

import numpy as np
import pytest

from core.backends.base import compare
from core.backends.decoders import numpy_prefill
from core.backends.decoders.loader import ModelLoader
from core.backends.decoders.numpy_prefill import NumpyBackend
from core.backends.decoders.threads import numpy_threads, use_numpy_threads
from core.backends.decoders.torch_prefill import (
    TorchBackend,
    choose_device,
    choose_dtype,
    load_torch,
    torch_available,
)
from core.backends.experiments.hits import hit_pairs
from core.backends.models.sources import ModelSource
from core.backends.plan import Plan
from core.backends.weights import map_weights
from core.errors import BackendError
from tests.unit.core.backends.tiny import TINY, VARIANTS, backend_of, needs_torch, weights_of

TOKENS = tuple(np.random.default_rng(1).integers(0, 97, 200).tolist())


@needs_torch
@pytest.mark.parametrize("variant", VARIANTS)
def test_numpy_and_torch_agree(variant: str) -> None:
    pair = [backend_of(library, VARIANTS[variant]) for library in ("numpy", "torch")]
    table = tuple(range(60, 0, -1))
    logits = []
    for backend in pair:
        backend.reserve(61, 4)
        backend.prefill(Plan("a", TOKENS[:150], table, 0))
        logits.append(backend.prefill(Plan("b", TOKENS, table, 148)).logits)
    assert compare(*logits).equal
    for one, other in zip(pair[0].kv(table, 200), pair[1].kv(table, 200), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


@needs_torch
def test_bfloat16_is_near_and_says_that_it_is_not_exact() -> None:
    torch = load_torch()
    weights = map_weights(weights_of(TINY), lambda numbers: torch.from_numpy(numbers).bfloat16())
    backend = TorchBackend(TINY, weights)
    assert (backend.dtype, backend.exact) == ("bfloat16", False)
    assert backend_of("torch").exact
    found, wanted = backend.recompute(TOKENS[:60]).logits, backend_of("numpy").recompute(TOKENS[:60]).logits
    assert found is not None
    assert wanted is not None
    assert found.dtype == np.float32
    error = np.abs(found - wanted).max() / wanted.std()
    assert 1e-4 < error < 0.3


@needs_torch
def test_float16_is_refused_on_a_cpu() -> None:
    with pytest.raises(BackendError) as caught:
        choose_dtype("float16", "cpu")
    assert caught.value.code == "backend.float16"
    assert choose_dtype("float16", "cuda") is load_torch().float16


@needs_torch
def test_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = load_torch().cuda
    monkeypatch.setattr(cuda, "is_available", lambda: False)
    assert choose_device("auto") == choose_device("cpu") == "cpu"
    with pytest.raises(BackendError) as caught:
        choose_device("cuda")
    assert caught.value.code == "backend.no_cuda"
    monkeypatch.setattr(cuda, "is_available", lambda: True)
    assert choose_device("auto") == choose_device("cuda") == "cuda"
    assert choose_device("cpu") == "cpu"


@needs_torch
def test_one_thread_holds_in_threads_of_a_server_too() -> None:
    """torch's number of threads belongs to the thread that sets it: setting it once at start-up is too
    little, so it is set where the clock runs. A second compute thread would show in the process's time."""
    model = ModelLoader().load(ModelSource("random", "S"), "torch", device="cpu")
    found: list[tuple[int, float]] = []

    def serve() -> None:
        load_torch().set_num_threads(2)
        backend = model.backend()
        before, start = time.process_time(), time.thread_time()
        backend.recompute(TOKENS)
        own = time.thread_time() - start
        found.append((load_torch().get_num_threads(), (time.process_time() - before) / own))

    thread = threading.Thread(target=serve)
    thread.start()
    thread.join()
    assert found[0][0] == 1
    assert found[0][1] < 1.7  # two threads would come near 2


def test_numpy_computes_with_the_threads_it_is_told() -> None:
    if numpy_threads() is None:
        pytest.skip("this numpy does not use OpenBLAS, so its threads cannot be set")
    before = numpy_threads() or 1
    backend = backend_of("numpy")
    assert use_numpy_threads(2)
    backend.recompute(TOKENS[:5])
    assert numpy_threads() == 1
    use_numpy_threads(before)


def test_cpu_time_is_the_threads_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other sessions of the same server must not count; with several compute threads all of them must."""
    backend = backend_of("numpy")
    monkeypatch.setattr(time, "thread_time", lambda: 1.0)
    monkeypatch.setattr(time, "process_time", lambda: 2.0)
    assert backend._cpu_clock(True) == 1.0
    assert backend._cpu_clock(False) == 2.0


def test_where_threads_cannot_be_set_the_result_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_prefill, "use_numpy_threads", lambda _count: False)
    asked: list[bool] = []
    monkeypatch.setattr(NumpyBackend, "_cpu_clock", lambda _self, alone: asked.append(alone) or 0.0)
    report = hit_pairs(backend_of("numpy"), ((20, 8),), block_size=4, rounds=1)
    assert report.threads is None
    assert set(asked) == {False}


def test_a_result_counts_its_own_time_and_work() -> None:
    result = backend_of("numpy").recompute(TOKENS)
    assert result.cpu_s is not None
    assert result.cpu_s > 0
    assert result.wall_s > 0
    assert result.flops == TINY.prefill_flops(200)


# -- without torch ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [ImportError("No module named 'torch'"), AttributeError("torch.half")])
def test_without_torch_there_is_a_sentence_and_numpy(
    monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    """Nor with half of it, which set-up leaves behind when it is cut off."""
    real = builtins.__import__

    def no_torch(name: str, *rest: Any, **more: Any) -> Any:
        if name == "torch":
            raise problem
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", no_torch)
    with pytest.raises(BackendError) as caught:
        ModelLoader().load(ModelSource("random", "XS"), "torch")
    assert caught.value.code == "backend.no_torch"
    assert caught.value.values["command"] in str(caught.value)
    assert ModelLoader().load(ModelSource("random", "XS")).backend().recompute((1, 2)).logits is not None


def test_asking_for_torch_imports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert not torch_available()
