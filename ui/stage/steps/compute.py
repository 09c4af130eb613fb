"""What no block held is computed; then the answer is decoded, one token at a time."""

from __future__ import annotations

from core.engine import events as ev
from ui.stage.steps.telling import Telling


def computed(telling: Telling, event: ev.BlockComputed) -> None:
    telling.tallies[event.request_id].computed += event.num_new
    answer = telling.num_answer(event)
    args = {"n": event.num_new, "answer": answer, "fill": event.fill, "size": telling.size}
    cap = "compute.answer" if answer == event.num_new else "compute.part"
    if event.fill == telling.size:  # full but without a tag (cache off, or kept out): nobody else can use it
        cap = "compute.full" if telling.content(event.block_id) else "compute.alone"
        if cap == "compute.full" and not answer and telling.is_first("compute"):
            cap = "compute.first"
    telling.step("compute", event, args, cap=cap)


def appended(telling: Telling, event: ev.TokensAppended) -> None:
    text = "".join(telling.pieces(event.token_ids))
    args = {"word": text, "n": len(event.token_ids)}
    telling.step("append", event, args, block=(event.num_tokens - 1) // telling.size)
    before = event.num_tokens - len(event.token_ids)
    for full in range(before // telling.size, event.num_tokens // telling.size):
        cap = "full.last" if telling.ends_here(event) else "full"
        telling.step("full", event, cap=cap, block=full, carries=False)
