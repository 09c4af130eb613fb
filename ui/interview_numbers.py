"""The numbers in the answers of chapter 12: counted by the engine, or modelled. None is written by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from core.cost import GPUS, MODELS, CostModel
from core.engine import Engine
from core.events import Event, RequestAdmitted
from core.scenario import run
from core.stats import Statistics
from core.types import EngineConfig, Request
from ui.course_decode import attention_kinds, computed_tokens, hits_with_answer, reads
from ui.course_system import held_peak, situation
from ui.setup import Setup, load_setup

KIB, GIB = 2**10, 2**30
COST = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])
"""What modelled times are for."""

WRITE, WRITE_LONG, READ = 1.25, 2.0, 0.1
"""A provider's multiples of the input price: a short-lived write, a long-lived one, a read."""

Numbers = Mapping[str, Any]


@cache
def numbers(name: str) -> Numbers:
    """What the holes of one question or one wrong answer are filled with; empty where it has none."""
    make = _NUMBERS.get(name)
    return MappingProxyType(make() if make else {})


# -- small runs ------------------------------------------------------------------------------------------


def hits(prompts: Sequence[Sequence[int]], *, answers: Sequence[int] = (), **settings: Any) -> list[int]:
    """Hit tokens of prompts that come one after another; ``answers``: how many tokens each one samples."""
    events: list[Event] = []
    engine = Engine(EngineConfig(**settings), events.append, block_events=False)
    for number, prompt in enumerate(prompts):
        length = answers[number] if number < len(answers) else 0
        outputs = tuple(range(900_000, 900_000 + length))
        engine.submit(Request(f"R{number}", tuple(prompt), outputs))
        engine.run()
    return [event.hit_tokens for event in events if isinstance(event, RequestAdmitted)]


@cache
def admitted(preset: str, **knobs: int) -> tuple[tuple[int, int], ...]:
    """(hit, prompt) tokens of each request of a preset."""
    log = run(load_setup(Setup(preset, knobs), "en"), block_events=False)
    return tuple((e.hit_tokens, e.num_tokens) for e in log.events if isinstance(e, RequestAdmitted))


def _second(preset: str, **knobs: int) -> dict[str, int]:
    hit, total = admitted(preset, **knobs)[1]
    return {"hit": hit, "total": total, "computed": total - hit}


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f}"


# -- inside one request ----------------------------------------------------------------------------------


def _kv_what() -> dict[str, Any]:
    prompt, answer = 500, 100
    counts = (computed_tokens(prompt, answer, kept) for kept in (True, False))
    kept, again = (f"{count:,}" for count in counts)
    return {"prompt": prompt, "answer": answer, "kept": kept, "again": again}


def _kv_q() -> dict[str, Any]:
    tokens = 100
    of_q, of_kv = reads(1, tokens)
    return {"tokens": tokens, "q": of_q, "kv": of_kv}


def _kv_size() -> dict[str, Any]:
    models = {"mha": "Llama-2-7B", "gqa": "Llama-3-8B", "large": "Llama-2-70B"}
    each = {name: MODELS[model].kv_bytes_per_token for name, model in models.items()}
    length = 8192
    kib = {name: f"{size / KIB:g}" for name, size in each.items()}
    return {**kib, "length": f"{length:,}", "gib": f"{each['large'] * length / GIB:g}"}


def _kv_slow() -> dict[str, Any]:
    model = COST.model
    short, long = 1_000, 100_000
    weights = model.weight_bytes(1) / GIB
    read = {n: model.kv_bytes_per_token * n / GIB for n in (short, long)}
    return {
        "short": f"{short:,}",
        "long": f"{long:,}",
        "kv_short": f"{read[short]:.1f}",
        "kv_long": f"{read[long]:.1f}",
        "weights": f"{weights:.1f}",
    }


def _kv_memory() -> dict[str, Any]:
    reserved, used, size = 2048, 640, 16
    blocks = -(-used // size)
    return {
        "reserved": f"{reserved:,}",
        "used": used,
        "waste": f"{100 * (reserved - used) / reserved:.0f}",
        "size": size,
        "blocks": blocks,
        "most": size - 1,
    }


def _kv_phases() -> dict[str, Any]:
    tokens, many = 4096, 32
    prefill = COST.prefill_s(tokens)
    return {
        "tokens": f"{tokens:,}",
        "prefill": f"{1e3 * prefill:.0f}",
        "each": f"{1e3 * prefill / tokens:.3f}",
        "decode": f"{1e3 * COST.decode_s([tokens]):.1f}",
        "many": many,
        "decode_many": f"{1e3 * COST.decode_s([tokens] * many):.1f}",
    }


def _kv_heads() -> dict[str, Any]:
    room = 40 * GIB
    sizes = {name: model.kv_bytes_per_token for name, model in attention_kinds().items()}
    kib = {name: f"{size / KIB:g}" for name, size in sizes.items()}
    return {**kib, "mha_room": f"{room // sizes['mha']:,}", "gqa_room": f"{room // sizes['gqa']:,}"}


def _kv_sampling() -> dict[str, Any]:
    one, other = (hits_with_answer(answer, "en") for answer in ("Yes, of course.", "No, never!"))
    assert one == other
    return {"hit": one[1]}


# -- what hits -------------------------------------------------------------------------------------------


def _time_in_front() -> dict[str, Any]:
    early, late = _second("P3"), _second("P3b")
    return {"total": early["total"], "early": early["hit"], "late": late["hit"]}


def _chain() -> dict[str, Any]:
    second, size = _second("P9d"), load_setup(Setup("P9d"), "en").config.block_size
    return {**second, "size": size, "blocks": second["total"] // size, "hit_blocks": second["hit"] // size}


def _exact() -> dict[str, Any]:
    longer = _second("P6b")
    large = {n: hits([range(n)] * 2)[1] for n in (32, 33)}
    return {
        **_second("P6"),
        "share": _percent(*admitted("P6")[1]),
        "hit_longer": longer["hit"],
        "longer": longer["total"],
        "hit_32": large[32],
        "hit_33": large[33],
    }


def _verify() -> dict[str, Any]:
    """Two blocks whose tokens have the same sum: to a weak hash they are one."""
    prompts = [[1, 2, 3, 4, 5], [4, 3, 2, 1, 5]]
    kinds: dict[str, dict[str, Any]] = {
        "weak": {"hash_name": "weak"},
        "checked": {"hash_name": "weak", "verify_tokens": True},
        "strong": {},
    }
    return {name: hits(prompts, block_size=4, **settings)[1] for name, settings in kinds.items()}


def _tenants() -> dict[str, Any]:
    of_a, other, same, of_b = admitted("P11")
    long = COST.compare(2_000, 1_984)
    return {
        "other": other[0],
        "same": same[0],
        "total": of_a[1],
        "again": of_b[0],
        "cold_ms": f"{1e3 * long.full_s:.0f}",
        "warm_ms": f"{1e3 * long.hit_s:.0f}",
        "tokens": "2,000",
    }


def _block_size() -> dict[str, Any]:
    found = {f"hit_{size}": admitted("P7", block_size=size)[1][0] for size in (2, 4, 8, 16)}
    return {**found, "shared": 10}


def _radix() -> dict[str, Any]:
    """Page size 1 is a tree that compares token by token; in both, the last token is computed."""
    same = [range(12)] * 2
    return {
        "total": 12,
        "by_token": hits(same, block_size=1)[1],
        "by_block": hits(same, block_size=4)[1],
        "size": 4,
    }


# -- the pool --------------------------------------------------------------------------------------------


def _evict() -> dict[str, Any]:
    """A pool of four: the old prompt fills it, then a newcomer of one block, or of two, or of three."""
    old = list(range(13))
    left = [
        hits([old, [500 + i for i in range(length)], old], block_size=4, num_blocks=5)[2]
        for length in (4, 8, 12)
    ]
    return {"total": len(old), "one": left[0], "two": left[1], "three": left[2]}


def _ref() -> dict[str, Any]:
    held = held_peak(run(load_setup(Setup("T10"), "en")))
    return {"users": len(admitted("T10")), "held": held.shared, "unshared": held.unshared}


def _finished() -> dict[str, Any]:
    return _second("P1")


def _generated() -> dict[str, Any]:
    prompt, answer, size = 100, 50, 16
    talk = [*range(prompt), *range(900_000, 900_000 + answer), *range(1_000, 1_020)]
    hit = hits([range(prompt), talk], answers=[answer])[1]
    known = computed_tokens(prompt, answer, True)
    return {"prompt": prompt, "answer": answer, "known": known, "size": size, "hit": hit}


def _parallel() -> dict[str, Any]:
    engine = Engine(EngineConfig(block_size=4))
    for number in range(4):
        engine.submit(Request(f"R{number}", tuple(range(13))))
    parts = [count for _, count in engine.step().scheduled]
    return {"total": 13, "parts": " + ".join(map(str, parts)), "sum": sum(parts), "alone": 4 * 13}


def _preempt() -> dict[str, Any]:
    log = run(situation("preempt", "en"))
    statistics = Statistics()
    for event in log.events:
        statistics.add(event)
    asked, found = statistics.lifetime
    asked_again, found_again = statistics.preempted
    return {
        "again": found_again,
        "own": found,
        "rate": _percent(found, asked),
        "wrong": _percent(found + found_again, asked + asked_again),
    }


def _cliff() -> dict[str, Any]:
    few, enough = (admitted("P9", num_slots=slots) for slots in (4, 5))
    return {
        "few": _percent(sum(hit > 0 for hit, _ in few), len(few)),
        "enough": _percent(sum(hit > 0 for hit, _ in enough), len(enough)),
        "few_slots": 4,
        "enough_slots": 5,
    }


# -- in practice -----------------------------------------------------------------------------------------


def _change() -> dict[str, Any]:
    """One token of a prompt is another one; place is how many tokens stand before it."""
    total, place = 113, 40
    before = list(range(total))
    after = [*before[:place], 77_777, *before[place + 1 :]]
    return {"total": total, "place": place, "hit": hits([before, after])[1], "size": 16}


def _thinking() -> dict[str, Any]:
    prompt, thought, answer, question = 48, 40, 16, 8
    said = list(range(900_000, 900_000 + thought + answer))
    asked = list(range(5_000, 5_000 + question))
    kept = [*range(prompt), *said, *asked]
    stripped = [*range(prompt), *said[thought:], *asked]
    both = [hits([range(prompt), turn], answers=[thought + answer])[1] for turn in (kept, stripped)]
    sizes = {"prompt": prompt, "thought": thought, "answer": answer}
    return {**sizes, "kept": both[0], "stripped": both[1], "all": len(kept), "less": len(stripped)}


def routed(waiting: int, tokens: int, cached: int) -> int:
    """Work in front of the answer on one replica: what waits there, and what of this prompt is new to it."""
    return waiting + tokens - cached


def _route() -> dict[str, Any]:
    prefix, replicas, tokens = 1_000, 4, 2_400
    return {
        "prefix": f"{prefix:,}",
        "replicas": replicas,
        "cold": f"{prefix * replicas:,}",
        "tokens": f"{tokens:,}",
        "warm_wait": "6,000",
        "warm_cached": "2,000",
        "warm": f"{routed(6_000, tokens, 2_000):,}",
        "idle_wait": 500,
        "idle": f"{routed(500, tokens, 0):,}",
    }


def uses_to_win(write: float, read: float = READ) -> int:
    """The first number of uses at which one write and the reads after it cost less than no cache."""
    uses = 1
    while write + (uses - 1) * read >= uses:
        uses += 1
    return uses


def _price() -> dict[str, Any]:
    short, long = uses_to_win(WRITE), uses_to_win(WRITE_LONG)
    return {
        "write": WRITE,
        "read": READ,
        "uses": short,
        "cost": f"{WRITE + (short - 1) * READ:g}",
        "write_long": f"{WRITE_LONG:g}",
        "uses_long": long,
        "cost_long": f"{WRITE_LONG + (long - 1) * READ:g}",
    }


def _speed() -> dict[str, Any]:
    hit, total = admitted("L640")[1]
    compared = COST.compare(total, hit)
    return {
        "total": total,
        "computed": total - hit,
        "claim": f"{compared.linear_ratio:g}",
        "ratio": f"{compared.ratio:.1f}",
        "ten": f"{COST.compare(10 * total, 10 * hit).ratio:.1f}",
        "hundred": f"{COST.compare(100 * total, 100 * hit).ratio:.1f}",
        "model": COST.model.name,
        "gpu": COST.gpu.name,
    }


def _metric() -> dict[str, Any]:
    rows = admitted("P1")
    return {
        "tokens": _percent(sum(hit for hit, _ in rows), sum(total for _, total in rows)),
        "requests": _percent(sum(hit > 0 for hit, _ in rows), len(rows)),
        "mean": _percent(sum(hit / total for hit, total in rows), len(rows)),
        "later": _percent(sum(hit for hit, _ in rows[1:]), sum(total for _, total in rows[1:])),
    }


def _decode_same() -> dict[str, Any]:
    """A hit or not, the context of a decode step is as long."""
    return {"tokens": "4,096", "decode": f"{1e3 * COST.decode_s([4_096]):.1f}"}


_NUMBERS: Mapping[str, Callable[[], dict[str, Any]]] = MappingProxyType(
    {
        "kv_what": _kv_what,
        "kv_q": _kv_q,
        "kv_size": _kv_size,
        "kv_slow": _kv_slow,
        "kv_memory": _kv_memory,
        "kv_paged": _kv_memory,
        "kv_phases": _kv_phases,
        "kv_heads": _kv_heads,
        "kv_sampling": _kv_sampling,
        "match_prefix": _time_in_front,
        "match_chain": _chain,
        "match_exact": _exact,
        "match_verify": _verify,
        "match_key": _tenants,
        "match_size": _block_size,
        "match_radix": _radix,
        "pool_evict": _evict,
        "pool_ref": _ref,
        "pool_finished": _finished,
        "pool_generated": _generated,
        "pool_parallel": _parallel,
        "pool_preempt": _preempt,
        "pool_cliff": _cliff,
        "work_prompt": _time_in_front,
        "work_change": _change,
        "work_think": _thinking,
        "work_tenant": _tenants,
        "work_route": _route,
        "work_price": _price,
        "work_speed": _speed,
        "work_metric": _metric,
        "wrong_prompt": _generated,
        "wrong_linear": _kv_what,
        "wrong_full": _exact,
        "wrong_decode": _decode_same,
    }
)
