"""run.py and the browser search: what they decide, without installing anything."""

from __future__ import annotations

import ast
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
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
    for extra in run.EXTRAS.values():
        (tmp_path / extra.file).write_text(f"# Optional.\n{extra.name}==2.0  # pinned\n")
    monkeypatch.setattr(run.extras, "ROOT", tmp_path)
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
    monkeypatch.setattr(run, "pip_unshaken", pip_of_extras)
    monkeypatch.setattr(run.sys, "platform", "linux")
    monkeypatch.setattr(run.shutil, "which", lambda _name: None)
    return seen


def pip_of_extras(_folder: str, *what: str | Path) -> int:
    """As pip would: the records of what it installed stand in .venv afterwards."""
    status = run.run("python", "-m", "pip", "install", *what)
    named = [pin for extra in run.EXTRAS.values() if extra.file in what for pin in run.extras.pins(extra)]
    for pin in [*named, *(str(one) for one in what if "==" in str(one))] if status == 0 else []:
        name, _, version = pin.replace("===", "==").partition("==")
        for old in records_of(name):
            shutil.rmtree(old)
        (packages() / f"{name}-{version}.dist-info").mkdir(parents=True)
        (packages() / f"{name}-{version}.dist-info" / "INSTALLER").touch()
    return status


def packages() -> Path:
    return run.VENV / "lib" / "python3.11" / "site-packages"


def records_of(name: str) -> list[Path]:
    return list(packages().glob(f"{name}-*.dist-info"))


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
    optional, browser = (
        ([], []) if fast else (["pip"] * len(run.EXTRAS), ["tests.browser", "tests.kv_server"])
    )
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


def asked(commands: list[list[str]]) -> list[list[str]]:
    """What pip was asked for, without the file of what is locked."""
    calls = [command[4:] for command in pip_calls(commands) if "--require-hashes" not in command]
    return [call[2:] for call in calls]


def test_the_tests_install_all_that_is_optional_once(commands: list[list[str]]) -> None:
    """The CPU build of torch, whatever GPU there is; what others say they need, as the table has it."""
    run.install(run.DEV)
    run.install_optional()
    by_file = [call for call in asked(commands) if "torch" not in call[-1]]
    table = [extra for extra in run.EXTRAS.values() if extra.name != "torch"]
    assert by_file == [[*(["--no-deps"] if one.alone else []), "-r", one.file] for one in table]
    assert ["torch==2.0+cpu"] in asked(commands)
    count = len(commands)
    run.install_optional()
    run.install(run.DEV)
    assert len(commands) == count
    (run.ROOT / "requirements-model.txt").write_text("model==4\n")
    run.install_optional()
    assert len(commands) == count + 1


def test_what_is_half_written_is_not_there(commands: list[list[str]]) -> None:
    run.install(run.DEV)
    assert run.main(["add", "excel"]) == 0
    assert run.is_added(run.EXTRAS["excel"])
    (records_of("excel")[0] / "INSTALLER").unlink()
    assert not run.is_added(run.EXTRAS["excel"])
    assert run.main(["add", "excel"]) == 0
    assert len(asked(commands)) == 2


@pytest.mark.parametrize("succeeds", ["torch==2.0+cpu", "--extra-index-url", None])
def test_torch_is_looked_for_elsewhere_before_it_is_given_up(
    commands: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    succeeds: str | None,
) -> None:
    """What cannot be had is told, tried again the next time, and keeps nothing else back: the tests go on."""
    run.install(run.DEV)

    def fail_some(*command: str | Path) -> int:
        commands.append([str(part) for part in command])
        return int("pip" in command and "torch==2.0+cpu" in command and succeeds not in command)

    monkeypatch.setattr(run, "run", fail_some)
    assert run.test([]) == 0
    said = capsys.readouterr().out
    assert ("SKIPPED torch" in said) == (succeeds is None)
    assert run.is_added(run.EXTRAS["torch"]) == (succeeds is not None)
    assert run.is_added(run.EXTRAS["gguf"])
    assert "pytest" in commands[-1]


# What is optional, by its name.


def test_add_alone_lists_what_there_is(commands: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["add"]) == 0
    assert commands == []
    assert run.main(["add", "gguf"]) == 0
    capsys.readouterr()
    assert run.main(["add"]) == 0
    table = capsys.readouterr().out.partition("\n\n")[0]
    lines = {line.split()[0]: line for line in table.splitlines()}
    for extra in run.EXTRAS.values():
        assert extra.what in lines[extra.name]
        assert f"{extra.megabytes[0]:>4} " in lines[extra.name]
        assert lines[extra.name].endswith("installed") == (extra.name == "gguf")


def test_an_unknown_name_installs_nothing_and_names_those_there_are(
    commands: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main(["add", "model", "pytorch"]) == 1
    told = capsys.readouterr().err
    assert "pytorch" in told
    assert all(name in told for name in run.EXTRAS)
    assert commands == []


def test_a_typed_wrong_command_starts_no_server(
    commands: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main(["ad"]) == 1
    told = capsys.readouterr().err
    assert all(name in told for name in ('"ad"', "test", "check", "rehearse", "add"))
    assert commands == []


def test_what_is_added_goes_into_the_app_s_own_environment_and_moves_nothing_there(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the app was never set up it is set up first; pip is told what the locks name."""
    constraints: list[str] = []

    def look(folder: str, *what: str | Path) -> int:
        assert what[0] == "-c"
        constraints.append(Path(what[1]).read_text("utf-8"))
        return pip_of_extras(folder, *what)

    monkeypatch.setattr(run, "pip_unshaken", look)
    assert run.main(["add", "tokenizers", "excel", "tokenizers"]) == 0
    assert "--require-hashes" in pip_calls(commands)[0]
    assert asked(commands) == [
        ["--no-deps", "-r", "requirements-tokenizers.txt"],
        ["-r", "requirements-xlsx.txt"],
    ]
    assert [sorted(text.split()) for text in constraints] == [["a==1", "b==2"]] * 2
    said = capsys.readouterr().out
    for name in ("tokenizers", "excel"):
        load, disk = run.EXTRAS[name].megabytes
        assert f"{load} MB to download, {disk} MB on the disk" in said
    assert "added: tokenizers, excel." in said
    assert run.main(["add", "excel"]) == 0
    assert "excel is installed already" in capsys.readouterr().out
    assert len(asked(commands)) == 2


def test_the_constraints_are_those_of_the_real_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As pip reads them: without hashes, each still with its marker."""
    seen: list[str] = []
    monkeypatch.setattr(run, "pip_unshaken", lambda _folder, *what: seen.append(what[1].read_text()) or 0)
    assert run.add_one(run.EXTRAS["excel"], "")
    lines = seen[0].splitlines()
    assert len(lines) == run.num_packages(run.DEV)
    assert not [line for line in lines if "--hash" in line or "\\" in line or "==" not in line]


@pytest.mark.parametrize(
    ("gpu", "options", "wanted"),
    [
        (False, [], "torch==2.0+cpu"),
        (True, [], "torch===2.0"),
        (False, ["--cuda"], "torch===2.0"),
        (True, ["--cpu"], "torch==2.0+cpu"),
    ],
)
def test_torch_is_the_build_of_this_machine_or_the_one_asked_for(
    commands: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    gpu: bool,
    options: list[str],
    wanted: str,
) -> None:
    monkeypatch.setattr(run.extras.shutil, "which", lambda name: name if gpu else None)
    assert run.main(["add", "torch", *options]) == 0
    assert asked(commands) == [[wanted]]
    said = capsys.readouterr().out
    cuda = "+cpu" not in wanted
    assert (f"{run.extras.CUDA_MEGABYTES[0]} MB to download" in said) == cuda
    assert ("nvidia-smi" in said) == (not options), "how it is seen, where it decides"
    assert run.main(["add", "torch"]) == 0, "whichever is there stays, unless the other one is asked for"
    assert run.main(["add", "torch", *(options or ["--cuda" if cuda else "--cpu"])]) == 0
    assert len(asked(commands)) == 1
    assert run.main(["add", "torch", "--cpu" if cuda else "--cuda"]) == 0
    assert asked(commands)[1:] == [["torch==2.0+cpu" if cuda else "torch===2.0"]]


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_elsewhere_the_usual_build_is_the_cpu_s_and_cuda_is_refused_in_words(
    commands: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    platform: str,
) -> None:
    monkeypatch.setattr(run.sys, "platform", platform)
    assert run.main(["add", "torch", "--cuda"]) == 1
    assert "Linux only" in capsys.readouterr().err
    assert asked(commands) == []
    assert run.main(["add", "torch"]) == 0
    assert asked(commands) == [["-r", "requirements-torch.txt"]]


def test_room_is_looked_for_before_the_first_of_several_is_fetched(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run.install(run.RUNTIME)
    needed = sum(sum(run.EXTRAS[name].megabytes) for name in ("excel", "model"))
    real = shutil.disk_usage(run.VENV)
    for free, status in ((needed - 1, 1), (needed, 0)):
        monkeypatch.setattr(run.shutil, "disk_usage", lambda _, free=free: real._replace(free=free * 10**6))
        monkeypatch.setattr(run.tempfile, "gettempdir", lambda: str(run.VENV))
        assert run.main(["add", "excel", "model"]) == status
        assert len(asked(commands)) == 2 * (1 - status)
    assert f"needs {needed} MB" in capsys.readouterr().err


def test_one_that_fails_keeps_no_other_back_and_is_told(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run.install(run.RUNTIME)
    monkeypatch.setattr(run, "run", lambda *command: int("requirements-model.txt" in command))
    assert run.main(["add", "model", "excel"]) == 1
    told = capsys.readouterr()
    assert "added: excel." in told.out
    assert "pip could not install requirements-model.txt" in told.err
    assert [run.is_added(run.EXTRAS[name]) for name in ("model", "excel")] == [False, True]


INTERRUPTED = """
import signal, sys, run
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests begun in the background inherit deaf ears
run.VENV, kind = Path(sys.argv[1]), sys.argv[2]
run.venv_python, run.PIP = (lambda: sys.executable), ("-c", sys.argv[3])
try:
    print("ended", run.pip_unshaken(sys.argv[1], str(run.VENV), kind))
except KeyboardInterrupt:
    print("stopped")
"""
AS_PIP = """
import sys, time
from pathlib import Path
packages = Path(sys.argv[1], "lib", "python3.11", "site-packages")
if sys.argv[2] == "writing":
    (packages / "first").touch()
Path(sys.argv[1], "begun").touch()
time.sleep(2)
(packages / "last").touch()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal's Ctrl+C is sent as POSIX sends it")
@pytest.mark.parametrize("kind", ["fetching", "writing"])
def test_ctrl_c_gives_up_what_is_fetched_and_finishes_what_is_written(tmp_path: Path, kind: str) -> None:
    """A terminal sends it to pip, too; a pip that was killed among a package's files left half of it."""
    folder = tmp_path / "lib" / "python3.11" / "site-packages"
    folder.mkdir(parents=True)
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path), kind, AS_PIP]
    with subprocess.Popen(
        command, cwd=run.ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        deadline = time.monotonic() + 60
        while not (tmp_path / "begun").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(child.pid, signal.SIGINT)
        said, _ = child.communicate(timeout=60)
    assert said.splitlines()[-1] == "stopped"
    assert sorted(path.name for path in folder.iterdir()) == (["first", "last"] if kind == "writing" else [])


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
