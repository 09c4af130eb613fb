"""What no block held is computed; then the answer is decoded, one token at a time."""

from __future__ import annotations

from core.engine import events as ev
from ui.stage.steps.telling import Telling


def computed(telling: Telling, event: ev.BlockComputed) -> None:
    telling.tallies[event.request_id].computed += event.num_new
    args = {"n": event.num_new, "fill": event.fill, "size": telling.size}
    cap = "compute.part"
    if event.fill == telling.size:  # full but without a tag (cache off, or kept out): nobody else can use it
        cap = "compute.full" if telling.content(event.block_id) else "compute.alone"
    telling.step("compute", event, args, cap=cap)


def appended(telling: Telling, event: ev.TokensAppended) -> None:
    word = "".join(telling.pieces(event.token_ids)).strip()
    args = {"word": word, "n": len(event.token_ids)}
    telling.step("append", event, args, block=(event.num_tokens - 1) // telling.size)
    before = event.num_tokens - len(event.token_ids)
    for full in range(before // telling.size, event.num_tokens // telling.size):
        telling.step("full", event, block=full, carries=False)
