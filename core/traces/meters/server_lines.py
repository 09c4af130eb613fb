"""What one line of a server's log says about its cache. Each engine has its own words for it.

Source rule, lines as the engines write them:

* vLLM (v1/metrics/loggers.py): `Engine 000: Avg prompt throughput: … GPU KV cache usage: 82.3%, Prefix
  cache hit rate: 32.2%[, External prefix cache hit rate: 10.0%]`, with `N Engines Aggregated:` or nothing
  in front. The rate is of the last 1,000 requests. V0 (engine/metrics.py): `Prefix cache hit rate: GPU:
  52.36%, CPU: 0.00%`, since the start.
* SGLang (scheduler's metrics): `Prefill batch. #new-seq: 1, #new-token: 103, #cached-token: 1, …`: what
  this batch computed and what it reused, first attempts only; before 0.4 also `cache hit rate: 12.34%`,
  since the start. One rank of each data-parallel group writes; of several the first is taken.
* llama.cpp server: `new prompt, … n_tokens = 62` (once `n_prompt_tokens`), then the first `[p0, end)` that
  is freed (`kv cache rm`, `memory_seq_rm`): the p0 tokens before it are reused. Later ones are progress.
  Where the first line is missing: `prompt eval time = … / 22 tokens`, which are those computed.
* Ollama (runner's cache.go, with OLLAMA_DEBUG=1): `msg="loading cache slot" id=0 cache=53 prompt=62 used=40
  …`.
* LMCache in vLLM: `Total tokens 2005, LMCache hit tokens: 1792, need to load: 1792`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.traces.engine_facts import Labels, Role, Window

_VLLM = re.compile(r"(?<!External )\bPrefix cache hit rate: (?:GPU: )?(\d{1,3}(?:\.\d+)?)%(, CPU: )?")
_EXTERNAL = re.compile(r"External prefix cache hit rate: (\d{1,3}(?:\.\d+)?)%")
_VLLM_ENGINE = re.compile(r"\bEngine (\d+): |\b(\d+) Engines Aggregated: ")
_USAGE = re.compile(r"KV cache usage: (\d{1,3}(?:\.\d+)?)%")
_SGLANG = re.compile(r"Prefill batch\b.{0,80}?#new-token: (\d{1,12}), #cached-token: (\d{1,12})")
_SGLANG_RATE = re.compile(r"\bcache hit rate: (\d{1,3}(?:\.\d+)?)%")
_SGLANG_USAGE = re.compile(r"\btoken usage: (\d(?:\.\d+)?)")
_RANK = re.compile(r"\b(DP|PP|TP)(\d{1,5})\b")
_SLOT = re.compile(r"\bid\s+(\d{1,9}) \| task\s+(-?\d{1,12}) \|")
_OLD_SLOT = re.compile(r"\"?id_slot\"?[=:]\s?(\d{1,9}).{0,20}?\"?id_task\"?[=:]\s?(-?\d{1,12})")
_PROMPT = re.compile(r"new prompt, .{0,80}?(?:n_prompt_tokens|n_tokens) = (\d{1,12})")
_FREED = re.compile(
    r"(?:kv cache rm|memory_seq_rm) \[(\d{1,12}), end\)"
    r"|kv cache rm \[p0, end\).{0,200}?\bp0\"?[=:]\s?(\d{1,12})"
)
_COMPUTED = re.compile(r"prompt eval time\s*=\s*[\d.]+ ms /\s*(\d{1,12}) tokens")
_OLLAMA = re.compile(r'"?loading cache slot"? id=\d+ cache=\d+ prompt=(\d{1,12}) used=(\d{1,12})')
_LMCACHE = re.compile(r"Total tokens (\d{1,12}), LMCache hit tokens: (\d{1,12})")


@dataclass(frozen=True, slots=True)
class Said:
    """What a line says. `queries`, `hits`: its own. `rank`: where several say the same, the least counts."""

    family: str
    engine: Labels = ()
    queries: int | None = None
    hits: int | None = None
    said: float | None = None
    said_external: float | None = None
    usage: float | None = None
    window: Window | None = None
    role: Role = "engine"
    rank: tuple[int, int] = (0, 0)


def may_say(line: str) -> bool:
    """Whether a line is worth a closer look; logs are long."""
    return any(word in line for word in _WORDS)


_WORDS = (
    "refix cache hit rate", "Prefill batch", "new prompt, ", "end)", "prompt eval time", "print_timing",
    "loading cache slot", "LMCache hit tokens",
)  # fmt: skip


def said_in(line: str) -> Said | None:
    """What the line says by itself; None where nothing, or where it needs its neighbours (llama.cpp)."""
    found = _SGLANG.search(line)
    if found is not None:
        return _sglang(line, int(found[1]), int(found[2]))
    found = _VLLM.search(line)
    if found is not None:
        return _vllm(line, found)
    found = _OLLAMA.search(line)
    if found is not None:
        return Said("ollama", (), int(found[1]), int(found[2]))
    found = _LMCACHE.search(line)
    if found is not None:
        return Said("lmcache", (), int(found[1]), int(found[2]), role="store")
    return None


def _share(found: re.Match[str] | None, of: float = 100.0) -> float | None:
    value = None if found is None else float(found[1]) / of
    return value if value is not None and value <= 1 else None


def _vllm(line: str, found: re.Match[str]) -> Said:
    name = _VLLM_ENGINE.search(line)
    engine: Labels = ()
    if name is not None:
        engine = (("engine", name[1]),) if name[1] else (("engines", name[2]),)
    window: Window = "since_start" if found[2] else "last_requests"
    rates = (_share(found), _share(_EXTERNAL.search(line)), _share(_USAGE.search(line)))
    return Said("vllm", engine, None, None, *rates, window)


def _sglang(line: str, new: int, cached: int) -> Said:
    ranks = {name: int(number) for name, number in _RANK.findall(line.split("Prefill batch")[0])}
    engine: Labels = (("dp", str(ranks["DP"])),) if "DP" in ranks else ()
    rate = _share(_SGLANG_RATE.search(line))
    return Said(
        "sglang", engine, new + cached, cached, rate, None, _share(_SGLANG_USAGE.search(line), 1.0),
        None if rate is None else "since_start", rank=(ranks.get("PP", 0), ranks.get("TP", 0)),
    )  # fmt: skip


class LlamaSlots:
    """llama.cpp's lines, which only together say how much of a prompt was reused."""

    def __init__(self) -> None:
        self._asked: dict[tuple[str, str], int] = {}
        self._freed: dict[tuple[str, str], int] = {}
        self._timed: tuple[str, str] | None = None

    def said_in(self, line: str) -> Said | None:
        """What a prompt reused, at the line where that is known."""
        slot = _SLOT.search(line) or _OLD_SLOT.search(line)
        key = (slot[1], slot[2]) if slot else None
        if "print_timing" in line:
            self._timed = key or self._timed
        asked = _PROMPT.search(line)
        if asked is not None and key is not None:
            self._asked[key] = int(asked[1])
            self._freed.pop(key, None)
            return None
        freed = _FREED.search(line)
        if freed is not None and key is not None:
            return self._first_freed(key, int(freed[1] or freed[2]))
        computed = _COMPUTED.search(line)
        return None if computed is None else self._computed(key or self._timed, int(computed[1]))

    def _first_freed(self, key: tuple[str, str], reused: int) -> Said | None:
        if key in self._freed:
            return None
        total = self._asked.pop(key, None)
        self._freed[key] = -1 if total is not None else reused
        return None if total is None else self._said(key, total, reused)

    def _computed(self, key: tuple[str, str] | None, computed: int) -> Said | None:
        reused = self._freed.pop(key, -1) if key is not None else -1
        return None if key is None or reused < 0 else self._said(key, reused + computed, reused)

    def _said(self, key: tuple[str, str], total: int, reused: int) -> Said | None:
        return None if reused > total else Said("llamacpp", (), total, reused)
