"""Your own prefix cache. Judge it in Broth's folder with:  python -m core.demo.judge my_cache.py

The GPU memory has `num_blocks` blocks, numbered 1, 2, 3 … (0 is never used), each with room for `block_size`
tokens. Your class keeps account of them: which block holds what, who uses it, which one is taken next.

The rules, as in vLLM with one full-attention group and synchronous scheduling:

 1. Tokens are cut into blocks from the start. Only a full block gets a tag; only blocks with a tag are found.
 2. A tag stands for the block's tokens and for everything before them: make it from the previous block's tag.
 3. The last token of a prompt is always computed. So n tokens reuse at most (n - 1) // block_size blocks.
 4. The first block that is not found ends the look-up.
 5. Blocks that nobody uses stand in one free queue, at first 1, 2, 3 … New blocks are taken from its front.
    A block in the queue keeps its tag and can be hit, until it is taken for something else.
 6. Several requests may use one block: count them. A block is free when the last of them has let go.
 7. A request lets go of its blocks from the last to the first. Blocks with a tag join the back of the queue
    in that order; blocks without one (not full) go to the front.
 8. Two blocks may hold the same content. Nothing is merged; the oldest copy that is left is found.
"""


class PrefixCache:
    def __init__(self, block_size: int, num_blocks: int):
        self.block_size = block_size
        self.num_blocks = num_blocks

    def look_up(self, tokens: list[int]) -> list[int]:
        """The blocks that hold the longest cached beginning of `tokens`, in order. Changes nothing."""
        raise NotImplementedError

    def store(self, request: str, tokens: list[int]) -> list[int] | None:
        """A request (its name is `request`) needs blocks for `tokens`.

        At its first call: use what look_up finds, then take new blocks for the rest, also for a last one that
        is not full. Later calls come when its answer has grown: `tokens` are then all its tokens, take what
        is missing. Every block that is now full gets its tag.

        Returns the request's block table: all its blocks, in order. Returns None, and changes nothing, if
        there are too few free blocks. Hit blocks that nobody uses come out of the free ones, too.
        """
        raise NotImplementedError

    def free(self, request: str) -> None:
        """The request is over: it lets go of its blocks."""
        raise NotImplementedError

    def evict(self) -> int | None:
        """Takes the block at the front of the free queue; if it has a tag, the tag is forgotten.

        Returns its number, or None if no block is free.

        `store` gets its new blocks here. At the end of a run the judge calls it too, to see the queue.
        """
        raise NotImplementedError


if __name__ == "__main__":
    cache = PrefixCache(block_size=4, num_blocks=8)
    print(cache.look_up([1, 2, 3, 4, 5]))
