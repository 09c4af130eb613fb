"""The torch backend: the same decoder with torch, on CUDA where there is a GPU. torch is optional."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from core.backends.base import Floats
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.decoders.device import cpu_name
from core.backends.decoders.numpy_decoder import Ids
from core.backends.decoders.torch_decoder import TorchPool, forward
from core.backends.rope import RopeTables
from core.backends.spec import DecoderSpec
from core.backends.weights import Weights
from core.errors import BackendError
from core.extras import how_to_add
from core.types import BlockId

Device = Literal["auto", "cpu", "cuda"]
DType = Literal["float32", "bfloat16", "float16"]


def torch_available() -> bool:
    """Whether torch is installed; looks, and imports nothing."""
    return importlib.util.find_spec("torch") is not None


def load_torch() -> Any:
    """torch itself.

    Raises:
        BackendError: ``backend.no_torch``: it is not installed, or does not start.
    """
    try:
        import torch
    except Exception as problem:  # half of it may be there, and then anything can come
        command = how_to_add("torch")
        raise BackendError(
            "backend.no_torch",
            f"torch is not installed here ({problem}). Add it with: {command}. numpy works without it.",
            command=command,
        ) from problem
    return torch


def choose_device(device: Device) -> str:
    """``auto`` is CUDA where there is a GPU.

    Raises:
        BackendError: CUDA was asked for and is not there.
    """
    available = bool(load_torch().cuda.is_available())
    if device == "cuda" and not available:
        raise BackendError(
            "backend.no_cuda",
            "torch finds no CUDA device here. Choose the CPU, or start on a machine with a GPU.",
        )
    return "cuda" if available and device != "cpu" else "cpu"


def choose_dtype(dtype: DType, device: str) -> Any:
    """torch's float type.

    Raises:
        BackendError: float16 on a CPU, whose matrix products are hundreds of times slower there.
    """
    if dtype == "float16" and device == "cpu":
        raise BackendError(
            "backend.float16", "float16 is hopelessly slow on a CPU. Choose float32 or bfloat16 there."
        )
    return getattr(load_torch(), dtype)


def free_on_gpu() -> int:
    """Bytes free on the current CUDA device."""
    return int(load_torch().cuda.mem_get_info()[0])


class TorchBackend(DecoderBackend[TorchPool]):
    """The decoder in torch. Device and float type are those of the weights."""

    name = "torch"

    def __init__(self, spec: DecoderSpec, weights: Weights[Any], threads: int = 1) -> None:
        super().__init__(spec, threads)
        self._torch = load_torch()
        self.weights = weights
        self._device = weights.embedding.device
        self._dtype = weights.embedding.dtype
        self._rope = RopeTables(spec, self._from_numpy)
        self.dtype = str(self._dtype).removeprefix("torch.")
        self._on_cpu = self._device.type == "cpu"
        self.device = cpu_name() if self._on_cpu else self._torch.cuda.get_device_name(self._device)

    def _from_numpy(self, numbers: Floats) -> Any:
        return self._torch.from_numpy(numbers).to(self._device, self._dtype)

    def _new_pool(self, num_blocks: int, block_size: int) -> TorchPool:
        return TorchPool(self.spec, num_blocks, block_size, self._device, self._dtype)

    def _forward(self, pool: TorchPool, token_ids: Ids, start: int, block_table: Sequence[BlockId]) -> Floats:
        with self._torch.inference_mode():
            logits = forward(
                self.spec, self.weights, self._rope, pool, token_ids, start, block_table, self._watch()
            )
            # Copying to the CPU waits for the GPU, so the clock reads finished work.
            numbers: Floats = logits.float().cpu().numpy()
        return numbers

    def _watch(self) -> Callable[[int, Any, Any], None] | None:
        watch = self.watch
        if watch is None:
            return None
        return lambda layer, *both: watch(layer, *(each.float().cpu().numpy() for each in both))

    def _use_threads(self) -> bool:
        # The number belongs to the calling thread: a server computes in another thread than it was set in.
        self._torch.set_num_threads(self.threads)
        return True

    def _cpu_clock(self, alone: bool) -> float | None:
        return super()._cpu_clock(alone) if self._on_cpu else None

    def _free_on_device(self) -> int | None:
        return None if self._on_cpu else free_on_gpu()

    def poison(self, block_ids: Sequence[BlockId]) -> None:
        """Overwrite free blocks with NaN."""
        self._pool_or_raise().poison(block_ids)

    def kv(self, block_table: Sequence[BlockId], count: int) -> tuple[Floats, Floats]:
        """K and V of the first ``count`` tokens behind a table."""
        pool = self._pool_or_raise()
        table = self._torch.as_tensor(list(block_table), device=self._device)
        blocks = table[: -(-count // pool.block_size)]
        both = [pool.read(layer, blocks, count) for layer in range(self.spec.num_layers)]
        keys = np.stack([keys.float().cpu().numpy() for keys, _ in both])
        return keys, np.stack([values.float().cpu().numpy() for _, values in both])
