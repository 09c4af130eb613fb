"""Rotary positions: the angles by which queries and keys are turned, as tables of cosine and sine."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from core.backends.base import Floats
from core.backends.spec import DecoderSpec
from core.backends.weights import Array


class RopeTables(Generic[Array]):
    """Cosines and sines of all positions so far, made once: computing them anew would cost the long prompt
    more than the short one. One per backend."""

    def __init__(self, spec: DecoderSpec, convert: Callable[[Floats], Array]) -> None:
        self._spec = spec
        self._convert = convert
        self._size = 0
        self._cos: Any = None
        self._sin: Any = None

    def at(self, start: int, stop: int) -> tuple[Array, Array]:
        """For positions ``start`` … ``stop - 1``, shape [n, 1, head_dim / 2]: the same for all heads."""
        if stop > self._size:
            self._size = max(stop, 2 * self._size, 256)
            cos, sin = rope_tables(self._spec, 0, self._size)
            self._cos, self._sin = self._convert(cos[:, None, :]), self._convert(sin[:, None, :])
        return self._cos[start:stop], self._sin[start:stop]


def rope_tables(spec: DecoderSpec, start: int, count: int) -> tuple[Floats, Floats]:
    """Cosines and sines for positions ``start`` … ``start + count - 1``, shape [count, head_dim / 2],
    times the decoder's gain.

    Angles are computed in float64: at position 8,000 a float32 angle would already be off by 1e-4.
    """
    frequencies = plain_frequencies(spec.rope_theta, spec.head_dim)
    if spec.rope_factors:
        frequencies = frequencies / np.array(spec.rope_factors)
    angles = np.outer(np.arange(start, start + count, dtype=np.float64), frequencies)
    cos, sin = spec.rope_gain * np.cos(angles), spec.rope_gain * np.sin(angles)
    return cos.astype(np.float32), sin.astype(np.float32)


def plain_frequencies(theta: float, head_dim: int) -> NDArray[np.float64]:
    """Angle per position of each pair, shape [head_dim / 2]."""
    exponents = np.arange(0, head_dim, 2, dtype=np.float64) / head_dim
    frequencies: NDArray[np.float64] = theta**-exponents
    return frequencies


def llama3_factors(
    theta: float, head_dim: int, factor: float, low: float, high: float, original_positions: int
) -> tuple[float, ...]:
    """How Llama 3.1 stretches positions: long waves (fewer than ``low`` turns in the original context)
    turn ``factor`` times slower, short ones (more than ``high`` turns) as before, the rest is blended."""
    turns = original_positions * plain_frequencies(theta, head_dim) / (2 * math.pi)
    blend = np.clip((turns - low) / (high - low), 0.0, 1.0)
    return tuple((1 / ((1 - blend) / factor + blend)).tolist())


def yarn_factors(
    theta: float, head_dim: int, factor: float, fast: float, slow: float, original_positions: int
) -> tuple[float, ...]:
    """How YaRN stretches positions: pairs that turn more than ``fast`` times in the original context turn as
    before, those that turn less than ``slow`` times ``factor`` times slower; between them it goes by the
    pair's number, from a whole one to a whole one (arXiv 2309.00071, and transformers' rounding)."""

    def pair(turns: float) -> float:
        """Which pair turns so often, as if there were pairs between them."""
        return head_dim * math.log(original_positions / (turns * 2 * math.pi)) / (2 * math.log(theta))

    low, high = max(math.floor(pair(fast)), 0), min(math.ceil(pair(slow)), head_dim - 1)
    slowed = np.clip((np.arange(head_dim // 2) - low) / max(high - low, 0.001), 0.0, 1.0)
    return tuple((1 / (slowed / factor + (1 - slowed))).tolist())


def yarn_gain(factor: float, weight: float = 1.0) -> float:
    """How much longer YaRN makes turned queries and keys."""
    return 1.0 if factor <= 1 else 0.1 * weight * math.log(factor) + 1.0
