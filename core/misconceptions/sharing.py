"""Beliefs about who shares with whom: collisions, tenants, new weights, requests at once, replicas."""

from __future__ import annotations

from core.engine.engine import Engine
from core.misconceptions.story import Belief, Knob, Shown, admitted, computed, reused, story
from core.scenario.scenario import Json, Scenario
from core.types import EngineConfig, Request

BLOCK = 4

# -- equal hashes -------------------------------------------------------------------------------------------

HASHES = ("weak", "checked", "strong")
FIRST, SECOND = "1,2,3,4,0", "4,3,2,1,0"


def _collision(kind: str) -> Scenario:
    config = {"hash_name": "xxh3_128" if kind == "strong" else "weak", "verify_tokens": kind == "checked"}
    return story("hash", BLOCK, 8, [FIRST, SECOND], **config)


def foreign(kind: str) -> Shown:
    """Believed: a hit is the same text. True: under a weak hash the second prompt, whose tokens are others,
    gets the first one's block."""
    return Shown(
        0,
        reused(_collision(kind)),
        "foreign",
        tuple((each, reused(_collision(each))) for each in HASHES),
        here=kind,
        numbers={"first": FIRST, "second": SECOND, "foreign": reused(_collision(kind))},
        scenario=_collision(kind),
    )


# -- tenants ------------------------------------------------------------------------------------------------


def _guess(guess: str, salts: str) -> Scenario:
    mine, theirs = ({}, {}) if salts == "shared" else ({"salt": "tenant A"}, {"salt": "tenant B"})
    go = {"op": "run"}
    secret: Json = {"op": "submit", "id": "R0", "tokens": "secret[0:12] user1[0:1]", **mine}
    name = "secret" if guess == "right" else "guess"
    probe: Json = {"op": "submit", "id": "R1", "tokens": f"{name}[0:12] user2[0:1]", **theirs}
    return story("tenants", BLOCK, 12, [secret, go, probe, go])


def tenants(guess: str, salts: str) -> Shown:
    """Believed: a guess tells nothing, for nobody can read the content. True: a right guess computes less,
    and that shows in the time to the first token."""
    cost = {each: computed(_guess(each, salts)) for each in ("right", "wrong")}
    return Shown(
        0,
        cost["wrong"] - cost[guess],
        "saved",
        tuple(cost.items()),
        bars_unit="computed",
        here=guess,
        numbers={"right": cost["right"], "wrong": cost["wrong"], "size": BLOCK},
        scenario=_guess(guess, salts),
    )


# -- new weights ------------------------------------------------------------------------------------------


DEPLOYED = 13


def _deploy(key: str) -> Scenario:
    """New weights between two equal requests; without a key nobody tells the cache."""
    prompt = f"system[0:{DEPLOYED}]"
    told: list[str | Json] = []
    for version in ("v1", "v2", "v1"):
        told += [{"op": "version", "version": version}] if key == "version" else []
        told.append(prompt)
    return story("weights", BLOCK, 16, told)


def weights(key: str) -> Shown:
    """Believed: no stale KV is used after a deployment. True: the tokens are the same, so it is used."""
    run = _deploy(key)
    return Shown(
        0,
        reused(run) if key == "none" else 0,
        "stale",
        tuple((each, reused(_deploy(each))) for each in ("none", "version")),
        bars_unit="reused",
        here=key,
        numbers={
            "hit": reused(run),
            "computed": computed(run),
            "rollback": reused(run, "R2"),
            "tokens": DEPLOYED,
            "size": BLOCK,
        },
        scenario=run,
    )


# -- at once ------------------------------------------------------------------------------------------------

PROMPT = 13


def _burst(count: int) -> Scenario:
    told: list[Json] = [
        {"op": "submit", "id": f"R{k}", "tokens": f"prompt[0:{PROMPT}]"} for k in range(count)
    ]
    return story("together", BLOCK, 4 * count, [*told, {"op": "run"}])


def _after_forward(count: int) -> int:
    """An engine that publishes hashes after the forward pass: all of a burst look up before any is stored."""
    engine = Engine(EngineConfig(block_size=BLOCK, num_blocks=4 * count + 1))
    hits = [engine.lookup(Request(f"R{k}", range(PROMPT))).hit for k in range(count)]
    return sum(PROMPT - hit for hit in hits)


def together(count: int, publish: str) -> Shown:
    """Believed: at once, everybody computes all. True: that depends on when hashes are published."""
    allocated = sum(event.num_tokens - event.hit_tokens for event in admitted(_burst(count)).values())
    ways = {"allocation": allocated, "forward": _after_forward(count)}
    return Shown(
        count * PROMPT,
        ways[publish],
        "computed",
        tuple(ways.items()),
        here=publish,
        numbers={"count": count, "prompt": PROMPT, "size": BLOCK, **ways},
        scenario=_burst(count),
    )


# -- replicas -----------------------------------------------------------------------------------------------

REQUESTS = 8
COUNTS = (1, 2, 4, 8)


def _prompt(number: int) -> str:
    return f"system[0:8] user{number}[0:1]"


def _routed(replicas: int, way: str) -> int:
    """Tokens reused over all replicas: each has an engine of its own."""

    def goes_to(number: int) -> int:
        return number % replicas if way == "robin" else 0

    total = 0
    for replica in range(replicas):
        mine = [number for number in range(REQUESTS) if goes_to(number) == replica]
        if mine:
            run = story("replicas", BLOCK, 16, [_prompt(n) for n in mine])
            total += sum(event.hit_tokens for event in admitted(run).values())
    return total


def replicas(count: int) -> Shown:
    """Believed: together they are one larger cache. True: each pays its own cold start and keeps a copy."""
    robin, affinity = _routed(count, "robin"), _routed(count, "affinity")
    return Shown(
        _routed(1, "robin"),
        robin,
        "reused",
        tuple((each, _routed(each, "robin")) for each in COUNTS),
        here=count,
        across="count",
        numbers={
            "count": count,
            "requests": REQUESTS,
            "total": REQUESTS * 9,
            "shared": 8,
            "size": BLOCK,
            "robin": robin,
            "affinity": affinity,
            "colds": min(count, REQUESTS),
        },
        scenario=story("replicas", BLOCK, 16, [_prompt(n) for n in range(0, REQUESTS, count)]),
    )


HASH = Belief("hash", (Knob("kind", HASHES, "weak"),), foreign)
TENANTS = Belief(
    "tenants",
    (Knob("guess", ("right", "wrong"), "right"), Knob("salts", ("shared", "own"), "shared")),
    tenants,
)
WEIGHTS = Belief("weights", (Knob("key", ("none", "version"), "none"),), weights)
TOGETHER = Belief(
    "together",
    (Knob("count", tuple(range(2, 9)), 4), Knob("publish", ("allocation", "forward"), "allocation")),
    together,
)
REPLICAS = Belief("replicas", (Knob("count", COUNTS, 4),), replicas)
