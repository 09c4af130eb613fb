"""你自己的前缀缓存。在 Broth 的文件夹里评判：  python -m core.demo.judge my_cache.py --lang zh

显存里有 `num_blocks` 个块，编号 1、2、3……（0 号从不使用），每块放得下 `block_size` 个 token。
你的类负责记账：哪个块放着什么，谁在用，下一个取走的是哪个。

规则与 vLLM 相同（一个全注意力组、同步调度时）：

 1. token 从头起切成块。只有满块才有标签，只有带标签的块才找得到。
 2. 标签代表这一块的 token 和它前面的全部内容：要由前一块的标签算出。
 3. 提示词的最后一个 token 总要计算。所以 n 个 token 最多复用 (n - 1) // block_size 个块。
 4. 第一个找不到的块，就是查找的终点。
 5. 没人用的块排成一个空闲队列，最初是 1、2、3……要新块，就从队头取。
    队列里的块还留着标签，仍能命中，直到被取去放别的内容。
 6. 几个请求可以同用一个块：要数清有几个。最后一个也放开了，块才空闲。
 7. 请求从最后一块到第一块依次放开。带标签的块按这个顺序排到队尾；没有标签的（没满的）排到队头。
 8. 两个块里可以是同一份内容。不合并；查找时用还在的最早那一份。
"""


class PrefixCache:
    def __init__(self, block_size: int, num_blocks: int):
        self.block_size = block_size
        self.num_blocks = num_blocks

    def look_up(self, tokens: list[int]) -> list[int]:
        """`tokens` 已缓存的最长开头在哪些块里，按顺序返回。不改变任何东西。"""
        raise NotImplementedError

    def store(self, request: str, tokens: list[int]) -> list[int] | None:
        """名叫 `request` 的请求要为 `tokens` 占用块。

        第一次调用：先用 look_up 找到的块，其余的取新块，最后不满一块的也要取。
        以后再调用，是回答变长了：`tokens` 是它的全部 token，缺几块就取几块。
        现在满了的块都得到标签。返回这个请求的块表：它的全部块，按顺序。

        空闲块不够就返回 None，什么都不改。命中但没人用的块，也要从空闲块里出。
        """
        raise NotImplementedError

    def free(self, request: str) -> None:
        """请求结束，放开它的块。"""
        raise NotImplementedError

    def evict(self) -> int | None:
        """取走空闲队列队头的块；它若有标签，标签就此忘掉。返回块的编号；没有空闲块就返回 None。

        `store` 要新块时用它。一次运行结束后，评判程序也会调用它，看队列的顺序。
        """
        raise NotImplementedError


if __name__ == "__main__":
    cache = PrefixCache(block_size=4, num_blocks=8)
    print(cache.look_up([1, 2, 3, 4, 5]))
