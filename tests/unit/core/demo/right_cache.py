"""A right cache, as a visitor may write it; the tests break it in one place at a time."""

from collections import OrderedDict
from hashlib import sha256


class PrefixCache:
    def __init__(self, block_size: int, num_blocks: int):
        self.block_size = block_size
        self.num_blocks = num_blocks
        self.queue: OrderedDict[int, None] = OrderedDict.fromkeys(range(1, num_blocks + 1))
        self.users: dict[int, int] = {}
        self.tag_of: dict[int, str] = {}
        self.blocks_of: dict[str, list[int]] = {}
        self.table: dict[str, list[int]] = {}

    def tags(self, tokens: list[int]) -> list[str]:
        tag = ""
        tags: list[str] = []
        for start in range(0, len(tokens) - self.block_size + 1, self.block_size):
            block = tokens[start : start + self.block_size]
            tag = sha256(f"{tag} {block}".encode()).hexdigest()
            tags.append(tag)
        return tags

    def look_up(self, tokens: list[int]) -> list[int]:
        found: list[int] = []
        limit = (len(tokens) - 1) // self.block_size
        for tag in self.tags(tokens)[:limit]:
            if tag not in self.blocks_of:
                break
            found.append(self.blocks_of[tag][0])
        return found

    def store(self, request: str, tokens: list[int]) -> list[int] | None:
        table = self.table.get(request)
        hits = self.look_up(tokens) if table is None else []
        have = hits if table is None else table
        need = -(-len(tokens) // self.block_size) - len(have)
        idle = sum(1 for block in hits if self.users.get(block, 0) == 0)
        if need + idle > len(self.queue):
            return None
        for block in hits:
            if self.users.get(block, 0) == 0:
                del self.queue[block]
            self.users[block] = self.users.get(block, 0) + 1
        new = [block for _ in range(need) if (block := self.evict()) is not None]
        self.users.update(dict.fromkeys(new, 1))
        table = self.table[request] = have + new
        for block, tag in zip(table, self.tags(tokens), strict=False):
            if block not in self.tag_of:
                self.tag_of[block] = tag
                self.blocks_of.setdefault(tag, []).append(block)
        return list(table)

    def free(self, request: str) -> None:
        table = self.table.pop(request)
        front: list[int] = []
        for block in reversed(table):
            self.users[block] -= 1
            if self.users[block] > 0:
                continue
            if block in self.tag_of:
                self.queue[block] = None
            else:
                front.append(block)
        for block in reversed(front):
            self.queue[block] = None
            self.queue.move_to_end(block, last=False)

    def evict(self) -> int | None:
        if not self.queue:
            return None
        block, _ = self.queue.popitem(last=False)
        tag = self.tag_of.pop(block, None)
        if tag is not None:
            self.blocks_of[tag].remove(block)
            if not self.blocks_of[tag]:
                del self.blocks_of[tag]
        return block
