"""The numbers of the sheet's questions: drawn from a seed, the right ones told by a run of the engine.

Block sizes differ from those of the runs that are shown (4, and 16 in the long ones), so nobody has seen the
run that is asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from core.cost import GPUS, MODELS, CostModel
from core.engine.engine import Engine
from core.types import EngineConfig, Request
from ui.study.draw import POOL, Draw, hits, second_hit, tokens

SIZES = (5, 6, 8, 10, 12)
"""Tokens in a block."""
Args = dict[str, object]
"""The holes of a question's texts."""


# -- six ideas ----------------------------------------------------------------------------------------


def _stamp(draw: Draw) -> Args:
    """One token early in the prompt differs; all behind it is as before."""
    size = draw.one("size", SIZES)
    before = draw.one("block", (0, 1)) * size + draw.one("place", range(1, size))
    blocks, rest = draw.one("blocks", range(4, 9)), draw.one("rest", range(1, size))
    total = blocks * size + rest
    first, second = (tokens(("head", before), (now, 1), ("body", total - before - 1)) for now in ("8h", "9h"))
    return {
        "size": size,
        "total": total,
        "at": before + 1,
        "what": draw.one("what", (1, 2, 3)),
        "a": total - 1,
        "b": (blocks - 1) * size,
        "c": second_hit(size, first, second),
        "d": before,
    }


def _part(draw: Draw) -> Args:
    """Two prompts part in the middle of a block."""
    size = draw.one("size", SIZES)
    blocks, near = draw.one("blocks", range(2, 7)), draw.one("near", range(1, size))
    same, rest = blocks * size + near, size + draw.one("rest", range(1, size))
    first, second = (tokens(("both", same), (who, rest)) for who in ("one", "other"))
    right = second_hit(size, first, second)
    return {
        "size": size,
        "same": same,
        "total": same + rest,
        "near": near,
        "a": same,
        "b": right,
        "c": 0,
        "d": (blocks + 1) * size,
    }


def _hit(draw: Draw) -> Args:
    """A running beginning is hit once more: what the pool looks like then."""
    size, blocks = draw.one("size", SIZES), draw.one("blocks", range(2, 7))
    users = draw.one("users", range(2, 6))
    engine = Engine(EngineConfig(block_size=size, num_blocks=POOL))
    for user in range(users + 1):
        engine.start(Request(f"R{user}", tokens(("both", blocks * size), (f"own{user}", 3))))
    held = {engine.view.block_table(f"R{user}")[:blocks] for user in range(users + 1)}
    slots = {slot for table in held for slot in table}
    ref = {engine.view.ref_count(slot) for slot in slots}
    return {
        "users": users,
        "blocks": blocks,
        "copies": (users + 1) * blocks,
        "num": len(slots),
        "ref": max(ref),
        "fewer": users,
    }


def _done(draw: Draw) -> Args:
    """A request ends; another one still uses some of its blocks."""
    size, blocks = draw.one("size", SIZES), draw.one("blocks", range(4, 9))
    shared = draw.one("shared", range(1, blocks - 1))
    engine = Engine(EngineConfig(block_size=size, num_blocks=POOL))
    engine.start(Request("R0", tokens(("both", shared * size), ("own", (blocks - shared) * size + 1))))
    engine.start(Request("R1", tokens(("both", shared * size), ("other", 3))))
    known = engine.view.cached_hashes()
    engine.free("R0")
    lost = len(set(known) - set(engine.view.cached_hashes()))
    return {"blocks": blocks, "shared": shared, "a": lost, "b": blocks - shared, "c": blocks, "d": 1}


def _repeat(draw: Draw) -> Args:
    """The very same prompt once more; half of the time it ends with a full block."""
    size, blocks = draw.one("size", SIZES), draw.one("blocks", range(2, 8))
    rest = draw.one("rest", (0, *range(2, size))) if draw.one("full", (True, False)) else 0
    prompt = tokens(("all", blocks * size + rest))
    computed = len(prompt) - second_hit(size, prompt, prompt)
    return {"size": size, "total": len(prompt), "a": 0, "b": 1, "c": computed, "d": len(prompt)}


MACHINES = (("Llama-3-8B", "H100"), ("Qwen2.5-7B", "A100"), ("Llama-2-7B", "H200"), ("Llama-3-8B", "A100"))


def _speed(draw: Draw) -> Args:
    """Times with and without a hit, by the cost model."""
    model, gpu = draw.one("machine", MACHINES)
    cost = CostModel(MODELS[model], GPUS[gpu])
    total = draw.one("total", (2000, 3000, 4000, 6000, 8000))
    hit = total * draw.one("share", (50, 60, 70, 80)) // 100 // 16 * 16
    times, gap = cost.compare(total, hit), cost.decode_s([total])
    return {
        "model": model,
        "gpu": gpu,
        "total": total,
        "hit": hit,
        "full": f"{1000 * times.full_s:.0f}",
        "soon": f"{1000 * times.hit_s:.0f}",
        "gap": f"{1000 * gap:.1f}",
        "fast": f"{1000 * gap * (1 - hit / total):.1f}",
    }


# -- two new situations -------------------------------------------------------------------------------


def _tools(draw: Draw) -> Args:
    """An agent whose library lists two neighbouring tools the other way round."""
    size = draw.one("size", SIZES)
    system, talk = draw.one("system", range(2, 7)) * size, draw.one("talk", range(2, 8)) * size
    each, count = draw.one("each", (1, 2, 3)) * size, draw.one("count", range(4, 8))
    place = draw.one("place", range(2, count))
    first = [f"tool{number}" for number in range(1, count + 1)]
    second = [*first[: place - 1], first[place], first[place - 1], *first[place + 1 :]]
    old, new = (
        tokens(("system", system), *((tool, each) for tool in order), ("talk", talk), ("news", more))
        for order, more in ((first, 0), (second, size + 1))
    )
    return {
        "size": size,
        "system": system,
        "talk": talk,
        "each": each,
        "count": count,
        "place": place,
        "next": place + 1,
        "total": len(old),
        "a": second_hit(size, old, new),
        "b": len(old) - 2 * each,
        "c": len(old),
        "d": 0,
    }


def _salts(draw: Draw) -> Args:
    """Two customers with the same beginning, each with a salt of their own."""
    size, blocks = draw.one("size", SIZES), draw.one("blocks", range(3, 9))
    sends = {who: draw.one(who, range(2, 6)) for who in ("first", "second")}
    shared = blocks * size
    requests = [
        Request(f"{who}{number}", tokens(("both", shared), (f"{who}{number}", 3)), salt=who)
        for who, count in sends.items()
        for number in range(count)
    ]
    computed = sum(shared - min(hit, shared) for hit in hits(size, *requests))
    return {
        "size": size,
        "shared": shared,
        **sends,
        "a": shared,
        "b": computed,
        "c": sum(sends.values()) * shared,
        "d": shared + size,
    }


QUESTIONS: Mapping[str, Callable[[Draw], Args]] = MappingProxyType(
    {
        "stamp": _stamp,
        "part": _part,
        "hit": _hit,
        "done": _done,
        "repeat": _repeat,
        "speed": _speed,
        "tools": _tools,
        "salts": _salts,
    }
)
