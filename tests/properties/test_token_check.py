"""With the token check on, a hash that collides never leads to a wrong hit."""

from __future__ import annotations

from hypothesis import given

from core.engine.events import BlockHit, BlockStored, RequestArrived, TokensAppended
from core.scenario.scenario import Scenario, run
from tests.strategies import configs, examples, scenarios


def wrong_hits(scenario: Scenario) -> int:
    """Hits on a block whose whole text, from the first token to its end, is another one."""
    size = scenario.config.block_size
    tokens: dict[str, list[int]] = {}
    stored: dict[int, list[int]] = {}
    wrong = 0
    for event in run(scenario).events:
        if isinstance(event, RequestArrived):
            tokens[event.request_id] = list(event.token_ids)
        elif isinstance(event, TokensAppended):
            tokens[event.request_id] += event.token_ids
        elif isinstance(event, BlockStored):
            stored[event.block_id] = tokens[event.request_id][: (event.index + 1) * size]
        elif isinstance(event, BlockHit):
            wrong += tokens[event.request_id][: (event.index + 1) * size] != stored[event.block_id]
    return wrong


@given(scenarios(configs(hash_name="weak", verify_tokens=True, enable_caching=True)))
@examples(40)
def test_the_check_lets_no_wrong_hit_through(scenario: Scenario) -> None:
    assert wrong_hits(scenario) == 0


@given(scenarios(configs(hash_name="xxh3_128", enable_caching=True)))
@examples(30)
def test_the_sound_hash_needs_no_check(scenario: Scenario) -> None:
    assert wrong_hits(scenario) == 0
