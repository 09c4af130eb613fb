"""The table of what is optional: its files, its sizes, and the command that fits the environment."""

from __future__ import annotations

import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from core import extras
from core.extras import EXTRAS, ROOT, Extra, how_to_add, pins, pip_line


def test_each_file_of_optional_requirements_is_in_the_table_and_says_how_to_add_it() -> None:
    files = {path.name for path in ROOT.glob("requirements-*.txt")} - {"requirements-dev.txt"}
    assert files == {extra.file for extra in EXTRAS.values()}
    for name, extra in EXTRAS.items():
        assert f"#   python3 run.py add {name}\n" in (ROOT / extra.file).read_text("utf-8")
        assert pins(extra)


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment that somebody made otherwise; its folder."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(extras, "has_nvidia_gpu", lambda: False)
    return tmp_path


def test_in_the_environment_of_run_py_the_command_is_run_py_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its mark: a .venv there that somebody made themselves is not for run.py to fill."""
    monkeypatch.setattr(extras, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    (tmp_path / ".venv").mkdir()
    (tmp_path / EXTRAS["model"].file).touch()
    assert "-m pip install --no-deps -r" in how_to_add("model")
    (tmp_path / ".venv" / extras.STAMP).touch()
    assert [how_to_add(name) for name in EXTRAS] == [f"python3 run.py add {name}" for name in EXTRAS]


@pytest.mark.parametrize("name", EXTRAS)
def test_elsewhere_it_is_pip_s_for_that_very_python(stranger: Path, name: str) -> None:
    command, extra = how_to_add(name).split(), EXTRAS[name]
    assert command[:4] == [f"{stranger}/bin/python", "-m", "pip", "install"]
    assert ("--no-deps" in command) == extra.alone
    if name == "torch":
        assert command[-3:] == ["--extra-index-url", extras.CPU_INDEX, f"{pins(extra)[0]}+cpu"]
    else:
        assert Path(command[-1]).expanduser() == ROOT / extra.file


def test_where_a_gpu_is_or_on_a_mac_the_usual_build_is_taken(
    stranger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "has_nvidia_gpu", lambda: True)
    assert how_to_add("torch").endswith("requirements-torch.txt")
    monkeypatch.setattr(extras, "has_nvidia_gpu", lambda: False)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert how_to_add("torch").endswith("requirements-torch.txt")


def test_without_pip_in_it_the_line_is_uv_s(stranger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras.importlib.util, "find_spec", lambda _name: None)
    assert pip_line("x==1") == f"uv pip install --python {stranger}/bin/python x==1"


def test_no_page_shows_whose_home_it_is(stranger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras.Path, "home", lambda: stranger)
    monkeypatch.setattr(sys, "executable", str(stranger / "my env" / "bin" / "python"))
    assert pip_line("x==1") == "~/'my env/bin/python' -m pip install x==1"


def test_nothing_else_speaks_of_another_way() -> None:
    """A sentence with a `pip install` of its own sends people to another environment than the app's."""
    files = {extra.file for extra in EXTRAS.values()}
    told = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "assets" / "i18n").glob("*.toml")]
    told += [path for room in ("core", "ui", "pages") for path in (ROOT / room).rglob("*.py")]
    wrong = [
        f"{path.name}: {found}"
        for path in told
        if path.name != "CHANGELOG.md"
        for found in re.findall(r"pip install [^`\"\n]*", path.read_text("utf-8"))
        if any(file in found for file in files)
    ]
    assert wrong == []


def brought(extra: Extra) -> set[str]:
    """The packages that come with it and that the app has not."""
    locked = re.findall(r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text("utf-8"), re.M)
    known = {normal(name) for name in locked}
    found: set[str] = set()
    waiting = [pin.partition("==")[0] for pin in pins(extra)]
    while waiting:
        name = normal(waiting.pop())
        if name in known | found:
            continue
        found.add(name)
        needs = [] if extra.alone else map(Requirement, distribution(name).requires or [])
        waiting += [need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the sizes are those of Linux on x86-64"
)
@pytest.mark.parametrize("name", EXTRAS)
def test_the_megabytes_that_are_said_are_those_on_the_disk(name: str) -> None:
    """A fifth more or less, and one: others of the packages' versions, compiled by another Python."""
    try:
        parts = [distribution(one) for one in brought(EXTRAS[name])]
    except PackageNotFoundError as missing:
        pytest.skip(f"not installed here: {missing}; {how_to_add(name)}")
    if name == "torch" and not distribution("torch").version.endswith("+cpu"):
        pytest.skip("this is the CUDA build of torch")
    files = {Path(str(file.locate())) for part in parts for file in part.files or ()}
    megabytes = sum(path.stat().st_size for path in files if path.is_file()) / 1e6
    assert megabytes == pytest.approx(EXTRAS[name].megabytes[1], rel=0.2, abs=1)
