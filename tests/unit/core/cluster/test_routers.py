"""The worked examples of the routers' rules: by hand, or seen with the product running."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, permutations

import pytest

from core.cluster.kv_index import Decided, KVIndex
from core.cluster.router import Ask, Router, Score, Worker
from core.cluster.routers.affinity import PrefixHash, SessionRing, Sticky, bounded
from core.cluster.routers.aibrix import AIBrixPrefix
from core.cluster.routers.dynamo import Dynamo, chances
from core.cluster.routers.llm_d import DEFAULT_ENTRIES, SAMPLES, Approximate, Precise, Weights, weighed
from core.cluster.routers.plain import LeastQueued, LeastRequest, PowerOfTwo, Random, RoundRobin
from core.cluster.routers.production_stack import PrefixAware, kv_accepted, load_aware_value
from core.cluster.routers.ray_serve import RayPrefix
from core.cluster.routers.sglang import SGR, SMG, STRUCT, CacheAware
from core.engine.hash_chain import hash_chain, token_array
from core.engine.kv_events import KVRemoved, KVStored, kv_stored
from core.types import Request

NUMBERS = count()


def ask(text: str = "", *, tokens: Sequence[int] = (), session: str | None = None, at_s: float = 0.0) -> Ask:
    """A request of a text, or of tokens alone."""
    ids = tuple(tokens) or tuple(map(ord, text)) or (1,)
    return Ask(next(NUMBERS), at_s, Request("R", ids), session, text or None)


def fleet(*loads: int, **fields: Sequence[float]) -> list[Worker]:
    """Workers with these loads, and other fields one by one."""
    workers = [Worker(f"W{place + 1}", 1000, load=load) for place, load in enumerate(loads)]
    for name, values in fields.items():
        for worker, value in zip(workers, values, strict=True):
            setattr(worker, name, value)
    return workers


@dataclass
class Door:
    """A router before workers, with the run's book: who has how many."""

    router: Router
    workers: list[Worker]

    def send(self, one: Ask, *, answered: bool) -> int:
        chosen = self.router.choose(one, self.workers).worker
        worker = self.workers[chosen]
        worker.processed += 1
        if answered:
            self.router.finished(one.number, chosen, one.at_s)
        else:
            worker.load += 1
        return chosen


# -- plain ---------------------------------------------------------------------------------------------------


def test_round_robin_counts_for_each_set_of_workers_and_goes_by_name() -> None:
    router, workers = RoundRobin(), fleet(0, 0, 0)
    workers[0].name, workers[2].name = "W9", "W1"
    assert [router.choose(ask(), workers).worker for _ in range(4)] == [2, 1, 0, 2]
    workers[1].healthy = False  # a set that was not seen before begins at 0
    assert [router.choose(ask(), workers).worker for _ in range(3)] == [2, 0, 2]
    workers[1].healthy = True
    assert router.choose(ask(), workers).worker == 1


def test_power_of_two_leaves_the_worst_out() -> None:
    """Loads 5, 2, 9: of the six ways to draw two the second worker wins four, the first two."""
    workers, router = fleet(5, 2, 9), PowerOfTwo()
    won = Counter(router.better(one, other, workers) for one, other in permutations(range(3), 2))
    assert won == {1: 4, 0: 2}
    drawn = Counter(router.choose(ask(), workers).worker for _ in range(3000))
    assert drawn[2] == 0
    assert abs(drawn[1] / 3000 - 2 / 3) < 0.04


def test_power_of_two_goes_by_use_only_if_both_report_and_a_tie_goes_to_the_first_drawn() -> None:
    router = PowerOfTwo()
    assert router.better(0, 1, fleet(5, 2, kv_usage=(0.1, 0.9))) == 0
    assert router.better(0, 1, [Worker("a", load=5, kv_usage=0.1), Worker("b", load=2)]) == 1
    assert router.better(1, 0, fleet(3, 3)) == 1


def test_least_request_takes_any_of_equals() -> None:
    router = LeastRequest(seed=4)
    assert {router.choose(ask(), fleet(3, 1, 1)).worker for _ in range(40)} == {1, 2}


def test_vllms_ranks_count_a_waiting_request_four_times() -> None:
    assert LeastQueued().choose(ask(), fleet(0, 0, waiting=(1, 0), running=(0, 3))).worker == 1
    assert LeastQueued().choose(ask(), fleet(0, 0, waiting=(1, 0), running=(0, 5))).worker == 0


def test_random_takes_everybody() -> None:
    router = Random(seed=1)
    assert {router.choose(ask(), fleet(0, 9, 0)).worker for _ in range(60)} == {0, 1, 2}


# -- affinity ------------------------------------------------------------------------------------------------


def test_a_ring_moves_only_the_keys_of_the_worker_that_left() -> None:
    router, workers = SessionRing(), fleet(0, 0, 0, 0)
    keys = [f"s{at}" for at in range(200)]
    before = [router.choose(ask(session=key), workers).worker for key in keys]
    workers[2].healthy = False
    after = [router.choose(ask(session=key), workers).worker for key in keys]
    assert all(new == old for new, old in zip(after, before, strict=True) if old != 2)
    assert 2 not in after
    assert len(set(before)) == 4


def test_prefix_hash_is_bounded() -> None:
    """Loads 10, 2, 3: the limit is 1.25 x 16 / 3 = 6.67; the ring says the first: the second gets it."""
    assert bounded(0, fleet(10, 2, 3)) == (1, "bounded")
    assert bounded(2, fleet(10, 2, 3)) == (2, "ring")
    assert bounded(0, fleet(2, 2)) == (0, "ring")  # 1.25 x 5 / 2 = 3.1


def test_prefix_hash_looks_at_256_tokens() -> None:
    router, workers = PrefixHash(), fleet(0, 0, 0, 0)
    same = {router.choose(ask(tokens=[*range(256), at]), workers).worker for at in range(20)}
    other = {router.choose(ask(tokens=[*range(255), at]), workers).worker for at in range(20)}
    assert len(same) == 1
    assert len(other) > 1


def test_a_sticky_session_is_forgotten_after_four_idle_hours() -> None:
    router, workers = Sticky(), fleet(0, 5)
    assert router.choose(ask(session="a"), workers).worker == 0
    workers[0].load = 9
    assert router.choose(ask(session="a", at_s=4 * 3600.0), workers).why == "sticks"
    later = router.choose(ask(session="a", at_s=8 * 3600.0 + 1), workers)
    assert (later.worker, later.why) == (1, "new_key")


# -- SGLang --------------------------------------------------------------------------------------------------


def unrelated(at: int) -> Ask:
    return ask(chr(ord("a") + at) * 50)


def test_eight_unrelated_prompts_of_an_idle_cluster_all_go_to_one_worker() -> None:
    door = Door(CacheAware(SGR, first_of_equals=True), fleet(0, 0, 0))
    assert {door.send(unrelated(at), answered=True) for at in range(8)} == {0}


def test_the_newer_tie_rule_spreads_them() -> None:
    door = Door(CacheAware(SMG), fleet(0, 0, 0))
    assert Counter(door.send(unrelated(at), answered=True) for at in range(8)) == {0: 3, 1: 3, 2: 2}


@pytest.mark.parametrize("first_of_equals", [True, False])
def test_seventy_slow_requests_with_one_prefix_go_66_2_2(first_of_equals: bool) -> None:
    """65 go to A; 65 - 0 > 64, so one to B, one to C; 65 - 1 is not > 64, so A; 66 - 1 is: B and C."""
    door = Door(CacheAware(SGR, first_of_equals=first_of_equals), fleet(0, 0, 0))
    sent = [door.send(ask("S" * 300 + f"{at:03}"), answered=False) for at in range(70)]
    assert Counter(sent) == {0: 66, 1: 2, 2: 2}
    assert sent[:65] == [0] * 65
    assert sorted(sent[65:67]) == [1, 2]
    assert sent[67] == 0


def test_the_three_sets_of_defaults() -> None:
    """Differences of 33 at a ratio of 1.2 are imbalanced for the structure's defaults alone."""
    workers = fleet(33, 0)
    for settings, why in ((SGR, "below_threshold"), (SMG, "below_threshold"), (STRUCT, "imbalanced")):
        assert CacheAware(settings).choose(ask("x" * 9), workers).why == why
    assert (SGR.threshold, SGR.abs, SGR.rel, SGR.max_chars, SGR.interval_s) == (0.3, 64, 1.5, 2**26, 60.0)
    assert (STRUCT.threshold, STRUCT.abs, STRUCT.rel, STRUCT.max_chars) == (0.5, 32, 1.1, 10_000)
    assert SMG.interval_s == 120.0
    assert STRUCT.interval_s == 30.0


def test_imbalance_is_strict_both_ways() -> None:
    router = CacheAware(SGR)
    assert router.choose(ask("x"), fleet(64, 0)).why == "below_threshold"
    assert router.choose(ask("y"), fleet(65, 0)).why == "imbalanced"
    assert router.choose(ask("z"), fleet(300, 200)).why == "below_threshold"  # 300 = 1.5 x 200


def test_a_match_is_credited_to_the_nodes_first_and_within_an_edge_too() -> None:
    router, workers = CacheAware(SGR, first_of_equals=True), fleet(0, 0)
    router.choose(ask("p" * 100), workers)  # to the first
    workers[0].load = 100
    assert router.choose(ask("p" * 100), workers).worker == 1  # the text is written down there too
    workers[0].load = 1
    again = router.choose(ask("p" * 40), workers)  # both own it; its first is the first worker
    assert (again.worker, again.why) == (0, "matched")


def test_the_threshold_is_strict() -> None:
    router, workers = CacheAware(SGR, first_of_equals=True), fleet(0, 0)
    router.choose(ask("q" * 30), workers)
    assert router.choose(ask("q" * 30 + "r" * 70), workers).why == "below_threshold"
    assert router.choose(ask("q" * 31 + "s" * 69), workers).why == "below_threshold"  # 30 of it are there
    assert router.choose(ask("q" * 31), workers).why == "matched"


def test_a_matched_worker_that_is_dead_is_replaced_and_nothing_is_written_down() -> None:
    router, workers = CacheAware(SGR, first_of_equals=True), fleet(0, 0)
    router.choose(ask("d" * 60), workers)
    workers[0].healthy = False
    size = dict(router.tree.size)
    assert router.choose(ask("d" * 60), workers).why == "matched_is_dead"
    assert router.tree.size == size


def test_leaves_go_least_recently_used_first_and_parents_last() -> None:
    router, workers = CacheAware(STRUCT, first_of_equals=True), fleet(0)
    for tail in "abc":
        router.choose(ask("h" * 4000 + tail * 4000), workers)  # 16,000 characters, 10,000 are allowed
    router.choose(ask("h" * 4000 + "c" * 4000, at_s=30.0), workers)
    assert router.tree.match(ask("h" * 4000 + "c" * 4000).units)[0] == 8000
    assert router.tree.match(ask("h" * 4000 + "a" * 4000).units)[0] == 4000
    assert router.tree.size[0] <= 10_000


# -- production-stack ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "matched"),
    [("same", 384), ("last 44 changed", 256), ("299", 256), ("128", 128), ("127", 0)],
)
def test_prefix_aware_matches_pieces_of_128_characters(text: str, matched: int) -> None:
    base = "".join(chr(ord("a") + at * 7 % 23) for at in range(300))
    asked = {
        "same": base,
        "last 44 changed": base[:256] + "Z" * 44,
        "299": base[:299],
        "128": base[:128] + "Z" * 172,
        "127": base[:127] + "Z" * 173,
    }
    router, workers = PrefixAware(), fleet(0, 0, 0)
    first = router.choose(ask(base), workers).worker
    scores = router.choose(ask(asked[text]), workers).scores
    assert scores[first].value == matched
    assert [scores[place].value for place in range(3) if place != first] == [0, 0]


def test_prefix_aware_looks_at_no_load_and_never_forgets() -> None:
    router, workers = PrefixAware(), fleet(0, 0, 0)
    first = router.choose(ask("k" * 300), workers).worker
    workers[first].load = 10_000
    assert all(router.choose(ask("k" * 300), workers).worker == first for _ in range(20))


def test_an_unknown_prompt_goes_anywhere() -> None:
    router = PrefixAware(seed=3)
    assert {router.choose(ask(f"{at:0128}"), fleet(0, 0, 0)).worker for at in range(40)} == {0, 1, 2}


def test_kv_aware_accepts_all_but_2000_tokens() -> None:
    assert [kv_accepted(5000, matched) for matched in (2999, 3000)] == [False, True]
    assert kv_accepted(2000, 0)
    assert kv_accepted(16, 0)
    assert not kv_accepted(2001, 0)


def test_load_aware() -> None:
    assert load_aware_value(750, 1000, load=4, mean_load=4) == 0.75
    assert load_aware_value(750, 1000, load=8, mean_load=4) == -0.25


# -- llm-d ---------------------------------------------------------------------------------------------------

PODS = {"waiting": (6, 2, 0), "kv_usage": (0.9, 0.5, 0.1)}
MATCHED = (12 / 16, 4 / 16, 0.0)


def test_the_coldest_pod_wins_against_a_hit_of_75_percent() -> None:
    sums = [one[0] for one in weighed(fleet(0, 0, 0, **PODS), MATCHED, Weights()) if one]
    assert sums == pytest.approx([2.45, 3.0833, 3.8], abs=1e-4)


def test_with_equal_queues_the_hit_wins() -> None:
    even = {**PODS, "waiting": (2, 2, 2)}
    sums = [one[0] for one in weighed(fleet(0, 0, 0, **even), MATCHED, Weights()) if one]
    assert sums == pytest.approx([4.45, 3.75, 3.8])


def test_one_waiting_request_is_the_full_swing_and_weights_can_be_set() -> None:
    parts = [one[1] for one in weighed(fleet(0, 0, waiting=(1, 0)), (0, 0), SAMPLES) if one]
    assert [dict(part)["queue"] for part in parts] == [0.0, 1.0]


def blocks(router: Approximate, *names: int) -> list[bytes]:
    return [name.to_bytes(8, "big") for name in names]


def test_the_head_is_evicted_first_and_a_pod_without_it_still_scores() -> None:
    router = Approximate()
    router.add(0, blocks(router, 1, 2, 3, 4), num_entries=4)
    router.add(0, blocks(router, 9), num_entries=4)  # pushes 1 out: the head
    assert router.match(blocks(router, 1, 2, 3, 4), 2) == ([0, 0], ["head_lost", ""])
    router.add(1, blocks(router, 1), num_entries=4)  # somebody else has the head
    assert router.match(blocks(router, 1, 2, 3, 4), 2) == ([3, 1], ["headless", ""])


def test_what_never_fitted_stays_for_ever() -> None:
    """Of six blocks in an LRU of four the first two leave it at once, and are in the table all the same."""
    router = Approximate()
    router.add(0, blocks(router, 1, 2, 3, 4, 5, 6), num_entries=4)
    for at in range(100, 200):
        router.add(0, blocks(router, at), num_entries=4)
    assert router.match(blocks(router, 1, 2, 3, 4, 5, 6), 1)[0] == [2]


def test_the_index_believes_four_times_the_cache() -> None:
    """100 blocks of 16 tokens hold 1,600 tokens; 100 entries of 64 are 6,400."""
    router = Approximate()
    workers = [Worker("W1", num_blocks=100, block_size=16)]
    for at in range(200):
        router.choose(ask(tokens=range(1000 * at, 1000 * at + 640)), workers)
    assert router.believed_total(0) == 6400
    assert DEFAULT_ENTRIES == 31_250


def test_a_block_that_is_not_full_counts_too_and_prompts_are_cut() -> None:
    router, workers = Approximate(), [Worker("W1", num_blocks=9999)]
    router.choose(ask(tokens=range(100)), workers)
    assert router.believed_total(0) == 128
    router.choose(ask(tokens=range(1000, 1000 + 131_072 + 640)), workers)
    assert router.believed_total(0) == 128 + 131_072


def stored(tokens: Sequence[int], size: int = 4) -> KVStored:
    request = Request("a", tuple(tokens))
    hashes = hash_chain(tokens, size)
    return kv_stored(request, None, "", token_array(tokens), hashes, None, 0, size)


def test_the_precise_index_reads_from_the_head_without_a_gap() -> None:
    router, workers = Precise(), [Worker(f"W{at}", 99, 4) for at in range(2)]
    event = stored(range(16))
    router.kv(0, event, 0.0)
    router.kv(1, event, 0.0)
    router.kv(0, KVRemoved(event.block_hashes[0]), 0.0)
    router.kv(1, KVRemoved(event.block_hashes[2]), 0.0)
    scores = router.choose(ask(tokens=range(16)), workers).scores
    assert [score.believed for score in scores] == [0, 8]


def test_an_eleventh_replica_pushes_one_out() -> None:
    router, workers = Precise(), [Worker(f"W{at:02}", 99, 4) for at in range(11)]
    for place in range(11):
        router.kv(place, stored(range(16)), float(place))
    believed = [score.believed for score in router.choose(ask(tokens=range(16)), workers).scores]
    assert believed == [0] + [16] * 10


def test_copies_are_counted() -> None:
    index, event = KVIndex(), stored(range(8))
    index.take(0, event)
    index.take(0, event)
    index.take(0, KVRemoved(event.block_hashes[1]))
    assert index.matched(event.block_hashes, 1) == [2]
    assert index.num_blocks(0) == 2
    index.take(0, KVRemoved(event.block_hashes[1]))
    assert index.matched(event.block_hashes, 1) == [1]
    assert index.num_blocks(0) == 1


# -- Dynamo --------------------------------------------------------------------------------------------------


def test_temperature() -> None:
    """Costs 8 + 10, 5 + 5, 2 + 9 = 18, 10, 11; with 0.5 the weights are e^-2, 1, e^-0.25."""
    assert chances([18, 10, 11], 0.5) == pytest.approx([0.071, 0.522, 0.407], abs=5e-4)
    assert chances([3, 3], 0.5) == [0.5, 0.5]


def live(
    router: Dynamo, worker: int, workers: list[Worker], tokens: Sequence[int], *, answered: bool
) -> None:
    """A request that is at work at that worker."""
    for place, one in enumerate(workers):
        one.healthy = place == worker
    one_ask = ask(tokens=tokens)
    router.choose(one_ask, workers)
    if answered:
        router.first_token(one_ask.number, worker, 0.0)
    for one in workers:
        one.healthy = True


def test_dynamos_cost_by_hand() -> None:
    """A prompt of 4 blocks of 4 tokens. A: prefills of 4 blocks at work, 6 live; B: 2 of its own cached, one
    block and a tail live; C: nothing."""
    router, workers = Dynamo(), [Worker(f"W{at}", 99, 4) for at in range(3)]
    live(router, 0, workers, range(100, 116), answered=False)
    live(router, 0, workers, range(200, 208), answered=True)
    live(router, 1, workers, range(300, 305), answered=True)
    router.kv(1, stored(range(8)), 0.0)
    choice = router.choose(ask(tokens=range(16)), workers)
    parts = [tuple(dict(score.parts).values()) for score in choice.scores]
    assert parts == [(8.0, 10.0), (2.0, 6.0), (4.0, 4.0)]
    assert [score.value for score in choice.scores] == [18.0, 8.0, 8.0]
    assert choice.worker in (1, 2)


def test_cached_and_idle_blocks_still_count_as_decode_blocks_and_live_ones_do_not() -> None:
    router, workers = Dynamo(), [Worker("W0", 99, 4)]
    router.kv(0, stored(range(16)), 0.0)
    first = ask(tokens=range(16))
    assert dict(router.choose(first, workers).scores[0].parts)["decode"] == 4.0
    assert dict(router.choose(ask(tokens=range(16)), workers).scores[0].parts)["decode"] == 4.0


def test_without_events_decisions_are_forgotten_after_two_minutes() -> None:
    router, workers = Dynamo(by_events=False), [Worker("W0", 99, 4)]
    router.choose(ask(tokens=range(16)), workers)
    assert router.choose(ask(tokens=range(16), at_s=119.0), workers).scores[0].believed == 16
    assert router.choose(ask(tokens=range(16), at_s=239.5), workers).scores[0].believed == 0
    decided = Decided(120.0)
    decided.sent(0, [b"x"], 0.0)
    decided.expire(120.0)
    assert decided.num_blocks(0) == 0


# -- Ray -----------------------------------------------------------------------------------------------------


def test_rays_candidates() -> None:
    """A holds S(100) + a(100), B holds S + b(40)."""
    router = RayPrefix()
    router.tree.insert(ask("S" * 100 + "a" * 100).units, 0)
    router.tree.insert(ask("S" * 100 + "b" * 40).units, 1)
    assert router.candidates(ask("S" * 100 + "new").units, [0, 1]) == (100, [0, 1])
    assert router.candidates(ask("S" * 100 + "a" * 5).units, [0, 1]) == (105, [0])
    assert router.candidates(ask("S" * 9 + "x" * 91).units, [0, 1]) == (9, [1])  # 9 %: the smallest


def test_the_shorter_queue_among_rays_candidates() -> None:
    router = RayPrefix()
    router.tree.insert(ask("S" * 100).units, 0)
    router.tree.insert(ask("S" * 100).units, 1)
    assert router.choose(ask("S" * 100 + "u"), fleet(4, 2, 0)).worker == 1
    assert router.choose(ask("S" * 100 + "v"), fleet(900, 901, 0)).worker == 0  # never imbalanced by default
    assert RayPrefix(imbalanced=5).choose(ask("S"), fleet(9, 0)).why == "imbalanced"


# -- AIBrix --------------------------------------------------------------------------------------------------


def test_aibrix_skips_the_match_whose_pod_is_too_busy() -> None:
    """Running 2, 3, 10: the spread of 8 is allowed; mean 5 + deviation 4.36 = 9.36, so C is skipped."""
    router = AIBrixPrefix()
    assert router.decide([40, 0, 90], fleet(2, 3, 10)) == (0, "matched")
    assert router.decide([40, 0, 90], fleet(7, 8, 9)) == (2, "matched")
    assert router.decide([40, 0, 90], fleet(3, 2, 11)) == (1, "least_load")  # spread 9: only the least loaded


def test_aibrix_counts_full_blocks_of_four_bytes() -> None:
    router, workers = AIBrixPrefix(), fleet(0, 0)
    first = router.choose(ask("abcdefgh"), workers).worker
    scores = router.choose(ask("abcdefghijk"), workers).scores  # two full blocks, both there
    assert scores[first].value == 100
    assert router.choose(ask("abcdefXX----"), workers).scores[first].value == 33
    assert router.choose(ask("汤" * 4), workers).scores[first].value == 0  # three full blocks: 12 bytes


def test_aibrix_forgets_after_twenty_minutes() -> None:
    router, workers = AIBrixPrefix(), fleet(0)
    router.choose(ask("abcd"), workers)
    assert router.choose(ask("abcd", at_s=1200.0), workers).scores[0].value == 100
    assert router.choose(ask("abcd", at_s=2400.5), workers).scores[0].value == 0


def test_scores_are_told_for_every_worker_and_a_dead_one_has_none() -> None:
    workers = fleet(1, 2, 3, kv_usage=(0.1, 0.2, 0.3))
    workers[1].healthy = False
    for router in (
        RoundRobin(),
        CacheAware(),
        PrefixAware(),
        RayPrefix(),
        AIBrixPrefix(),
        Precise(),
        Dynamo(),
    ):
        scores = router.choose(ask("z" * 200), workers).scores
        assert len(scores) == 3
        assert scores[1].value is None
        assert scores[0].value is not None
        assert isinstance(scores[2], Score)
