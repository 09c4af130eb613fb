"""A request arrives: read out, cut into blocks, each full block hashed."""

from __future__ import annotations

from core.engine import events as ev
from ui.stage.steps.telling import Step, Tally, Telling, tag_of


def arrived(telling: Telling, event: ev.RequestArrived) -> None:
    num_tokens = len(event.token_ids)
    telling.tallies[event.request_id] = Tally()
    cap = "arrive" if telling.is_first("arrive") else "arrive.next"
    telling.step("arrive", event, {"n": num_tokens}, cap=cap)
    full, rest = divmod(num_tokens, telling.size)
    args = {"n": num_tokens, "size": telling.size, "full": full, "rest": rest}
    telling.step("cut", event, args, block=full if rest else full - 1)


def hashed(telling: Telling, event: ev.BlockHashed) -> None:
    args: Step = {"n": telling.size}
    if event.parent_hash is not None:
        args["parent"] = tag_of(event.parent_hash.hex())
    cap = "hash.first" if event.parent_hash is None else "hash.next"
    telling.step("hash", event, args, cap="hash.last" if telling.is_last_block(event) else cap)
