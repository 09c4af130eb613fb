"""Real prefill: a small decoder that computes over the block tables which the engine hands out.

The only part of core that may read the clock and import torch (inside functions; it is optional).

    plan.py              what the engine decided, as one frozen value per forward pass
    base.py              what every backend can do
    spec.py              the shape of a decoder; its work in FLOPs and its memory in bytes
    simulated.py         no arithmetic: modelled seconds, symbolic K/V
    numpy_prefill.py     the decoder in numpy
    torch_prefill.py     the same decoder in torch, on the CPU or on CUDA
    loader.py            models, each loaded once: random weights, a GGUF file, a Hugging Face directory
    measure.py           how time is taken
    hit_experiments.py   what is timed: prompts with and without a hit
    serving_experiments.py  and many users, and decode with and without K/V
    timed_log.py         every forward pass of a run, for real
    breaks.py            what goes wrong when blocks are reused that must not be
    content_only.py      a cache that hashes content alone
    astray.py            the text that goes astray
    chat.py              type a prompt, get an answer, see the hit

Nothing here changes the engine or the cache, and the engine knows nothing of tensors or time.
"""
