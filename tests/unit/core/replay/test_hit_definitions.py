"""Six hit rates of one log: the published traces' reference values, and a plain second implementation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.replay.block_chain import chain_of_ids
from core.replay.hit_definitions import hit_rates
from core.replay.prefix_tree import PrefixTree, build_tree
from tests.prompt_logs import MOONCAKE_BLOCK, Tokens, prompts, real_chains, requests_of
from tests.strategies import examples

# In percent, for an infinite cache.
REFERENCE = {
    "mooncake_conversation.jsonl": {
        "blocks": 36.641,
        "tokens_full": 37.338,
        "tokens_tail": 37.362,
        "full_blocks": 38.190,
        "mean_of_ratios": 38.426,
        "last_half": 39.811,
        "last_half_full": 39.779,
    },
    "mooncake_synthetic.jsonl": {
        "blocks": 63.960,
        "tokens_full": 65.043,
        "tokens_tail": 65.124,
        "full_blocks": 65.944,
        "mean_of_ratios": 42.324,
        "last_half": 86.275,
    },
}


def percent(tree: PrefixTree) -> dict[str, float]:
    return {str(rate.name): 100 * (rate.rate or 0) for rate in hit_rates(tree)}


@pytest.mark.parametrize("name", REFERENCE)
def test_reference_values_of_published_traces(name: str) -> None:
    found = percent(build_tree(real_chains(name), MOONCAKE_BLOCK))
    for definition, value in REFERENCE[name].items():
        # The reference has three digits, so half of the last one is its own error.
        assert found[definition] == pytest.approx(value, abs=0.001), definition


def plain_rates(log: list[Tokens], size: int) -> dict[str, float]:
    """The same from sets of prefixes. A last block that is not full is known if the same stood there."""
    seen: set[Tokens] = set()
    rows = []
    for tokens in log:
        ends = [*range(size, len(tokens) + 1, size)]
        ends += [len(tokens)] if len(tokens) % size else []
        known = [tokens[:end] in seen for end in ends]
        run = known.index(False) if False in known else len(known)
        seen |= {tokens[:end] for end in ends}
        rows.append((len(tokens), len(ends), run, min(run, len(tokens) // size)))
    half = rows[len(rows) // 2 :]

    def share(pairs: list[tuple[float, float]]) -> float:
        total = sum(part[1] for part in pairs)
        return 100 * sum(part[0] for part in pairs) / total if total else 0.0

    return {
        "blocks": share([(run, count) for _, count, run, _ in rows]),
        "tokens_full": share([(min(full, (n - 1) // size) * size, n) for n, _, _, full in rows]),
        "tokens_tail": share([(min(run * size, n), n) for n, _, run, _ in rows]),
        "full_blocks": share([(full, n // size) for n, _, _, full in rows]),
        "mean_of_ratios": share([(run / count, 1) for _, count, run, _ in rows]),
        "last_half": share([(min(run * size, n), n) for n, _, run, _ in half]),
        "last_half_full": share([(min(full, (n - 1) // size) * size, n) for n, _, _, full in half]),
    }


@examples(150)
@given(st.data())
def test_equals_a_plain_implementation_and_never_exceeds_all(data: st.DataObject) -> None:
    block_size = data.draw(st.integers(1, 4))
    log = data.draw(prompts(block_size))
    found = percent(build_tree(requests_of(log), block_size))
    assert found == pytest.approx(plain_rates(log, block_size))
    assert all(0 <= rate <= 100 for rate in found.values())


def test_the_same_prompt_again_and_again() -> None:
    """Two blocks of 4 and a token, three times. Counted with its last block it is 2/3, all but the first;
    a cache computes the last token each time."""
    tree = build_tree([chain_of_ids([1, 2, 3], 9, 4)] * 3, 4)
    shown = {rate.name: (rate.hits, rate.total) for rate in hit_rates(tree)}
    assert shown == {
        "blocks": (6, 9),
        "tokens_full": (16, 27),
        "tokens_tail": (18, 27),
        "full_blocks": (4, 6),
        "mean_of_ratios": (2.0, 3),
        "last_half": (18, 18),
        "last_half_full": (16, 18),
    }


def test_a_log_that_leaves_last_blocks_out_counts_them_as_unseen() -> None:
    tree = build_tree([chain_of_ids([1, 2], 9, 4)] * 2, 4)
    assert {rate.name: rate.hits for rate in hit_rates(tree)}["tokens_tail"] == 8


def test_nothing_has_no_rate() -> None:
    assert [rate.rate for rate in hit_rates(build_tree([], 4))] == [None] * 7
    short = build_tree(requests_of([(1, 2)]), 4)
    assert {rate.name: rate.rate for rate in hit_rates(short)}["full_blocks"] is None
