"""Real prefill: a small decoder that computes over the block tables which the engine hands out.

The only part of core that may read the clock and import torch (inside functions; it is optional).

    plan.py       what the engine decided, as one frozen value per forward pass
    base.py       what every backend can do
    spec.py, weights.py, rope.py    the shape of a decoder, its work and its memory; its numbers; its angles
    models/       where weights and tokenizers come from
    decoders/     what computes: numpy, torch, or nothing but modelled seconds
    experiments/  what is measured with them, right reuse and wrong

Nothing here changes the engine or the cache, and the engine knows nothing of tensors or time.
"""
