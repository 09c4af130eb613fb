"""The judge: a right cache passes, each wrong one fails at the run that is about its fault, and whatever a
visitor's file may do is told with file and line."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from core.demo.judge import words as judge_words
from core.demo.judge.__main__ import main
from core.demo.judge.address import address, step_of
from core.demo.judge.cases import ALIKE, NUM_HIDDEN, RECORDED, Case, Lang, hidden, load
from core.demo.judge.script import script
from core.demo.judge.verdict import Judging, judge
from core.demo.judge.words import skeleton, table, words
from core.scenario.scenario import run
from core.scenario.tokenizer import TeachingTokenizer
from ui.stage.payload import stage_log
from ui.stage.setup import from_query, load_setup

LANGS: tuple[Lang, ...] = ("en", "zh")
RIGHT = Path(__file__).with_name("right_cache.py").read_text(encoding="utf-8")
CASES = {case.name: case for case in RECORDED}

TAG = 'f"{tag} {block}".encode()'
WHOLE_BLOCKS = "range(0, len(tokens) - self.block_size + 1, self.block_size)"
ALL_BLOCKS = "range(0, len(tokens), self.block_size)"
LIMIT = "limit = (len(tokens) - 1) // self.block_size"
TAIL_FIRST = "for block in reversed(table):\n            self.users"
IDLE = "if self.users.get(block, 0) == 0:\n                "
NEXT = "block, _ = self.queue.popitem(last=False)"
NO_ROOM = "if need + idle > len(self.queue):\n            "
FOUND = "found.append(self.blocks_of[tag][0])"
TAGS_OF = "in zip(table, self.tags(tokens), strict=False)"
BEFORE = "tokens[max(0, start - self.block_size) : start]"
TAGGED = "if block in self.tag_of:\n                self.queue"

WRONG: dict[str, tuple[list[tuple[str, str]], str, str, str]] = {
    # what is broken: (replacements, the run it fails at, the rule it is told, what the link shows)
    "finds nothing": ([("found.append(self.blocks_of[tag][0])", "break")], "warm", "found", "match"),
    "no chain in the tag": ([(TAG, 'f"{block}".encode()')], "chain", "chain", "miss"),
    "half a block counts": ([(TAG, 'f"{tag} {block[:1]}".encode()')], "whole", "partial", "miss"),
    "only the first tokens are compared": (
        [(TAG, 'f"{tag} {block[:-1]}".encode()')], "equal", "partial", "miss",
    ),
    "the last token hits": ([(LIMIT, "limit = len(tokens) // self.block_size")], "last", "last", "plan"),
    "a not-full block counts": (
        [(WHOLE_BLOCKS, ALL_BLOCKS), (LIMIT, "limit = len(tokens)"),
         (TAGGED, TAGGED.replace("in self.tag_of", "not in table[-1:]"))],
        "part", "unfinished", "plan",
    ),
    "a not-full block is stored": ([(WHOLE_BLOCKS, ALL_BLOCKS)], "cold", "unfinished_first", "free"),
    "all go to the back": (
        [("front.append(block)", "self.queue[block] = None")], "cold", "unfinished_first", "free",
    ),
    "head first": ([(TAIL_FIRST, TAIL_FIRST.replace("reversed(table)", "table"))], "tail", "tail", "alloc"),
    "an evicted tag stays": (
        [("tag = self.tag_of.pop(block, None)", "tag = self.tag_of.pop(block, None) and None")],
        "forgotten", "forgotten", "miss",
    ),
    "the latest goes first": ([(NEXT, "block, _ = self.queue.popitem()")], "cold", "first", "alloc"),
    "a block that is being reused is evicted": (
        [(IDLE + "del self.queue[block]", IDLE + "self.queue[block] = None")], "own_hit", "own_hit", "touch",
    ),
    "ref count forgotten": ([("self.users[block] -= 1", "self.users[block] = 0")], "pair", "ref", "free"),
    "a block with one holder is free": (
        [("if self.users[block] > 0:", "if self.users[block] > 1:")], "pair", "ref", "free",
    ),
    "a block that is taken stays in the queue": (
        [(NEXT, "block = next(iter(self.queue))\n        self.queue.move_to_end(block)")],
        "cold", "twice", "free",
    ),
    "no look at the room": (
        [("if need + idle > len(self.queue):", "if need > self.num_blocks:")], "room", "room", "wait",
    ),
    "idle hits cost nothing": ([("need + idle >", "need >")], "preempt", "room", "wait"),
    "the newest copy": ([("self.blocks_of[tag][0]", "self.blocks_of[tag][-1]")], "copies", "oldest", "match"),
    "only the block before, not its tag": (
        [(TAG, f'f"{{{BEFORE}}} {{block}}".encode()')], "two_back", "chain", "miss",
    ),
    "only the first block and the place": (
        [(TAG, 'f"{tokens[: self.block_size]} {start} {block}".encode()')], "middle", "chain", "miss",
    ),
    "only the first token and the place": (
        [(TAG, 'f"{tokens[0]} {start} {block}".encode()')], "middle", "chain", "miss",
    ),
    "a sum of the tokens": ([(TAG, 'f"{tag} {sum(block)}".encode()')], "order", "order", "miss"),
    "sorted tokens": ([(TAG, 'f"{tag} {sorted(block)}".encode()')], "order", "order", "miss"),
    "digits without a mark between": (
        [(TAG, '(tag + "".join(map(str, block))).encode()')], "joined", "joined", "miss",
    ),
    "8 bits of a tag": ([(".hexdigest()", ".hexdigest()[:2]")], "many", "short", "miss"),
    "all copies go with one": (
        [("if not self.blocks_of[tag]:", "if True:")], "copy_left", "copy_left", "match",
    ),
    "the copy with the lowest number": (
        [("self.blocks_of[tag][0]", "min(self.blocks_of[tag])")], "older_copy", "oldest", "match",
    ),
    "a look refreshes": (
        [(FOUND, f"block = self.blocks_of[tag][0]\n            if block in self.queue:\n"
                 f"                self.queue.move_to_end(block)\n            {FOUND}")],
        "looked", "looked", "free",
    ),
    "no room, and the hits are refreshed": (
        [(NO_ROOM, f"{NO_ROOM}for block in reversed(hits):\n"
                   "                if block in self.queue:\n"
                   "                    self.queue.move_to_end(block)\n            ")],
        "looked", "looked", "free",
    ),
    "no room, and the hits go to the front": (
        [(NO_ROOM, f"{NO_ROOM}for block in hits:\n"
                   "                if block in self.queue:\n"
                   "                    self.queue.move_to_end(block, last=False)\n            ")],
        "looked", "looked", "free",
    ),
    "no room, and the front block loses its tag": (
        [(NO_ROOM, f"{NO_ROOM}if self.queue:\n                block = self.evict()\n"
                   "                self.queue[block] = None\n"
                   "                self.queue.move_to_end(block, last=False)\n            ")],
        "front_tag", "front_tag", "free",
    ),
    "no tag for what the answer fills": (
        [(TAGS_OF, TAGS_OF.replace("zip(table", "zip(table if hits or not have else []"))],
        "warm", "needs_tag", "free",
    ),
    "a tag only when the next block begins": (
        [(TAGS_OF, TAGS_OF.replace("(tokens)", "(tokens[:-1] if len(have) == len(table) else tokens)"))],
        "shared", "needs_tag", "free",
    ),
}  # fmt: skip


def broken(name: str) -> str:
    source = RIGHT
    for old, new in WRONG[name][0]:
        assert source.count(old) == 1, (name, old)
        source = source.replace(old, new)
    return source


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(source: str, name: str = "my_cache.py") -> Path:
        path = tmp_path / name
        path.write_text(source, encoding="utf-8")
        return path

    return written


@pytest.mark.parametrize("lang", LANGS)
def test_a_right_cache_passes_with_whatever_is_hidden(
    write: Write, lang: Lang, capsys: pytest.CaptureFixture[str]
) -> None:
    total = len(RECORDED) + NUM_HIDDEN
    assert main([str(write(RIGHT)), "--lang", lang]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("✓" in line for line in lines) == total
    assert lines[-1] == words("head.all_right", lang, total=total, seed=re.findall(r"\d+", lines[-1])[-1])


@pytest.mark.parametrize(("name", "lang"), list(zip(WRONG, cycle(LANGS), strict=False)))
def test_a_wrong_cache_fails_at_the_run_about_its_fault(write: Write, name: str, lang: Lang) -> None:
    """In words about this fault, and with a link that shows it: the step is there and is of that kind."""
    _, wanted, rule, op = WRONG[name]
    how = Judging(write(broken(name)), lang)
    failed = next(((case, told) for case in RECORDED if (told := judge(case, how))), None)
    assert failed is not None, "no run notices it"
    case, told = failed
    assert (case.name, told.rule) == (wanted, rule), told
    assert told.asked
    assert told.why
    assert step_shown(told.link)["op"] == op


def step_shown(link: str) -> dict[str, Any]:
    """The step that the stage opens on."""
    parts = urlsplit(link)
    assert (parts.netloc, parts.path) == ("localhost:8501", "/execute")
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    lang = query.pop("lang")
    setup, lost = from_query(query)
    assert lost == []
    scenario = load_setup(setup, lang)  # type: ignore[arg-type]
    steps: list[dict[str, Any]] = stage_log(scenario, run(scenario), "judged")["events"]
    return steps[int(parts.fragment.removeprefix("step=")) - 1]


def test_the_words_name_what_the_step_shows(write: Write) -> None:
    """The block of the sentence is the block on the stage."""
    for name in ("no chain in the tag", "head first", "ref count forgotten", "the last token hits"):
        case = CASES[WRONG[name][1]]
        told = judge(case, Judging(write(broken(name))))
        assert told is not None
        step = step_shown(told.link)
        if "slot" in step:
            assert f"#{step['slot']}" in told.why, (told, step)
        elif "b" in step:
            assert f"block {step['b']}" in told.why, (told, step)


HARD = (
    "only the block before, not its tag", "only the first block and the place", "only the first token and the place",
    "a sum of the tokens", "sorted tokens", "digits without a mark between", "8 bits of a tag",
    "all copies go with one", "the copy with the lowest number", "a look refreshes",
    "no room, and the hits are refreshed", "no room, and the hits go to the front",
    "no room, and the front block loses its tag",
)  # fmt: skip


@pytest.mark.parametrize("name", HARD)
def test_hidden_runs_see_it_too(name: str) -> None:
    """Whoever learns the recorded runs by heart is still found out."""
    made: dict[str, Any] = {}
    exec(broken(name), made)
    for seed in range(4):
        assert any(differs(made["PrefixCache"], case) for case in hidden(seed)), seed


def differs(kind: Any, case: Case) -> bool:
    """Whether a cache answers anything otherwise; here, in this process."""
    scenario = load(case, "en")
    cache = kind(scenario.config.block_size, scenario.config.num_usable)
    for ask in script(run(scenario), case.until, case.drain, case.look):
        given = {
            "look_up": (list(ask.tokens),),
            "store": (ask.request, list(ask.tokens)),
            "free": (ask.request,),
        }
        answer = getattr(cache, ask.method)(*given.get(ask.method, ()))
        if ask.method == "evict" and answer is not None:
            answer = [answer]
        if answer != (None if ask.right is None else list(ask.right)):
            return True
    return False


def test_numbers_that_read_alike() -> None:
    for one, two, three, four in ALIKE:
        ids = TeachingTokenizer().encode(f"a {one} {two} {three} {four}")[1:]
        assert f"{ids[0]}{ids[1]}" == f"{ids[2]}{ids[3]}"
        assert ids[0] != ids[2]


@pytest.mark.parametrize("lang", LANGS)
def test_links_open_the_judged_run_and_count_its_steps(lang: Lang) -> None:
    """Every event that the stage tells, in every run, hidden ones too: same log, same step."""
    for case in (*RECORDED, *hidden(7), *hidden(8)):
        scenario = load(case, lang)
        link = address(case, lang, 1)
        query = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
        query.pop("lang")
        opened = load_setup(from_query(query)[0], lang)
        log = run(scenario)
        assert run(opened).to_jsonl() == log.to_jsonl(), case.name
        steps = stage_log(opened, log, case.name)["events"]
        told: dict[int, int] = {}
        for step in steps:
            if step["op"] != "dup":
                told[step["ev"]] = step["i"] + 1
        assert {place: step_of(log, place) for place in told} == told, case.name


@pytest.mark.parametrize("lang", LANGS)
def test_hidden_runs_differ_by_seed_and_ask_for_hits(lang: Lang) -> None:
    asked = [script(run(load(case, lang)), drain=True) for seed in range(3) for case in hidden(seed)]
    assert hidden(1) == hidden(1)
    assert hidden(1) != hidden(2)
    assert len(hidden(1)) == NUM_HIDDEN
    hits = [ask for asks in asked for ask in asks if ask.method == "look_up"]
    assert 0.2 < sum(bool(ask.right) for ask in hits) / len(hits) < 0.9
    assert sum(ask.method == "store" and ask.right is None for asks in asked for ask in asks) >= 3


def test_an_answer_learnt_by_heart_fails(write: Write) -> None:
    """A file that knows the recorded answers of look_up and nothing else."""
    known: dict[tuple[int, ...], list[int]] = {}
    for case in RECORDED:
        known |= {
            ask.tokens: list(ask.right or ())
            for ask in script(run(load(case, "en")))
            if ask.method == "look_up"
        }
    old = "found: list[int] = []"
    source = RIGHT.replace(old, f"if tuple(tokens) not in {known!r}:\n            return []\n        {old}")
    how = Judging(write(source))
    assert [case.name for case in RECORDED if judge(case, how)] == []
    assert [case for case in hidden(3) if judge(case, how)]


# -- files that cannot be judged, and code that misbehaves ----------------------------------------------


def told_of(path: Path, lang: Lang, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    status = main([str(path), "--lang", lang, *more])
    printed = capsys.readouterr()
    return status, printed.out + printed.err


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(("source", "says"), [
    ("def f(:\n    pass\n", "1"),
    ("class Cache:\n    pass\n", "PrefixCache"),
    ("PrefixCache = 5\n", "PrefixCache"),
    (RIGHT.replace("def free(", "def let_go("), "free"),
    ("import nothing_of_that_name\n", "nothing_of_that_name"),
    ("x = 1\n1 / 0\n", "2"),
    ("import sys\nsys.exit('bye')\n", "SystemExit"),
    ("\x00", "my_cache.py"),
    ("while True:\n    pass\n", "2"),
])  # fmt: skip
def test_a_file_that_cannot_be_used(
    write: Write, capsys: pytest.CaptureFixture[str], source: str, says: str, lang: Lang
) -> None:
    status, text = told_of(write(source), lang, capsys, "--limit", "0.3")
    assert status == 2
    assert "my_cache.py" in text
    assert says in text
    assert "Traceback" not in text


@pytest.mark.parametrize("lang", LANGS)
def test_no_file_a_folder_and_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: Lang) -> None:
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00x")
    for name in ("nothing.py", ".", "bytes.py"):
        assert told_of(tmp_path / name, lang, capsys)[0] == 2


LOOK = "found: list[int] = []"
BODY: dict[str, tuple[str, str]] = {
    # put before the first line of look_up: what is told
    "raise ValueError('soup')": ("raised", "ValueError: soup"),
    "exit(3)": ("raised", "SystemExit"),
    "input('your name?')": ("raised", "EOFError"),
    "return self.look_up(tokens)": ("raised", "RecursionError"),
    "while True:\n            pass": ("endless", ""),
    "import os; os._exit(1)": ("died", ""),
    "tokens.append(1)": ("changed", ""),
    "tokens.sort(reverse=True)": ("changed", ""),
    "return None": ("type_look_up", "None"),
    "return 3": ("type_look_up", "3"),
    "return ['a']": ("type_look_up", "['a']"),
    "return [True]": ("type_look_up", "[True]"),
    "return [0]": ("range", "0"),
    "return [99]": ("range", "99"),
    "return {1}": ("type_look_up", "{1}"),
    "raise NotImplementedError": ("not_written", ""),
}


@pytest.mark.parametrize(("body", "lang"), list(zip(BODY, cycle(LANGS), strict=False)))
def test_code_that_misbehaves_is_told_with_its_line(
    write: Write, capsys: pytest.CaptureFixture[str], body: str, lang: Lang
) -> None:
    kind, got = BODY[body]
    source = RIGHT.replace(LOOK, f"{body}\n        {LOOK}")
    status, text = told_of(write(source), lang, capsys, "--limit", "0.5" if kind == "endless" else "10")
    assert status == 1
    values = {"name": "look_up", "got": "", "limit": "0.5", "blocks": 4}
    assert words(f"wrong.{kind}", lang, **values).split("{")[0][:12] in text or got in text
    assert got in text
    lines = [number for number, line in enumerate(source.splitlines(), 1) if "def look_up" in line]
    if kind != "died":
        near = re.findall(words("head.place", lang, file="my_cache.py", line=r"(\d+)"), text)
        assert near, text
        assert lines[0] <= int(near[0]) <= lines[0] + 3, text
    assert "Traceback" not in text


def test_store_and_evict_of_the_wrong_kind(write: Write) -> None:
    for old, new, kind in (
        ("return list(table)", "return len(table)", "type_store"),
        ("return block\n", "return [block]\n", "raised"),
        ("return list(table)", "return None", "fits"),
        ("return list(table)", "return table[:-1]", "table"),
    ):
        told = judge(CASES["cold"], Judging(write(RIGHT.replace(old, new))))
        assert told is not None
        assert told.rule == kind, told


CHEATS = {
    "writes the end itself": """
import os, sys
with open(sys.argv[2], "w") as file:
    file.write('{"place":-1,"answer":"loaded"}\\n{"place":999999,"printed":"","answer":"end"}\\n')
os._exit(0)
""",
    "writes something": """
import os, sys
with open(sys.argv[2], "wb") as file:
    file.write(b'{"place":-1,"answer":"loaded"}\\n{"place":0,"answer":{"a":[1]}}\\n{"place":"x"}\\n[]\\n\\xff' + b"[" * 9_999)
os._exit(0)
""",
    "writes a fault of its own": """
import os, sys
with open(sys.argv[2], "w") as file:
    file.write('{"place":-1,"answer":"loaded"}\\n{"place":0,"wrong":"soup"}\\n')
os._exit(0)
""",
    "takes the file away": "import os, sys\nos.remove(sys.argv[2]); os.mkdir(sys.argv[2]); os._exit(0)\n",
    "empties the calls": """
import sys
class PrefixCache:
    def __init__(self, block_size, num_blocks):
        frame = sys._getframe()
        while frame.f_code.co_name != "_run":
            frame = frame.f_back
        child = frame.f_locals["self"]
        child.task["calls"], child.place = [], 10**6
    def look_up(self, tokens): return []
    def store(self, request, tokens): return []
    def free(self, request): pass
    def evict(self): pass
""",
}


@pytest.mark.parametrize(("name", "lang"), list(zip(CHEATS, cycle(LANGS), strict=False)))
def test_no_file_passes_without_answers(
    write: Write, capsys: pytest.CaptureFixture[str], name: str, lang: Lang
) -> None:
    """And whatever stands where the answers belong, it ends with a sentence."""
    status, text = told_of(write(CHEATS[name]), lang, capsys)
    assert status in (1, 2)
    assert words("wrong.died", lang) in text
    assert "✓" not in text


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_copy_of_the_process_has_no_say(write: Write) -> None:
    how = Judging(write(f"import os\nos.fork()\n{RIGHT}"))
    assert [case.name for case in RECORDED[:4] if judge(case, how)] == []


@pytest.mark.parametrize("first", [
    'import sys; sys.stdout.reconfigure(encoding="utf-8")',
    'import sys; sys.stdout.writelines(["a", "b"]); sys.stdout.buffer.write(b"x"); print(end="", flush=True)',
    'import sys; print("\\ud800", file=sys.stderr); sys.stdout.isatty(); sys.stdout.encoding.lower()',
])  # fmt: skip
def test_a_screen_can_what_a_screen_can(write: Write, first: str) -> None:
    assert judge(CASES["cold"], Judging(write(f"{first}\n{RIGHT}"))) is None


def test_another_coding_is_read_as_python_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "my_cache.py"
    path.write_bytes(f"# -*- coding: latin-1 -*-\n# Br\xfche\n{RIGHT}".encode("latin-1"))
    assert told_of(path, "en", capsys)[0] == 0
    for line in ("latin-1 -*-\n\0", "rot13", "soup"):
        path.write_bytes(f"# -*- coding: {line} -*-\n{RIGHT}".encode())
        assert told_of(path, "en", capsys)[0] == 2


def test_code_that_is_nested_too_deeply(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = told_of(write("x = " + "-" * 200_000 + "1\n"), "zh", capsys)
    assert (status, "Traceback" in text) == (2, False)
    assert words("wrong.deep", "zh", file="my_cache.py") in text


@pytest.mark.parametrize("limit", ["nan", "0", "-1", "inf", "1e300", "soup"])
def test_a_limit_is_a_time(write: Write, limit: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([str(write(RIGHT)), "--limit", limit])
    assert stopped.value.code == 2


def test_a_request_that_begins_again_is_told_so(write: Write) -> None:
    old = "need = -(-len(tokens)"
    source = RIGHT.replace(old, f"if request in self.over and table is None: return []\n        {old}")
    source = source.replace(
        "table = self.table.pop(request)", "self.over.add(request); table = self.table.pop(request)"
    )
    source = source.replace(
        "        self.num_blocks = ", "        self.over = set()\n        self.num_blocks = "
    )
    told = judge(CASES["preempt"], Judging(write(source)))
    assert told is not None
    assert (
        told.asked.endswith(words("ask.resumed", "en", req="R1", tokens="", n=21).partition("): ")[2])
        or "again" in told.asked
    )


def test_what_the_code_prints_is_told_and_disturbs_nothing(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """Print lines are how people look for a fault. A thousand of them do not hide it."""
    noisy = RIGHT.replace(LOOK, f"print('汤 looking', len(tokens)); {LOOK}")
    assert told_of(write(noisy), "en", capsys)[0] == 0
    noisy = noisy.replace(LOOK, f"[print('x' * 99) for _ in range(1000)]; {LOOK}").replace("[0])", "[-1])")
    status, text = told_of(write(noisy), "zh", capsys)
    assert (status, "xxx" in text) == (1, True)
    assert len(text) < 5_000


def test_the_code_does_not_find_the_answers(write: Write) -> None:
    """What runs beside the visitor's code holds no engine, and its folder is the visitor's."""
    write("SIZE = 3\n", "cases.py")
    source = RIGHT.replace(
        LOOK, f"import cases, sys; assert cases.SIZE == 3 and 'core' not in sys.modules; {LOOK}"
    )
    assert judge(CASES["warm"], Judging(write(source))) is None


@pytest.mark.parametrize("lang", LANGS)
def test_the_skeleton_runs_and_fails_kindly(
    write: Write, capsys: pytest.CaptureFixture[str], lang: Lang
) -> None:
    status, text = told_of(write(skeleton(lang)), lang, capsys)
    assert status == 1
    assert words("wrong.not_written", lang, name="look_up") in text
    assert (
        words("head.wrong", lang, n=1, total=len(RECORDED) + NUM_HIDDEN, title=words("case.cold", lang))
        in text
    )


def test_both_skeletons_are_one_program() -> None:
    codes = [ast.dump(without_comments(ast.parse(skeleton(lang)))) for lang in LANGS]
    assert codes[0] == codes[1]


def without_comments(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:]
    return tree


def test_every_sentence_is_there_in_both_languages_and_used() -> None:
    en, zh = table("en"), table("zh")
    assert list(en) == list(zh)
    names = [set(re.findall(r"\{(\w+)", text)) for text in en.values()]
    assert names == [set(re.findall(r"\{(\w+)", text)) for text in zh.values()]
    titles = {f"case.{case.name}" for case in (*RECORDED, *hidden(1))}
    assert titles == {key for key in en if key.startswith("case.")}
    code = "".join(path.read_text("utf-8") for path in Path(judge_words.__file__).parent.glob("*.py"))
    for key in en:
        part, _, name = key.partition(".")
        assert part == "case" or f'"{key}"' in code or f'"{name}"' in code or name.startswith("type_"), key


def test_the_list_and_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(RECORDED) + 1
    with pytest.raises(SystemExit) as stopped:
        main([])
    assert stopped.value.code == 2


def test_the_command_itself(write: Write) -> None:
    """As a visitor types it, from the project's folder."""
    command = [
        sys.executable,
        "-m",
        "core.demo.judge",
        str(write(broken("no chain in the tag"))),
        "--base",
        "http://x/",
    ]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert "http://x/execute?v=1&s=own" in done.stdout
    assert done.stderr == ""


def test_no_page_runs_what_a_visitor_wrote() -> None:
    root = Path(__file__).resolve().parents[4]
    for folder in ("pages", "ui"):
        for path in (root / folder).rglob("*.py"):
            assert not re.search(r"core\.demo\.judge\.(?!words|cases|address)", path.read_text("utf-8")), path
