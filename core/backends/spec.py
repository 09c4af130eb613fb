"""The shape of a decoder: RMSNorm, rotary positions, grouped-query attention, SwiGLU.

From the shape alone follow its work in floating point operations and its memory in bytes; the weights
stand in ``weights.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True)
class DecoderSpec:
    """One decoder.

    ``rope_factors``: what each rotary frequency is divided by (empty: by 1; Llama 3.1 stretches long waves).
    ``rope_gain``: what turned queries and turned keys are multiplied by each (YaRN sharpens attention so).
    ``folds_tokens``: weights are random, so any token id is taken modulo the vocabulary (equal tokens stay
    equal); a trained model refuses ids it does not know.
    """

    name: str
    vocab_size: int
    hidden: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    ffn: int
    rope_theta: float = 10_000.0
    rope_factors: tuple[float, ...] = ()
    rope_gain: float = 1.0
    rms_eps: float = 1e-5
    max_positions: int = 16_384
    tied_head: bool = False
    qkv_bias: bool = False
    qk_norm: bool = False
    folds_tokens: bool = False

    @property
    def attention_size(self) -> int:
        """Numbers in all query heads of one token."""
        return self.num_heads * self.head_dim

    @property
    def kv_size(self) -> int:
        """Numbers in all K heads (and as many in all V heads) of one token and layer."""
        return self.num_kv_heads * self.head_dim

    @property
    def layer_weights(self) -> int:
        """Weights of one layer's matrices; norms and biases are too few to count."""
        attention = self.hidden * (2 * self.attention_size + 2 * self.kv_size)
        return attention + 3 * self.hidden * self.ffn

    @property
    def num_parameters(self) -> int:
        """All weights; a head tied to the embedding is counted once."""
        embeddings = (1 if self.tied_head else 2) * self.vocab_size * self.hidden
        return embeddings + self.num_layers * self.layer_weights

    def kv_bytes_per_token(self, float_bytes: int = FLOAT_BYTES) -> int:
        """K and V of one token in all layers."""
        return 2 * self.num_layers * self.kv_size * float_bytes

    def weight_bytes(self, float_bytes: int = FLOAT_BYTES) -> int:
        """All weights."""
        return self.num_parameters * float_bytes

    def linear_flops(self, num_new: int) -> float:
        """Work that grows with the new tokens alone: every matrix once a token, the head once."""
        per_token = 2.0 * self.num_layers * self.layer_weights
        return num_new * per_token + 2.0 * self.hidden * self.vocab_size

    def attention_flops(self, num_new: int, num_cached: int) -> float:
        """Work of queries meeting keys: a new token meets all cached ones and the new ones up to itself."""
        pairs = num_new * num_cached + num_new * (num_new + 1) / 2
        return 4.0 * self.num_layers * self.attention_size * pairs

    def prefill_flops(self, num_new: int, num_cached: int = 0) -> float:
        """All work of one forward pass."""
        return self.linear_flops(num_new) + self.attention_flops(num_new, num_cached)


def _random(name: str, vocab: int, hidden: int, layers: int, heads: int, kv_heads: int) -> DecoderSpec:
    ffn = hidden * 11 // 4
    return DecoderSpec(name, vocab, hidden, layers, heads, kv_heads, hidden // heads, ffn, folds_tokens=True)


SIZES = {
    "XS": _random("XS", 1024, 128, 2, 4, 2),
    "S": _random("S", 4096, 256, 4, 4, 2),
    "M": _random("M", 8192, 512, 8, 8, 4),
    "L": _random("L", 16_384, 1024, 12, 16, 8),
}
"""Decoders with random weights. S is the smallest whose clock tells the model's story and not the
interpreter's; on XS the overhead of Python shows, M and L need patience."""
