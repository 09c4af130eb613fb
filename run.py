#!/usr/bin/env python3
"""Broth's one door: set up, start, check. Needs Python 3.11 or newer and nothing else.

python3 run.py [streamlit options]        set up on first use, then open the lab, on this machine alone
python3 run.py --class [streamlit options]  the same, open to everybody in the same network
python3 run.py test [--fast] [pytest args]  every check, two at a time; --fast without browser and slow ones
python3 run.py check                      lint and types only
python3 run.py rehearse [--visitors N] [--minutes M]  how large a class this machine carries
python3 run.py add                        what is optional: what for, how many MB, what is installed
python3 run.py add torch model ...        install some of it; torch [--cuda | --cpu] chooses its build

Everything is installed into .venv beside this file, in the very files that requirements.lock names, and again
only when that changes. The full test also installs all that is optional (torch as its CPU build); what cannot
be had is skipped aloud.
"""

import sys

# Before anything that an older Python trips over. The grammar of this file is Python 3.6's.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(f"Broth needs Python 3.11 or newer; this is {sys.version.split()[0]}.")

import hashlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from core import extras  # it, too, needs nothing installed
from core.extras import EXTRAS, Extra

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / extras.STAMP
OLDEST_PYTHON = (3, 11)
RUNTIME, DEV = "requirements.lock", "requirements-dev.lock"  # the second has all of the first
MEGABYTES = {RUNTIME: (130, 570), DEV: (215, 870)}
"""To download, and on the disk once installed."""

ROUGH_TIME = "a few minutes, and longer on a slow line or disk"
PIP = ("-m", "pip", "install", "--disable-pip-version-check")
PACKAGES = ("lib/python*/site-packages", "Lib/site-packages")
"""Where .venv keeps them, here and on Windows."""

TYPED_PATHS = ("core", "ui", "pages", "app.py", "run.py")

NO_ENSUREPIP = """\
This Python cannot make a virtual environment: its module ensurepip is missing.
  On Debian or Ubuntu:  sudo apt-get install python3-venv
  Elsewhere:            install Python 3.11 or newer from your system's packages or from python.org
Then run the same command again."""
PIP_FAILED = """\
pip could not install {name}; its own message stands above.
Most often the network, a proxy or a full disk is the reason. Run the same command again once that is mended.
If it speaks of hashes: what was sent is not the file that {name} names, and it was not installed."""
NO_ROOM = """\
Too little room: set-up needs {needed} MB in {folder}, and there are {free} MB.
Make room and run the same command again; another place for temporary files is named by TMPDIR."""
NOT_OURS_TO_WRITE = """\
You cannot write to {folder}, so nothing can be installed there.
Copy the project to a folder of your own, or let its owner run the same command once."""
NOT_A_FOLDER = """\
{venv} is no folder, so it cannot be the virtual environment. Move it away and run the same command again."""
STOPPED = """
Stopped. Nothing is broken: run the same command again, and it goes on."""
UNKNOWN_COMMAND = """\
There is no command "{name}". What there is: test, check, rehearse, add; nothing behind run.py starts the lab.
python3 run.py --help  says what each does."""
UNKNOWN_EXTRA = """\
There is nothing to add that is called "{name}". What there is: {names}.
python3 run.py add  says what each is for and how large it is."""
NO_CUDA_HERE = """\
The CUDA build of torch is added by this command on Linux only. On Windows take the line that PyTorch's own
installation page names, and {python} for its Python; a Mac has no CUDA."""
CPU_BUILD, CUDA_BUILD = "--cpu", "--cuda"
GPU_SEEN = """\
an NVIDIA GPU is seen here (nvidia-smi is on PATH): the CUDA build of torch, {} MB
    python3 run.py add torch --cpu  takes the CPU build, a small part of that"""
NO_GPU_SEEN = """\
no NVIDIA GPU is seen here (nvidia-smi, which its driver brings, is not on PATH): the CPU build of torch
    python3 run.py add torch --cuda  takes the CUDA build all the same"""
HOW_TO_CHOOSE = """
To install some: python3 run.py add {names}
torch is its CPU build where no NVIDIA GPU is seen; --cpu and --cuda choose (CUDA: {} MB, {} on disk)."""
FOUND_BY = """\
A page of a Broth that is running finds what is new at its next click.
    What it has in use already (another build of torch) stays till Ctrl+C there and  python3 run.py"""

ALONE = "alone"
"""The mark of browser tests that measure time (tests/e2e/conftest.py)."""

SOME_FAILED = 1
"""pytest's status where tests ran to the end and some failed."""

PARTS = ("in a browser", "without a browser", "alone")
"""Of the full test, as its last line names them."""

USUAL_PORT, PORT_VARIABLE = "8501", "STREAMLIT_SERVER_PORT"
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


def requirements_key(name: str) -> str:
    """Changes when the file or the Python that installs it changes."""
    digest = hashlib.sha256(repr(sys.version_info[:2]).encode())
    digest.update(name.encode() + (ROOT / name).read_bytes())
    return digest.hexdigest()


def is_installed(name: str) -> bool:
    return STAMP.exists() and requirements_key(name) in STAMP.read_text("utf-8").split()


def wrong_with_venv() -> str:
    """Why the .venv that is there is of no use; empty where nothing speaks against it."""
    python = venv_python()
    if not python.exists():
        return "is not one of this system, or only half made"
    look = "import sys, pip; print(*sys.version_info[:2])"
    try:
        told = subprocess.run([python, "-c", look], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "has no Python with pip that starts (Python was upgraded, or the folder moved)"
    if tuple(map(int, told.split())) < OLDEST_PYTHON:
        return f"has Python {told.strip().replace(' ', '.')}"
    return ""


def make_venv() -> None:
    """Make .venv, or make it anew where the one that is there is of no use."""
    if VENV.exists() and not VENV.is_dir():
        raise SetupError(NOT_A_FOLDER.format(venv=VENV))
    wrong = wrong_with_venv() if VENV.exists() else ""
    if VENV.exists() and not wrong:
        return
    if not os.access(VENV if VENV.exists() else ROOT, os.W_OK):
        raise SetupError(NOT_OURS_TO_WRITE.format(folder=ROOT))
    if importlib.util.find_spec("ensurepip") is None:
        raise SetupError(NO_ENSUREPIP)
    say(f"the .venv here {wrong}: making it anew" if wrong else "making the virtual environment .venv")
    if run(sys.executable, "-m", "venv", "--clear", VENV) != 0:
        raise SetupError("The virtual environment could not be made; Python's own message stands above.")


def num_packages(name: str) -> int:
    """How many a lock names, for all systems together."""
    return sum("==" in line for line in (ROOT / name).read_text("utf-8").splitlines())


def look_for_room(download: int, installed: int) -> None:
    """Before anything is fetched: both folders that fill up must have room. In megabytes."""
    temporary = Path(tempfile.gettempdir())
    needs = {VENV: installed, temporary: download}
    if VENV.stat().st_dev == temporary.stat().st_dev:
        needs = {VENV: installed + download}
    for folder, needed in needs.items():
        free = shutil.disk_usage(folder).free // 10**6
        if free < needed:
            raise SetupError(NO_ROOM.format(needed=needed, folder=folder, free=free))


def forget_half_written() -> None:
    """A package that was being written when pip was stopped counts as installed, and is not: pip names the
    installer last. Without its record it is written again."""
    for record in records():
        if not (record / "INSTALLER").exists():
            say(f"{record.name.partition('-')[0]} was half written when set-up stopped: once more")
            shutil.rmtree(record)


def records() -> list[Path]:
    """What pip wrote down of each package in .venv."""
    return [record for place in PACKAGES for record in VENV.glob(f"{place}/*.dist-info")]


def install(name: str) -> None:
    """Install what a lock names into .venv, unless exactly this is installed already."""
    if is_installed(name) and not wrong_with_venv():
        return
    make_venv()
    if not os.access(VENV, os.W_OK):
        raise SetupError(NOT_OURS_TO_WRITE.format(folder=VENV))
    download, installed = MEGABYTES[name]
    look_for_room(download, installed)
    say(f"installing {num_packages(name)} packages of {name} (once, and again when it changes)")
    say(f"{download} MB to download, {installed} MB on the disk; this takes {ROUGH_TIME}")
    forget_half_written()
    if pip("--require-hashes", "-r", name) != 0:
        raise SetupError(PIP_FAILED.format(name=name))
    keys = {requirements_key(RUNTIME), requirements_key(name)}  # whatever else is installed has the runtime
    STAMP.write_text("\n".join(sorted(keys)) + "\n", "utf-8")


def pip(*what: str | Path) -> int:
    """Let pip install, its progress on our own terminal."""
    return run(venv_python(), *PIP, *what)


# What is optional.


def version_of(package: str) -> str:
    """Which version of it is in .venv; empty where none is. A record's name tells: nothing is started."""
    for record in records():
        name, _, version = record.name.removesuffix(".dist-info").rpartition("-")
        if re.sub(r"[-_.]+", "-", name).lower() == package.lower() and (record / "INSTALLER").exists():
            return version
    return ""


def is_added(extra: Extra, build: str = "") -> bool:
    """Whether it stands in .venv as its file pins it, and, where one was asked for, in that build."""
    for pin in extras.pins(extra):
        package, _, wanted = pin.partition("==")
        version, _, local = version_of(package).partition("+")
        if version != wanted or (build and is_choice(extra) and (local == "cpu") != (build == CPU_BUILD)):
            return False
    return True


def is_choice(extra: Extra) -> bool:
    """Whether there are two builds of it here."""
    return extra.name == "torch" and sys.platform.startswith("linux")


def pip_arguments(extra: Extra, build: str) -> list[list[str]]:
    """What to ask pip for, one after the other until one works."""
    if not is_choice(extra):
        return [[*(["--no-deps"] if extra.alone else []), "-r", extra.file]]
    pins = extras.pins(extra)
    if build == CUDA_BUILD:  # three signs: not a CPU build of the same version, which stands there already
        return [[pin.replace("==", "===") for pin in pins]]
    cpu = [f"{pin}+cpu" for pin in pins]  # mirrors have it beside the others; else PyTorch's own index
    return [cpu, ["--retries", "1", "--timeout", "30", "--extra-index-url", extras.CPU_INDEX, *cpu]]


def megabytes(extra: Extra, build: str) -> tuple[int, int]:
    """To download, and on the disk."""
    if is_choice(extra) and build == CUDA_BUILD:
        return extras.CUDA_MEGABYTES
    return extra.megabytes


def add_one(extra: Extra, build: str) -> bool:
    """Install it; whether that worked. What the locks name stays at their versions: pip refuses what would
    need others, and the app runs on as it was tested."""
    with tempfile.TemporaryDirectory(prefix="broth-") as folder:  # pip's, too: nothing stays if it is stopped
        locked = Path(folder) / "as-locked.txt"
        pins = re.findall(r"^([^\s#-]\S*==[^\\\n]*)", (ROOT / DEV).read_text("utf-8"), re.M)
        locked.write_text("\n".join(pins), "utf-8")
        for place, arguments in enumerate(pip_arguments(extra, build)):
            if place:
                say(f"not there, which is no matter: looking at {extras.CPU_INDEX}")
            if pip_unshaken(folder, "-c", locked, *arguments) == 0:
                return True
    return False


def pip_unshaken(folder: str, *what: str | Path) -> int:
    """As ``pip``, but Ctrl+C leaves no package half written, for pip does not hear it: what was only being
    fetched is given up, what is being written into .venv is finished first, which takes seconds.

    Raises:
        KeyboardInterrupt: after the one or the other.
    """
    command = [str(part) for part in (venv_python(), *PIP, *what)]
    apart = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # deaf on Windows; elsewhere a child inherits:
    before, usual = written(), signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)
        child = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **temporary}, creationflags=apart)
    finally:
        signal.signal(signal.SIGINT, usual)
    try:
        return child.wait()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if written() == before:
            child.terminate()
        else:
            say("it is being written into .venv: finishing that first, then it is installed")
        child.wait()
        signal.signal(signal.SIGINT, usual)
        raise


def written() -> set[Path]:
    """What stands in .venv's folder of packages. Other names there: pip has begun to write."""
    return {path for place in PACKAGES for path in VENV.glob(f"{place}/*")}


def install_optional() -> None:
    """What the tests of what is optional need. Without it these tests are skipped."""
    forget_half_written()
    for extra in EXTRAS.values():
        if is_added(extra):
            continue
        say(f"installing {extra.name}, which is optional (once, and again when {extra.file} changes)")
        if not add_one(extra, CPU_BUILD):
            say(f"SKIPPED {extra.name}: pip could not install {extra.file}; tests that need it are skipped")


def list_extras() -> int:
    """Each with its purpose, its size and whether it is there."""
    rows = [("name", "what for", "MB to download", "MB on disk", "")]
    for extra in EXTRAS.values():
        load, disk = map(str, extra.megabytes)
        rows.append((extra.name, extra.what, load, disk, "installed" if is_added(extra) else ""))
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, what, load, disk, here in rows:
        print(f"{name:{wide[0]}}  {what:{wide[1]}}  {load:>{wide[2]}}  {disk:>{wide[3]}}  {here}".rstrip())
    print(HOW_TO_CHOOSE.format(*extras.CUDA_MEGABYTES, names=" ".join(list(EXTRAS)[:2])))
    return 0


def build_of_torch(asked: list[str], wanted: list[Extra]) -> str:
    """The build that was asked for, or the one for this machine; empty where there is nothing to choose.

    Raises:
        SetupError: CUDA where we know no way to it.
    """
    if CUDA_BUILD in asked and not sys.platform.startswith("linux"):
        raise SetupError(NO_CUDA_HERE.format(python=venv_python()))
    if asked:
        return asked[-1]
    if not any(is_choice(extra) and not is_added(extra) for extra in wanted):
        return ""
    seen = extras.has_nvidia_gpu()
    say(GPU_SEEN.format(extras.CUDA_MEGABYTES[0]) if seen else NO_GPU_SEEN)
    return CUDA_BUILD if seen else CPU_BUILD


def add(options: list[str]) -> int:
    """Install some of what is optional, as ``python3 run.py add`` lists it."""
    asked = [option for option in options if option in (CPU_BUILD, CUDA_BUILD)]
    names = list(dict.fromkeys(option.lower() for option in options if option not in asked))
    if set(names) & {"-h", "--help"}:
        return list_extras()
    unknown = [name for name in names if name not in EXTRAS]
    if unknown:
        raise SetupError(UNKNOWN_EXTRA.format(name=unknown[0], names=", ".join(EXTRAS)))
    if not names:
        return list_extras()
    install(RUNTIME)
    forget_half_written()
    wanted = [EXTRAS[name] for name in names]
    build = build_of_torch(asked, wanted)
    missing = [extra for extra in wanted if not is_added(extra, build)]
    for extra in wanted:
        if extra not in missing:
            say(f"{extra.name} is installed already")
    return add_all(missing, build)


def add_all(missing: list[Extra], build: str) -> int:
    """Say what comes, see whether there is room for all of it, install one after the other, say what came."""
    if missing and not os.access(VENV, os.W_OK):
        raise SetupError(NOT_OURS_TO_WRITE.format(folder=VENV))
    sizes = [megabytes(extra, build) for extra in missing]
    for extra, (load, disk) in zip(missing, sizes, strict=True):
        say(f"{extra.name}: {extra.what}; {load} MB to download, {disk} MB on the disk")
    look_for_room(sum(load for load, _ in sizes), sum(disk for _, disk in sizes))
    added = [extra for extra in missing if add_one(extra, build)]
    if added:
        say(f"added: {', '.join(extra.name for extra in added)}. {FOUND_BY}")
    failed = [extra for extra in missing if extra not in added]
    for extra in failed:
        print(PIP_FAILED.format(name=extra.file), file=sys.stderr)
    return int(bool(failed))


def room_address(port: str) -> str:
    """Where others in the network find this machine; a line that says how to look, if that cannot be told."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: asks by which of its addresses one would leave
            return f"http://{probe.getsockname()[0]}:{port}"
        except OSError:
            return f"http://<address of this machine>:{port} (its network settings show it)"


def port_in(options: list[str]) -> str:
    """The port that Streamlit's options or its variable name, else its own choice."""
    for place, option in enumerate(options):
        name, _, value = option.partition("=")
        if name == "--server.port":
            return value or "".join(options[place + 1 : place + 2])
    return os.environ.get(PORT_VARIABLE, USUAL_PORT)


def is_free(port: int) -> bool:
    """Whether a server can listen there, on this machine and for the room."""
    with socket.socket() as probe:
        if os.name == "posix":  # as Streamlit does; elsewhere it would share the port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def on_a_free_port(options: list[str]) -> list[str]:
    """The options, with the next free port where the usual one is taken.

    Raises:
        SetupError: the port that a person chose is taken.
    """
    text = port_in(options)
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536 or is_free(int(text)):
        return options
    free = next((port for port in range(int(text) + 1, 65536) if is_free(port)), 0)
    if PORT_VARIABLE in os.environ or any(option.startswith("--server.port") for option in options):
        raise SetupError(f"Port {text} is in use. The next free one: --server.port {free}")
    say(f"port {text} is in use, perhaps by another Broth: taking {free}")
    return ["--server.port", str(free), *options]


def opened_to_the_room(options: list[str]) -> list[str]:
    """Streamlit's options for a class, after saying what they mean. What a person adds still counts."""
    rest = [option for option in options if option != CLASS]
    print(OPEN_TO_THE_ROOM.format(address=room_address(port_in(rest))), flush=True)
    return [*TO_THE_ROOM, *rest]


def start(options: list[str]) -> int:
    install(RUNTIME)
    options = on_a_free_port(options)
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
    if not fast:
        run(venv_python(), "-m", "tests.browser")
        run(venv_python(), "-m", "tests.kv_server")
    rest = [option for option in options if option != "--fast"]
    if fast or rest or (os.cpu_count() or 1) < 2:
        say("pytest" + (" without e2e and slow" if fast else ""))
        status = pytest(*(["-m", "not e2e and not slow"] if fast else []), *rest)
    else:
        status = all_tests()
    if failed:
        say(f"FAILED before pytest: {', '.join(failed)}")
    return status or bool(failed)


def pytest(*options: str) -> int:
    return run(venv_python(), "-m", "pytest", *options)


def all_tests() -> int:
    """pytest in two processes side by side, for a browser's tests mostly wait: what the second says is kept
    until the first has said all. A browser's test that failed in that crowd is run once more by itself, and
    that counts; both are told. Then, one by one, those that measure how long a crowd waits."""
    say("pytest, with the browser's tests beside it")
    in_browser = ["-o", "cache_dir=.pytest_cache/browser", "-m", f"e2e and not {ALONE}"]
    command = [str(venv_python()), "-m", "pytest", *in_browser]
    with tempfile.TemporaryFile() as told:
        beside = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=told, stderr=told)
        try:
            statuses = [pytest("-m", "not e2e")]
            statuses.insert(0, beside.wait())
        finally:
            beside.terminate()  # nothing where it has ended
            beside.wait()
        say("pytest in a browser said:")
        told.seek(0)
        print(told.read().decode("utf-8", "replace"), flush=True)
    shaky = statuses[0] == SOME_FAILED
    if shaky:
        say("pytest, once more by itself: what failed in a browser beside the other tests")
        statuses[0] = pytest("--last-failed", "--last-failed-no-failures", "none", *in_browser)
        shaky = not statuses[0]
    say("pytest, what nothing else may run beside")
    statuses.append(pytest("-m", ALONE))
    wrong = [name for name, status in zip(PARTS, statuses, strict=True) if status]
    if shaky:
        say("SHAKY: some browser's tests, named above, failed beside the others and passed by themselves")
    say(f"pytest FAILED: {', '.join(wrong)}" if wrong else "pytest: all three parts are well")
    return int(bool(wrong))


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
        if command == "add":
            return add(options)
        if command and not command.startswith("-"):  # Streamlit would take it in silence
            raise SetupError(UNKNOWN_COMMAND.format(name=command))
        return start(arguments)
    except SetupError as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(STOPPED, file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
