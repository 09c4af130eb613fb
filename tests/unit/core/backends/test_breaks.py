"""Why a block cannot be reused after a break: layer 0 exact, everything above wrong, legal reuse exact."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.backends.experiments.break_reports import broken_reuse
from core.backends.experiments.breaks import break_and_reuse, logits_error
from core.backends.experiments.content_only import ContentOnlyCache, _runs, shuffled_documents
from core.backends.experiments.report import Report
from core.errors import BackendError
from tests.unit.core.backends.tiny import LIBRARIES, backend_of


def words(count: int) -> list[int]:
    return np.random.default_rng(count).integers(0, 97, count).tolist()


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_past_is_in_every_layer_but_the_first(library: str) -> None:
    found = break_and_reuse(backend_of(library), words(16), words(17)[1:], words(24), words(5), block_size=4)
    assert (found.reused_tokens, found.moved_by) == (24, 0)
    first, *above = found.layers
    assert first.key < 1e-6
    assert first.value < 1e-6
    assert all(layer.key > 0.01 and layer.value > 0.01 for layer in above)
    assert not found.broken.difference.equal
    assert found.broken.relative > 0.01
    assert found.broken.kl > 0
    assert found.legal.difference.equal
    assert found.legal.relative < 1e-5


def test_moved_blocks_are_wrong_from_the_first_layer_on() -> None:
    """Keys are turned by their position; values are not, so in layer 0 only the keys are wrong."""
    found = break_and_reuse(backend_of("numpy"), words(16), words(8), words(24), words(5), block_size=4)
    assert found.moved_by == 8
    assert found.layers[0].key > 0.5
    assert found.layers[0].value < 1e-6


def test_only_whole_blocks_of_the_body_are_reused() -> None:
    found = break_and_reuse(backend_of("numpy"), words(6), words(7)[1:], words(13), words(5), block_size=4)
    assert found.reused_tokens == 8  # tokens 8 … 15 of 6 … 18


def test_a_body_without_a_whole_block_is_refused() -> None:
    with pytest.raises(ValueError, match="whole block"):
        break_and_reuse(backend_of("numpy"), words(6), words(6), words(3), words(5), block_size=4)
    with pytest.raises(ValueError, match="whole blocks"):
        break_and_reuse(backend_of("numpy"), words(6), words(7), words(30), words(5), block_size=4)


def test_the_same_head_is_no_break() -> None:
    found = break_and_reuse(backend_of("numpy"), words(16), words(16), words(24), words(5), block_size=4)
    assert found.broken.difference.equal
    assert max(layer.value for layer in found.layers) < 1e-5


def test_errors_of_logits() -> None:
    honest = np.array([0.0, 1.0, 2.0], np.float32)
    same = logits_error(honest, honest.copy())
    assert (same.relative, same.kl, same.flipped) == (0, 0, False)
    shifted = logits_error(honest, honest + np.float32(5))
    assert shifted.kl == pytest.approx(0, abs=1e-9)
    assert shifted.relative > 1
    flipped = logits_error(honest, honest[::-1].copy())
    assert flipped.flipped
    assert flipped.kl == pytest.approx(1.1504, abs=1e-3)


def test_the_report_of_breaks() -> None:
    told: list[float] = []
    report = broken_reuse(
        backend_of("numpy"), tries=4, head=16, body=16, tail=5, moved_by=8, block_size=4,
        progress=told.append,
    )  # fmt: skip
    again = Report.from_json(json.loads(json.dumps(report.to_json(), allow_nan=False)))
    first, *above = again.rows
    assert first["in_place_key"] < 1e-6
    assert first["in_place_value"] < 1e-6
    assert first["moved_key"] > 0.5
    assert first["moved_value"] < 1e-6
    assert [row["layer"] for row in again.rows] == [0, 1, 2]
    assert all(min(row.values()) > 0.01 for row in above)
    assert again.summary["in_place"]["tries"] == again.summary["moved"]["tries"] == 4
    assert again.summary["in_place"]["kl"] > 0
    assert again.equality is not None
    assert again.equality.equal  # of the legal reuse
    assert told[-1] == 1


def test_breaks_can_be_stopped() -> None:
    with pytest.raises(BackendError):
        broken_reuse(backend_of("numpy"), cancelled=lambda: True)


# -- content alone -----------------------------------------------------------------------------------------


def test_runs_of_unknown_blocks() -> None:
    assert _runs([None, None, 3, None]) == [(0, 2), (3, 4)]
    assert _runs([3, 4, None]) == [(2, 3)]
    assert _runs([None]) == [(0, 1)]


def test_content_only_hits_anywhere_and_is_right_only_behind_the_same_past() -> None:
    cache = ContentOnlyCache(backend_of("numpy"), 60, 4)
    head, other, body = tuple(words(8)), tuple(words(9)[1:]), tuple(words(12))
    assert cache.serve((*head, *body, 1))[0] == 0
    hit, difference = cache.serve((*head, *body, 2))
    assert hit == 20
    assert difference.equal
    hit, difference = cache.serve((*other, *body, 3))
    assert hit == 12
    assert not difference.equal
    hit, difference = cache.serve((*head, *body))  # the last block holds the last token: computed
    assert hit == 16
    assert difference.equal


def test_the_higher_hit_rate_has_the_wrong_answers() -> None:
    report = shuffled_documents(
        backend_of("numpy"), requests=25, documents=4, document_tokens=16, chosen=3, system_tokens=16,
        question_tokens=6, block_size=4,
    )  # fmt: skip
    chained, content = report.rows
    assert (chained["wrong"], chained["flipped"]) == (0, 0)
    assert content["hit_rate"] > chained["hit_rate"] + 0.1
    assert content["wrong"] > 15
    assert content["max_abs"] > 0.1
    assert chained["max_abs"] < 1e-4


def test_documents_can_be_stopped() -> None:
    with pytest.raises(BackendError) as caught:
        shuffled_documents(backend_of("numpy"), requests=3, cancelled=lambda: True)
    assert caught.value.code == "backend.cancelled"
