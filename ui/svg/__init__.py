"""One frame of the stage as static SVG text: for the README, the handout, exports and golden tests."""

from ui.svg.scene import render_svg

__all__ = ["render_svg"]
