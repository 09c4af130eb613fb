"""The house rules that a program can see: what files say, what is pinned, whether papers and code agree."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

import pytest
from streamlit import config

import run

ROOT = Path(__file__).resolve().parent.parent
TEXT_SUFFIXES = {".py", ".js", ".mjs", ".css", ".md", ".toml", ".txt", ".json", ".svg", ".yml", ".html"}
TEXT_SUFFIXES |= {".lock", ""}
RECORDED = "data"  # folders of recorded outcomes hold other people's words
FORBIDDEN = {
    "a path of one machine": r"(?<![\w.:/])/(?:work|root|home|Users|tmp|opt|mnt|usr/(?!bin/env\b))\b",
    "a package registry": r"\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|debian\.org|crates\.io)\b",
    "an open end": r"\b(?:TODO|FIXME|XXX|HACK)\b",
    "a number that only one tracker knows": r"\bissue #?\d",
}
OF_OTHER_SYSTEMS = {"colorama", "watchdog"}
"""Locked, and not wanted on every system."""

README = (ROOT / "README.md").read_text("utf-8")


def project_files() -> list[Path]:
    """What belongs to the project: what git tracks, and what it would track."""
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        command = [git, "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
        return [ROOT / name for name in names if name and (ROOT / name).is_file()]
    hidden = {".git", ".venv", "__pycache__", "node_modules", "static"}
    return [path for path in ROOT.rglob("*") if path.is_file() and not hidden & set(path.parts)]


def texts() -> list[Path]:
    own = Path(__file__).resolve()
    return [
        path
        for path in project_files()
        if path.suffix in TEXT_SUFFIXES and RECORDED not in path.relative_to(ROOT).parts and path != own
    ]


def breaks(text: str) -> list[str]:
    return [
        f"line {number}: {name}: {line.strip()[:80]}"
        for number, line in enumerate(text.splitlines(), 1)
        for name, pattern in FORBIDDEN.items()
        if re.search(pattern, line)
    ]


@pytest.mark.parametrize("path", texts(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_project_speaks_of_itself_alone(path: Path) -> None:
    assert breaks(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "line",
    ["open('/home/me/x')", "see issue 12", "# TODO later", "from files.pythonhosted.org", "cd /work/x"],
)
def test_forbidden_words_are_seen(line: str) -> None:
    assert breaks(line) != []


@pytest.mark.parametrize(
    "line", ["#!/usr/bin/env python3", "a/home/b", "app/static/x", "issues", "https://a.b/tmp"]
)
def test_good_words_pass(line: str) -> None:
    assert breaks(line) == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("requirements*.txt")), ids=lambda path: path.name)
def test_requirements_are_pinned(path: Path) -> None:
    lines = [line.split("#")[0].strip() for line in path.read_text("utf-8").splitlines()]
    loose = [
        line for line in lines if line and not re.fullmatch(r"-r [\w.-]+|[\w.\[\]-]+==[\w.+]+(\s*;.+)?", line)
    ]
    assert loose == []


PIN = re.compile(r"^([\w.-]+)==(\S+)", re.M)
LOCKS = {"requirements.txt": run.RUNTIME, "requirements-dev.txt": run.DEV}


def pins(name: str) -> dict[str, str]:
    return {found[1]: found[2] for found in PIN.finditer((ROOT / name).read_text("utf-8"))}


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_has_what_is_required(name: str) -> None:
    """The same versions; whoever changes one of the files makes both locks anew (CONTRIBUTING.md)."""
    assert pins(name).items() <= pins(LOCKS[name]).items()
    assert pins(run.RUNTIME).items() <= pins(run.DEV).items(), "who has the second has the first"


@pytest.mark.parametrize("name", LOCKS.values())
def test_a_lock_names_each_file_by_its_hash(name: str) -> None:
    entries = re.split(r"\n(?=[\w.-]+==)", (ROOT / name).read_text("utf-8"))
    assert [entry.split()[0] for entry in entries[1:] if "--hash=sha256:" not in entry] == []
    assert len(entries) - 1 == run.num_packages(name) == len(pins(name))
    command = f"uv pip compile --universal --python-version 3.11 --generate-hashes {{}} -o {name}"
    source = next(text for text, lock in LOCKS.items() if lock == name)
    assert command.format(source) in entries[0]
    both = command.format("requirements$set.txt").replace(name, "requirements$set.lock")
    assert both in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("name", LOCKS.values())
def test_the_megabytes_that_are_said_are_those_on_the_disk(name: str) -> None:
    """Of the packages that run here, with what Python compiles; a fifth more or less on other systems."""
    locked = {normal(one) for one in pins(name)}
    found = [one for one in distributions() if normal(one.name) in {*locked, "pip", "setuptools"}]
    if missing := locked - {normal(one.name) for one in found} - OF_OTHER_SYSTEMS:
        pytest.skip(f"not installed here: {', '.join(sorted(missing))}; python3 run.py test installs them")
    files = {Path(str(file.locate())) for one in found for file in one.files or ()}
    megabytes = sum(path.stat().st_size for path in files if path.is_file()) / 1e6
    assert megabytes == pytest.approx(run.MEGABYTES[name][1], rel=0.2)


def test_the_readme_says_how_much_is_installed() -> None:
    count, (download, disk) = run.num_packages(run.RUNTIME), run.MEGABYTES[run.RUNTIME]
    assert len(pins("requirements.txt")) == 5
    said = f"five direct packages, {count} in all, {disk} MB on the disk ({download} MB to download)"
    assert said in " ".join(README.split())


@pytest.mark.parametrize("room", ["core", "ui", "pages", "tests"])
def test_every_module_says_what_it_is(room: str) -> None:
    modules = (ROOT / room).rglob("*.py")
    silent = [path.name for path in modules if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]
    assert silent == []


# The papers.


def commands_in(text: str) -> list[str]:
    return [line for block in re.findall(r"```sh\n(.*?)```", text, re.S) for line in block.splitlines()]


def test_the_readme_has_two_commands_and_they_are_the_real_ones() -> None:
    """What a newcomer types, what runs before a change lands and what run.py says of itself are the same."""
    start, check = commands_in(README)
    assert (start, check) == ("python3 run.py", "python3 run.py test")
    assert (ROOT / ".ci" / "run").read_text("utf-8").splitlines()[-1] == f"exec {check}"
    for command in (start, check, f"{check} --fast"):
        assert command in (run.__doc__ or "").replace(" [--fast]", " --fast")


def test_the_way_without_run_py_is_what_run_py_does() -> None:
    files, target = re.findall(r"`pip install -r (\S+) && streamlit run (\S+)`", README)[0]
    assert files == run.RUNTIME
    assert f'"streamlit", "run", "{target}"' in (ROOT / "run.py").read_text("utf-8")


ROOMS: dict[str, list[str]] = tomllib.loads((ROOT / "docs" / "rooms.toml").read_text("utf-8"))


def opening(room: str) -> str:
    """The first sentence of what a room says of itself."""
    said = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text("utf-8"))) or ""
    found = re.match(r".+?\.(?=\s|$)", " ".join(said.split()))
    assert found, f"{room} opens with no sentence"
    return found.group()


def test_the_readme_has_one_line_for_each_room_in_the_rooms_own_words() -> None:
    """In the order of docs/rooms.toml; the rooms inside a room stand right behind it."""

    def lines(folder: str) -> Iterator[str]:
        for name in ROOMS[folder]:
            room = f"{folder}/{name}".replace(".", "/")
            yield f"| `{room}/` | {opening(room)} |"
            yield from lines(f"{folder}.{name}") if f"{folder}.{name}" in ROOMS else ()

    said = [line for line in README.splitlines() if re.match(r"\| `(core|ui)/", line)]
    assert said == [*lines("core"), *lines("ui")]


@pytest.mark.parametrize(
    "path", [p for p in texts() if p.suffix == ".md"], ids=lambda p: p.relative_to(ROOT).as_posix()
)
def test_links_between_papers_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text("utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_changelog_is_open_for_the_next_entry() -> None:
    sections = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert sections[0] == "Unreleased"


def test_every_decision_is_listed_and_complete() -> None:
    folder = ROOT / "docs" / "adr"
    pages = sorted(path.name for path in folder.glob("[0-9]*.md"))
    assert [page[:4] for page in pages] == [f"{number:04}" for number in range(1, len(pages) + 1)]
    assert re.findall(r"\]\((\d{4}[^)]+)\)", (folder / "README.md").read_text("utf-8")) == pages
    for page in pages:
        headings = re.findall(r"^## (.+)$", (folder / page).read_text("utf-8"), re.M)
        assert headings == ["Context", "Decision", "Consequences"], page


# The settings.

SETTINGS = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))


def flat(settings: dict[str, object], above: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in settings.items():
        found |= flat(value, f"{above}{name}.") if isinstance(value, dict) else {above + name: value}
    return found


def test_streamlit_knows_every_setting() -> None:
    """Streamlit only warns about a misspelt setting, and then goes on without it."""
    known = set(config.get_config_options())
    assert sorted(set(flat(SETTINGS)) - known) == []


def test_nothing_leaves_the_machine_and_nothing_waits_for_an_answer() -> None:
    settings = flat(SETTINGS)
    wanted = {
        "browser.gatherUsageStats": False,
        "browser.serverAddress": "localhost",
        "client.showErrorDetails": "none",
        "client.showErrorLinks": False,
        "server.address": "127.0.0.1",
        "server.enableStaticServing": True,
        "server.showEmailPrompt": False,
    }
    assert {name: settings.get(name) for name in wanted} == wanted


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_can_be_read(theme: str) -> None:
    colours = SETTINGS["theme"][theme]
    for ground in (colours["backgroundColor"], colours["secondaryBackgroundColor"]):
        assert contrast(colours["textColor"], ground) >= 7
        assert contrast(colours["linkColor"], ground) >= 4.5
        assert contrast(colours["primaryColor"], ground) >= 3  # edges and controls
        assert contrast(colours["primaryColor"], ground) >= 4.5  # a selected tab or option is text
    on_primary = {"light": "#FFFFFF", "dark": "#12161C"}[
        theme
    ]  # ui/frame/shell.py: the text on a primary button
    assert contrast(colours["primaryColor"], on_primary) >= 4.5
