"""Find a Chromium for the browser tests, or say why there is none.

`python -m tests.browser`, which run.py calls, also installs one where that is possible.

The order: the variable BROTH_CHROMIUM, then PATH, then the browser that playwright keeps for itself, then,
for root on Debian or Ubuntu, apt-get. Nobody's machine is changed without being root, as in a container.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

VARIABLE = "BROTH_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = ("chromium", "fonts-noto-cjk")  # the font, because half of the texts are Chinese
APT_TIMEOUT_S = 600

HOW_TO = f"""\
Any one of these helps:
  - install Chromium or Google Chrome so that it is on PATH, or
  - run: python -m playwright install chromium (with the Python in .venv), or
  - set {VARIABLE} to the browser's program."""


def find_chromium() -> tuple[Path | None, str]:
    """The browser and where it was found; or None and the reason."""
    named = os.environ.get(VARIABLE)
    if named:
        if Path(named).is_file():
            return Path(named), f"from {VARIABLE}"
        return None, f"{VARIABLE} names a file that does not exist: {named}"
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return Path(found), "on PATH"
    own = playwright_browser()
    if own is not None:
        return own, "kept by playwright"
    return None, f"no {VARIABLE}, none on PATH, none kept by playwright"


def playwright_browser() -> Path | None:
    """The browser that `playwright install chromium` would have put down."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        return None
    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if path.is_file() else None


def apt_obstacle() -> str | None:
    """Why apt-get is not for us, or None."""
    if shutil.which("apt-get") is None:
        return "this system has no apt-get"
    if os.geteuid() != 0:
        return "apt-get needs root"
    return None


def apt_install(packages: Sequence[str] = PACKAGES, missing: str = "no browser found") -> str | None:
    """Install Debian's packages; the reason when that fails, None when all went well."""
    print(f"==> {missing}: installing {' and '.join(packages)} with apt-get", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", *packages]):
        try:
            status = subprocess.call(
                ["apt-get", *command],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                timeout=APT_TIMEOUT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            return f"apt-get {command[0]} did not finish: {problem}"
        if status != 0:
            return f"apt-get {command[0]} ended with status {status}"
    return None


def set_up() -> str:
    """Make sure of a browser if that is possible; one line (and help) that says how it stands."""
    browser, where = find_chromium()
    if browser is None and VARIABLE not in os.environ:
        obstacle = apt_obstacle() or apt_install()
        if obstacle is None:
            browser, where = find_chromium()
        else:
            where = f"{where}; {obstacle}"
    if browser is None:
        return f"SKIPPED browser tests: {where}.\n{HOW_TO}"
    return f"browser tests use {browser} ({where})"


if __name__ == "__main__":
    print(f"==> {set_up()}", flush=True)
    sys.exit(0)
