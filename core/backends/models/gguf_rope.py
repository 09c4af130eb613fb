"""What a GGUF file says about positions: turned as usual, or stretched by one of three methods."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.backends.models.entries import Entries
from core.backends.models.gguf import GgufFile
from core.backends.models.refusals import refusal
from core.backends.rope import yarn_factors, yarn_gain
from core.backends.spec import DecoderSpec

ROPE_FACTORS = "rope_freqs.weight"
_ORIGINAL, _LATER = "rope.scaling.original_context_length", "attention.temperature_scale"
_FAST, _SLOW = "rope.scaling.yarn_beta_fast", "rope.scaling.yarn_beta_slow"
_WEIGHT = "rope.scaling.yarn_log_multiplier"
USED = (
    _ORIGINAL,
    _LATER,
    _FAST,
    _SLOW,
    _WEIGHT,
    "rope.freq_base",
    "rope.scale_linear",
    "rope.scaling.attn_factor",
    "rope.scaling.factor",
    "rope.scaling.type",
)
"""The entries that are read here, without the architecture's name in front."""

ONLY = {"rope.scaling.yarn_ext_factor": (1.0, -1.0), "rope.scaling.yarn_attn_factor": (1.0,)}
"""Parts of YaRN that our decoder lacks."""


def stretched(file: GgufFile, own: Entries, spec: DecoderSpec, scales_later: bool) -> DecoderSpec:
    """The decoder with its positions stretched. ``scales_later``: queries behind the original context are
    scaled in this family.

    Raises:
        BackendError: a method that is not computed here, or what cannot be.
    """
    kind = own.text("rope.scaling.type", "linear")  # as other readers take it
    if own.values.get(_LATER):
        if not scales_later:
            raise refusal("part", own.file, found=f"{_LATER} = {own.real(_LATER):g}")
        spec = replace(spec, max_positions=min(spec.max_positions, own.number(_ORIGINAL)))
    match kind:
        case "yarn":
            spec = _by_yarn(own, spec)
        case "linear":
            factor = _factor(own) or 1.0
            spec = replace(spec, rope_factors=(factor,) * (spec.head_dim // 2) if factor != 1 else ())
        case "none" | "":
            pass
        case _:
            raise refusal("rope", own.file, found=kind)
    return _by_tensor(file, spec)


def _factor(own: Entries) -> float | None:
    """Written under one name or the other; 0 says nothing."""
    names = ("rope.scaling.factor", "rope.scale_linear")
    said = {own.real(name) for name in names if own.values.get(name, 0) != 0}
    if len(said) > 1:
        raise own.damaged(names[0])
    return next(iter(said), None)


def _by_yarn(own: Entries, spec: DecoderSpec) -> DecoderSpec:
    factor, fast, slow = _factor(own), own.real(_FAST, 32.0), own.real(_SLOW, 1.0)
    if factor is None:
        raise refusal("missing", own.file, part=f"{own.prefix}rope.scaling.factor")
    if fast <= slow or spec.rope_theta == 1:
        raise own.damaged(_FAST)
    gain = yarn_gain(factor) * own.real("rope.scaling.attn_factor", 1.0)
    if own.values.get(_WEIGHT, 0) != 0:
        gain /= yarn_gain(factor, own.real(_WEIGHT))
    original = own.number(_ORIGINAL, spec.max_positions)
    factors = yarn_factors(spec.rope_theta, spec.head_dim, factor, fast, slow, original)
    return replace(spec, rope_factors=factors, rope_gain=gain)


def _by_tensor(file: GgufFile, spec: DecoderSpec) -> DecoderSpec:
    """Llama 3.1's own stretching comes as numbers, and counts besides whatever the entries say."""
    if ROPE_FACTORS not in file.tensors:
        return spec
    if file.tensors[ROPE_FACTORS].shape != (spec.head_dim // 2,):
        raise file.entries.damaged(ROPE_FACTORS)
    factors = file.tensor(ROPE_FACTORS)
    if factors.min() <= 0:
        raise file.entries.damaged(ROPE_FACTORS)
    return replace(spec, rope_factors=tuple((factors * np.array(spec.rope_factors or 1.0)).tolist()))
