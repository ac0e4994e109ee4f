"""The architecture diagram: SVG with shapes of our own, and its picture.

`build_diagram` draws the SVG of a dossier; `render_png` makes the picture that reviewers with eyes
are given; `renderer_identity` names what made it.
"""

from __future__ import annotations

from generators.diagram.draw import HEIGHT, WIDTH, build_diagram
from generators.diagram.raster import RendererMissingError, render_png, renderer_identity

__all__ = [
    "HEIGHT",
    "WIDTH",
    "RendererMissingError",
    "build_diagram",
    "render_png",
    "renderer_identity",
]
