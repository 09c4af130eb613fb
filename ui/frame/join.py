"""Join the stage's ES modules into one script, for a page that is opened from a disk.

A page opened from ``file://`` may not import other files. Joining is easy because the modules keep three
rules: an import is one line and renames nothing, exports are declared where they are made, and no two
modules use one name at their top level. The joiner refuses what breaks them; it never guesses.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import \{ \w+(?:, \w+)* \} from "(\.{1,2}/[\w./-]+\.js)";$', re.M)
_DECLARED = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class) (\w+)", re.M)
_ASSIGNED = re.compile(r"^(?:export )?(?:const|let|var) (.*)$", re.M)
_DEFAULT = re.compile(r"^export default \w+;\n?", re.M)
_EXPORT = re.compile(r"^export (?=async |function|const|let|class)", re.M)
_LEFT_OVER = re.compile(r"^(?:import|export)\b.*$", re.M)


class JoinError(ValueError):
    """The modules cannot become one script; the message names module and reason."""


def join_modules(modules: Mapping[str, str], entry: str = "stage/stage.js") -> str:
    """One script with everything ``entry`` needs, each module once, after those it imports.

    Raises:
        JoinError: a module is missing, imports go in a circle, an import or export has another form, or two
            modules use the same top-level name.
    """
    order = _order(modules, entry)
    _refuse_equal_names({name: modules[name] for name in order})
    return "\n".join(f"// ---- {name}\n{_plain(name, modules[name])}" for name in order)


def top_level_names(text: str) -> list[str]:
    """What a module declares at its top level (at the beginning of a line)."""
    names = _DECLARED.findall(text)
    for line in _ASSIGNED.findall(text):
        names += _names_in(line)
    return names


def _order(modules: Mapping[str, str], entry: str) -> list[str]:
    """Depth first, each module once, those it imports before it."""
    order: list[str] = []

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise JoinError(f"modules import each other in a circle: {' -> '.join((*path, name))}")
        if name not in modules:
            raise JoinError(f"{path[-1] if path else 'the page'} imports {name}, which is not there")
        if name in order:
            return
        for target in _IMPORT.findall(modules[name]):
            visit(posixpath.normpath(posixpath.join(posixpath.dirname(name), target)), (*path, name))
        order.append(name)

    visit(entry, ())
    return order


def _refuse_equal_names(modules: Mapping[str, str]) -> None:
    home: dict[str, str] = {}
    for module, text in modules.items():
        for name in top_level_names(text):
            if name in home:
                raise JoinError(
                    f"{name} is declared in {home[name]} and in {module}: one script has room for one"
                )
            home[name] = module


def _plain(module: str, text: str) -> str:
    """The module without its imports and exports."""
    text = _EXPORT.sub("", _DEFAULT.sub("", _IMPORT.sub("", text)))
    left = _LEFT_OVER.search(text)
    if left:
        raise JoinError(f"{module}: cannot join this line: {left[0]}")
    return text.strip("\n") + "\n"


def _names_in(declaration: str) -> list[str]:
    """Names of ``a = 1, b = [2, 3]``: those before ``=`` outside brackets and quotes."""
    names, depth, quote, start = [], 0, "", 0
    for place, char in enumerate(declaration):
        if quote:
            quote = "" if char == quote and declaration[place - 1] != "\\" else quote
        elif char in "\"'`":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif depth == 0 and char in ",;":
            names += _first_word(declaration[start:place])
            start = place + 1
    return names + _first_word(declaration[start:])


def _first_word(part: str) -> list[str]:
    found = re.match(r"\s*(\w+)\s*(?:=|$)", part)
    return [found[1]] if found else []
