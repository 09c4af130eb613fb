"""Our own engine and decoder as one of several: one prompt after the other, each in its turn."""

from __future__ import annotations

import threading
import time

from core.backends.decoders.loader import Model
from core.backends.engines.base import About, First, Prompt
from core.backends.experiments.bench import Bench


class OurEngine:
    """Blocks, hashes and hits by ``core/engine``, numbers by the model's decoder. It computes one prompt at a
    time: whoever comes meanwhile waits, and the wait is part of their time."""

    def __init__(self, model: Model, num_tokens: int, block_size: int = 16) -> None:
        """A pool for ``num_tokens`` tokens."""
        self.backend = model.backend()
        self._tokenizer = model.tokenizer
        self._bench = Bench(self.backend, -(-num_tokens // block_size) + 2, block_size)
        self._turn = threading.Lock()

    @property
    def about(self) -> About:
        """Ours."""
        name = f"Broth ({self.backend.name})"
        threads = self.backend.threads if self.backend.holds_threads else None
        return About(name, self.backend.spec.name, "", "tokens", "in line", threads)

    def ask(self, prompt: Prompt) -> First:
        """Admitted, computed, released."""
        start = time.perf_counter()
        with self._turn:
            plan, result = self._bench.serve(prompt.token_ids)
            assert result.logits is not None
            token = int(result.logits.argmax())
        wall = time.perf_counter() - start
        text = self._tokenizer.decode([token]) if self._tokenizer else ""
        return First(wall, len(plan.token_ids), plan.num_cached, text, result.cpu_s)

    def interrupt(self) -> None:
        """A forward pass ends by itself."""

    def close(self) -> None:
        """Nothing is held beyond this object."""
