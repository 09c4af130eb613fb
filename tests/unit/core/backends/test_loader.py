"""Loading: once per server, with progress, refused politely where memory is short."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.backends import memory
from core.backends.decoders import loader
from core.backends.decoders.loader import ModelLoader
from core.backends.models import sources as model_sources
from core.backends.models.sources import ModelSource, small_model_path
from core.backends.spec import SIZES
from core.backends.weights import RandomSource, layer_parts, load_weights, map_weights
from core.errors import BackendError
from tests.unit.core.backends.tiny import TINY, VARIANTS, needs_torch, weights_of

XS = ModelSource("random", "XS")


def test_a_model_is_loaded_once_and_shared() -> None:
    shared = ModelLoader()
    model = shared.load(XS)
    assert shared.load(ModelSource("random", "XS")) is model
    assert shared.load(ModelSource("random", "XS", seed=1)) is not model
    assert len(shared.loaded()) == 2
    one, other = model.backend(), model.backend()
    one.reserve(4, 4)
    assert one is not other
    shared.forget(XS)
    assert len(shared.loaded()) == 1
    assert shared.load(XS) is not model


def test_two_visitors_at_once_load_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    real = loader.open_source

    def count(source: ModelSource) -> Any:
        opened.append(source)
        return real(source)

    monkeypatch.setattr(loader, "open_source", count)
    shared, found = ModelLoader(), []
    threads = [threading.Thread(target=lambda: found.append(shared.load(XS))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 1
    assert len(set(map(id, found))) == 1


def test_loading_tells_how_far_it_is() -> None:
    told: list[float] = []
    ModelLoader().load(XS, progress=told.append)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0, 1)
    assert len(told) == SIZES["XS"].num_layers + 1


def test_loading_that_is_stopped_leaves_nothing_behind() -> None:
    def stop(fraction: float) -> None:
        if fraction > 0:
            raise RuntimeError("enough")

    shared = ModelLoader()
    with pytest.raises(RuntimeError):
        shared.load(XS, progress=stop)
    assert shared.loaded() == ()
    assert shared.load(XS).spec == SIZES["XS"]


def test_short_memory_is_refused_before_anything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 300 * 10**6)
    shared = ModelLoader()
    source = ModelSource("random", "L")
    with pytest.raises(BackendError) as caught:
        shared.load(source)
    assert caught.value.code == "backend.memory"
    assert caught.value.values["need"] == memory.in_mb(shared.need_bytes(source))
    assert caught.value.values["free"] == 300
    assert shared.load(XS).spec.name == "XS"  # a small one still fits


def test_a_pool_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = ModelLoader().load(XS).backend()
    monkeypatch.setattr(memory, "available_bytes", lambda: 300 * 10**6)
    with pytest.raises(BackendError) as caught:
        backend.reserve(10_000, 16)
    assert caught.value.code == "backend.memory"
    backend.reserve(10, 16)


def test_where_memory_is_unknown_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    memory.refuse_if_short(2**60, "anything")


def test_a_gpu_has_memory_of_its_own() -> None:
    memory.refuse_if_short(2**30, "K/V", 2**31)
    with pytest.raises(BackendError) as caught:
        memory.refuse_if_short(2**40, "K/V", 2**31)
    assert caught.value.values["free"] == 2148


def test_this_machine_says_how_much_is_free() -> None:
    rest = memory.available_bytes()
    assert rest is None or 2**24 < rest < 2**50


def test_a_container_counts_less_than_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:    5000 kB\n", "ascii")
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    monkeypatch.setattr("sys.platform", "linux")
    assert memory.available_bytes() == 5000 * 1024
    (tmp_path / "memory.current").write_text("3000000", "ascii")
    (tmp_path / "memory.stat").write_text("anon 9\ninactive_file 500000\n", "ascii")
    (tmp_path / "memory.max").write_text("max\n", "ascii")
    assert memory.available_bytes() == 5000 * 1024
    (tmp_path / "memory.max").write_text("4000000\n", "ascii")
    assert memory.available_bytes() == 1_500_000
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "nothing")
    assert memory.available_bytes() == 1_500_000


def test_an_unknown_size_is_refused() -> None:
    with pytest.raises(BackendError) as caught:
        ModelLoader().load(ModelSource("random", "XXL"))
    assert caught.value.code == "backend.size"


def test_a_model_without_tokenizer_says_so() -> None:
    with pytest.raises(BackendError) as caught:
        ModelLoader().load(XS).readable()
    assert caught.value.code == "backend.no_tokenizer"


def test_the_package_with_the_model_is_found_without_importing_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(model_sources, "PACKAGE", "broth-has-no-such-package")
    assert small_model_path() is None
    info = tmp_path / "broth_fake-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broth-fake\nVersion: 1.0\n", "utf-8")
    (info / "RECORD").write_text("broth_fake/__init__.py,,\nbroth_fake/model.gguf,,\n", "utf-8")
    monkeypatch.setattr(model_sources, "PACKAGE", "broth-fake")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert small_model_path() == tmp_path / "broth_fake" / "model.gguf"


@needs_torch
def test_torch_shares_the_weights_that_numpy_holds() -> None:
    shared = ModelLoader()
    plain = shared.load(XS)
    torch = shared.load(XS, "torch", device="cpu")
    assert torch.library == "torch"
    assert torch.weights.layers[0].query.numpy().base is not None
    assert np.shares_memory(torch.weights.layers[0].query.numpy(), plain.weights.layers[0].query)


# -- weights ---------------------------------------------------------------------------------------------


def test_random_weights_depend_on_the_seed_alone() -> None:
    one, other = (RandomSource(TINY, 3) for _ in range(2))
    other.tensor("down", 2)
    assert np.array_equal(one.tensor("query", 1), other.tensor("query", 1))
    assert not np.array_equal(one.tensor("query", 1), one.tensor("query", 2))
    assert not np.array_equal(one.tensor("query", 1), RandomSource(TINY, 4).tensor("query", 1))


def test_gain_sharpens_queries_and_nothing_else() -> None:
    one, two = RandomSource(TINY, 0, 1.0), RandomSource(TINY, 0, 2.0)
    assert np.array_equal(two.tensor("query", 0), 2 * one.tensor("query", 0))
    assert np.array_equal(two.tensor("key", 0), one.tensor("key", 0))


@pytest.mark.parametrize("variant", VARIANTS)
def test_shapes_and_parts_follow_the_spec(variant: str) -> None:
    spec = VARIANTS[variant]
    weights = weights_of(spec)
    for layer in weights.layers:
        present = [name for name in layer.__slots__ if getattr(layer, name) is not None]
        assert present == layer_parts(spec)
    assert (weights.head is weights.embedding) == spec.tied_head
    matrices = [weights.embedding, *([] if spec.tied_head else [weights.head])]
    matrices += [
        getattr(layer, part) for layer in weights.layers for part in layer_parts(spec)
        if not part.endswith(("norm", "bias"))
    ]  # fmt: skip
    assert sum(matrix.size for matrix in matrices) == spec.num_parameters
    assert spec.weight_bytes() == 4 * spec.num_parameters


def test_mapping_keeps_what_is_one_array_one_array() -> None:
    tied = weights_of(VARIANTS["tied head"])
    mapped = map_weights(tied, lambda numbers: numbers.copy())
    assert mapped.head is mapped.embedding
    assert mapped.layers[0].query_bias is None
    assert np.array_equal(mapped.layers[1].down, tied.layers[1].down)
    plain = map_weights(weights_of(TINY), lambda numbers: numbers.copy())
    assert plain.head is not plain.embedding


def test_each_tensor_is_converted_as_soon_as_it_is_read() -> None:
    """Never a whole model twice in memory."""
    alive = []

    class Source(RandomSource):
        def tensor(self, name: str, layer: int | None = None) -> Any:
            alive.append(name)
            return super().tensor(name, layer)

    def convert(numbers: Any) -> int:
        assert len(alive) == 1
        alive.clear()
        return numbers.size

    load_weights(TINY, Source(TINY), convert)


# -- sizes --------------------------------------------------------------------------------------------


def test_sizes_are_what_they_are_called() -> None:
    millions = {name: round(spec.num_parameters / 1e6, 1) for name, spec in SIZES.items()}
    assert millions == {"XS": 0.6, "S": 5.0, "M": 32.0, "L": 175.1}
    assert SIZES["S"].kv_bytes_per_token() == 2 * 4 * 2 * 64 * 4
