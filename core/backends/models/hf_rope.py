"""What a config.json says about positions: turned as usual, or stretched by one of three methods."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

from core.backends.models.border import Settings
from core.backends.models.entries import Entries
from core.backends.models.refusals import refusal
from core.backends.rope import llama3_factors, yarn_factors, yarn_gain
from core.backends.spec import DecoderSpec

_ORIGINAL = "original_max_position_embeddings"
_LATER = "llama_4_scaling_beta"
_METHODS: Mapping[str, tuple[str, ...]] = {
    "default": (),
    "linear": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor"),
    "yarn": ("factor", "attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim"),
}
"""Method -> its numbers. ``dynamic`` is none of them: there the keys of a token depend on how long the text
becomes behind it, so that no prefix keeps its K."""

_NAMES = ("rope_type", "type", "rope_theta", _ORIGINAL)


class HfRope:
    """The table of a config.json about positions.

    Raises:
        BackendError: a method that is not computed here, or what cannot be.
    """

    def __init__(self, entries: Entries, scales_later: bool) -> None:
        """``scales_later``: queries behind the original context are scaled in this family."""
        tables = [one for name in ("rope_scaling", "rope_parameters") if (one := entries.values.get(name))]
        table = tables[0] if tables else {}
        if not isinstance(table, dict) or any(one != table for one in tables):
            raise entries.damaged("rope_scaling")
        said = {name: one for name, one in table.items() if one is not None}
        self._entries, self._scales_later = entries, scales_later
        self._table = Entries(entries.file, said, "rope_scaling: ")
        kind = said.get("rope_type", said.get("type", "default"))
        if not isinstance(kind, str) or kind not in _METHODS:
            raise refusal("rope", entries.file, found=kind)
        self._kind = kind
        self._refuse_others()

    def theta(self) -> float:
        """The base of the frequencies."""
        return self._table.real("rope_theta", self._entries.real("rope_theta", 10_000.0))

    def stretched(self, spec: DecoderSpec) -> DecoderSpec:
        """The decoder with its positions stretched."""
        table, theta, dim = self._table, spec.rope_theta, spec.head_dim
        if self._scales_later and table.real(_LATER):  # behind these positions the scale would be missing
            spec = replace(spec, max_positions=min(spec.max_positions, table.number(_ORIGINAL)))
        if self._kind == "default":
            return spec
        factor = table.real("factor")
        original = table.number(_ORIGINAL, spec.max_positions)
        match self._kind:
            case "linear":
                return replace(spec, rope_factors=(factor,) * (dim // 2))
            case "llama3":
                low, high = table.real("low_freq_factor"), table.real("high_freq_factor")
                if high <= low:
                    raise table.damaged("high_freq_factor")
                return replace(spec, rope_factors=llama3_factors(theta, dim, factor, low, high, original))
        fast, slow = table.real("beta_fast", 32.0), table.real("beta_slow", 1.0)
        if fast <= slow or theta == 1:
            raise table.damaged("beta_fast")
        factors = yarn_factors(theta, dim, factor, fast, slow, original)
        return replace(spec, rope_factors=factors, rope_gain=self._gain(factor))

    # -- inside -----------------------------------------------------------------------------------------

    def _gain(self, factor: float) -> float:
        said = self._table.values
        usual = yarn_gain(factor)
        if "mscale" in said and "mscale_all_dim" in said:
            usual = yarn_gain(factor, self._table.real("mscale"))
            usual /= yarn_gain(factor, self._table.real("mscale_all_dim"))
        return self._table.real("attention_factor", usual)

    def _refuse_others(self) -> None:
        later = (_LATER, "max_position_embeddings") if self._scales_later else ()
        known = Settings(
            used=(*_NAMES, *itertools.chain(*_METHODS.values()), *later),  # another method's is ignored
            only={"partial_rotary_factor": (1, 1.0), "truncate": (True,)},
        )
        table = self._table
        if table.real("partial_rotary_factor", 1.0) != 1:
            raise refusal("partial_rope", table.file)
        known.refuse_others(table.file, table.values)
