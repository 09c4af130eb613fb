"""Beliefs about words and numbers: what a hit rate is, which cache is which, what gets faster, equal bits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from core.backends.decoders.numpy_prefill import NumpyBackend
from core.backends.experiments.bench import Bench
from core.backends.spec import SIZES
from core.backends.weights import RandomSource, load_weights
from core.cost import GPUS, MODELS, CostModel
from core.misconceptions.story import Belief, Knob, Shown, reused, story
from core.replay.hit_definitions import hit_rates
from core.replay.prefix_tree import build_tree
from core.scenario.workloads import Conversations, conversation_requests
from core.traffic.providers import with_minimum

BLOCK = 16

# -- one log, many rates ------------------------------------------------------------------------------------

LOG = Conversations(
    seed=7, num_requests=200, system_tokens=100, median_new_tokens=120, spread=1.4, answer_tokens=60
)
DEFINITIONS = ("mean_of_ratios", "blocks", "full_blocks", "tokens_tail", "last_half", "tokens_full")


def _percents() -> dict[str, float]:
    rates = hit_rates(build_tree(list(conversation_requests(LOG)), BLOCK))
    return {rate.name: 100 * (rate.rate or 0.0) for rate in rates}


def rates(definition: str) -> Shown:
    """Believed: a hit rate is a hit rate. True: a log has one for each definition."""
    all_of = _percents()
    found = [all_of[name] for name in DEFINITIONS]
    return Shown(
        all_of[definition],
        all_of["tokens_full"],
        "percent",
        tuple((name, all_of[name]) for name in DEFINITIONS),
        here=definition,
        numbers={"least": f"{min(found):.1f}", "most": f"{max(found):.1f}", "requests": LOG.num_requests},
    )


# -- what gets faster ---------------------------------------------------------------------------------------

MODEL, GPU = "Llama-3-8B", "H100"
PROMPTS, ANSWERS = (50, 500, 2000, 8000), (1, 50, 200, 500)
HIT_SHARE = 0.8


def decode(prompt: int, answer: int) -> Shown:
    """Believed: the whole answer comes faster by the hit's share. True: decode takes as long as before.
    Modelled, for one request on an idle GPU."""
    cost = CostModel(MODELS[MODEL], GPUS[GPU])
    hit = int(HIT_SHARE * prompt) // BLOCK * BLOCK
    compared = cost.compare(prompt, hit)
    decoding = sum(cost.decode_s([prompt + k]) for k in range(1, answer))
    saved = 100 * compared.saved_s / (compared.full_s + decoding)
    return Shown(
        100 * hit / prompt,
        saved,
        "faster",
        (
            ("prefill_full", 1000 * compared.full_s),
            ("prefill_hit", 1000 * compared.hit_s),
            ("decode", 1000 * decoding),
        ),
        bars_unit="ms",
        numbers={
            "hit": f"{hit:,}",
            "prompt": f"{prompt:,}",
            "answer": answer,
            "share": f"{100 * hit / prompt:g}",
            "times": f"{prompt / (prompt - hit):.1f}",
            "model": MODEL,
            "gpu": GPU,
            "full": f"{1000 * compared.full_s:,.1f}",
            "short": f"{1000 * compared.hit_s:,.1f}",
            "decode": f"{1000 * decoding:,.1f}",
        },
    )


# -- four caches --------------------------------------------------------------------------------------------

SYSTEM, ASKED = 1500, 40
CACHES = ("kv", "prefix", "prompt", "semantic")
# The second question as words, after a small table of words that mean the same.
QUESTIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "same": frozenset({"how", "long", "broth", "simmer"}),
        "meaning": frozenset({"how", "long", "broth", "simmer"}),
        "close": frozenset({"how", "long", "broth", "keep"}),
        "other": frozenset({"how", "much", "broth", "cost"}),
    }
)
ALIKE = 0.5
MINIMUM, STEP = 1024, 128
LIMITS = MappingProxyType({"limit": f"{100 * ALIKE:.0f}", "minimum": f"{MINIMUM:,}", "step": STEP})


def _similarity(second: str) -> float:
    one, other = QUESTIONS["same"], QUESTIONS[second]
    return len(one & other) / len(one | other)


def names(second: str) -> Shown:
    """Believed: "cached" means that the answer is there. True: a prefix cache gives KV, never an answer."""
    total = SYSTEM + ASKED
    asked = "question1" if second == "same" else "question2"
    told = [f"system[0:{SYSTEM}] {one}[0:{ASKED}]" for one in ("question1", asked)]
    hits = {
        "kv": reused(story("names", BLOCK, 400, told, enable_caching=False)),
        "prefix": reused(story("names", BLOCK, 400, told)),
        "prompt": with_minimum(total - 1 if second == "same" else SYSTEM, MINIMUM, STEP),
        "semantic": total if _similarity(second) >= ALIKE else 0,
    }
    return Shown(
        0,
        total - hits["prefix"],
        "computed",
        tuple((name, total - hits[name]) for name in CACHES),
        here="prefix",
        numbers={"system": SYSTEM, "alike": f"{100 * _similarity(second):.0f}", **LIMITS, **hits},
    )


# -- equal bits ---------------------------------------------------------------------------------------------

SUFFIXES = (1, 5, 16, 33, 64)
PREFIX = 64


@lru_cache(maxsize=16)
def _differences(seed: int) -> tuple[tuple[int, float, bool], ...]:
    """(tokens computed behind the cached ones, largest difference of the logits, same most likely token) of a
    warm run beside a cold one; a small decoder with random weights, really computed."""
    spec = SIZES["S"]
    backend = NumpyBackend(spec, load_weights(spec, RandomSource(spec, seed), lambda numbers: numbers))
    bench = Bench(backend, 128, BLOCK, seed)
    prefix = bench.fresh(PREFIX)
    bench.serve(prefix + bench.fresh(1))
    found = []
    for count in SUFFIXES:
        difference = bench.verify(prefix + bench.fresh(count))
        found.append((count, difference.max_abs, difference.same_argmax))
    return tuple(found)


def bits(seed: int) -> Shown:
    """Believed: with and without the cache all bits are equal. True: equal but for rounding."""
    found = _differences(seed)
    largest = max(apart for _, apart, _ in found)
    return Shown(
        0,
        largest,
        "apart",
        tuple((count, apart) for count, apart, _ in found),
        across="suffix",
        numbers={
            "largest": f"{largest:.1e}",
            "same": sum(same for _, _, same in found),
            "prompts": len(found),
            "prefix": PREFIX,
        },
    )


RATES = Belief("rates", (Knob("definition", DEFINITIONS, "mean_of_ratios"),), rates)
DECODE = Belief("decode", (Knob("prompt", PROMPTS, 2000), Knob("answer", ANSWERS, 200)), decode)
NAMES = Belief("names", (Knob("second", tuple(QUESTIONS), "meaning"),), names)
BITS = Belief("bits", (Knob("seed", tuple(range(5)), 0),), bits)
