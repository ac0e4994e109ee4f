"""Pictures of the diagram: SVG to PNG through CairoSVG, with the text drawn in our own typeface.

CairoSVG asks the machine for fonts, so the same drawing would look different elsewhere, or have no
letters at all. Here text is drawn from the shipped outlines. What still decides the bytes of a
picture is the renderer, whose identity belongs into the name of anything derived.
"""

from __future__ import annotations

import functools
import re
import sys
from typing import Any, Final

from cache.errors import DgfError
from generators.diagram.font import face, text_width

_OUTLINES: Final = "outlines-1"
"""Version of the shipped outlines and of the way they are drawn."""

_ELABORATE: Final = frozenset(
    {
        "transform",
        "opacity",
        "fill-opacity",
        "stroke",
        "style",
        "dx",
        "dy",
        "rotate",
        "textLength",
        "letter-spacing",
    }
)
_PLAIN_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?")
_PLAIN_COLOUR: Final = re.compile(r"#[0-9a-fA-F]{3,8}|(?!none$)[a-z]+")
_SHIFT: Final = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""Share of its width by which a line moves left of its place."""

_INSTALL: Final = {
    "linux": "install Cairo: `apt-get install libcairo2` (Debian, Ubuntu), `dnf install cairo`",
    "darwin": "install Cairo: `brew install cairo`",
    "win32": "install the GTK runtime for Windows, which brings Cairo, and put its bin on PATH",
}


class RendererMissingError(DgfError):
    """Raised when pictures cannot be drawn here: the Cairo library is absent."""


def renderer_identity() -> str:
    """Name and versions of what turns a drawing into a picture."""
    library = _cairosvg()
    cairo = library.surface.cairo.cairo_version_string()
    return f"cairosvg-{library.__version__}+cairo-{cairo}+{_OUTLINES}"


def render_png(svg: bytes, width: int, height: int) -> bytes:
    """The picture of a drawing, `width` by `height` pixels.

    Raises
    ------
    RendererMissingError
        If the Cairo library is not installed.
    """
    picture: bytes = _surface().convert(
        bytestring=svg, output_width=width, output_height=height, unsafe=False
    )
    return picture


def _cairosvg() -> Any:
    try:
        import cairosvg
    except OSError:  # the Python package is there, the library it loads is not
        hint = _INSTALL.get(sys.platform, "install the Cairo graphics library")
        raise RendererMissingError(
            "pictures need the Cairo library, which is not installed", hint=hint
        ) from None
    return cairosvg


@functools.cache
def _surface() -> Any:
    """CairoSVG's PNG surface, which draws text from the outlines."""
    base: Any = _cairosvg().surface.PNGSurface

    class OutlineSurface(base):  # type: ignore[misc]  # the base is known at run time only
        def draw(self, node: Any) -> None:
            if node.tag == "text" and _is_plain(node):
                _draw_text(self.context, node)
            else:
                super().draw(node)

    return OutlineSurface


def _is_plain(node: Any) -> bool:
    """Whether a text element is of the simple kind drawn here; others are left to CairoSVG."""
    return all(_ELABORATE.isdisjoint(line) and _placed(line) for line in (node, *_lines(node)))


def _placed(line: Any) -> bool:
    numbers = (line.get("x", "0"), line.get("y", "0"), line.get("font-size", "16"))
    return all(_PLAIN_NUMBER.fullmatch(number) for number in numbers) and bool(
        _PLAIN_COLOUR.fullmatch(line.get("fill", "black"))
    )


def _lines(node: Any) -> list[Any]:
    """The lines of a text element: its spans, or itself."""
    return [child for child in node.children if child.tag == "tspan"] or [node]


def _draw_text(context: Any, node: Any) -> None:
    for line in _lines(node):
        bold = line.get("font-weight") in {"bold", "700"}
        text = " ".join((line.text or "").split())
        size = float(line.get("font-size", "16"))
        shift = _SHIFT.get(line.get("text-anchor", "start"), 0) * text_width(text, size, bold=bold)
        context.save()
        context.set_source_rgba(*_colour(line.get("fill", "black")))
        context.translate(float(line.get("x", "0")) - shift, float(line.get("y", "0")))
        context.scale(size, -size)  # outlines are in ems and point upwards
        _trace(context, text, bold=bold)
        context.fill()
        context.restore()


def _colour(value: str) -> tuple[float, float, float, float]:
    red, green, blue, alpha = _cairosvg().colors.color(value)
    return red, green, blue, alpha


def _trace(context: Any, text: str, *, bold: bool) -> None:
    """Put the outlines of one line on the current path."""
    glyphs = face(bold=bold)
    for char in text:
        for command, numbers in glyphs[char].strokes:
            match command:
                case "M":
                    context.move_to(*numbers)
                case "L":
                    context.line_to(*numbers)
                case "C":
                    context.curve_to(*numbers)
                case _:
                    context.close_path()
        context.translate(glyphs[char].advance, 0)
