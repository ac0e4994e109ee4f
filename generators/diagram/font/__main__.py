"""Write `outlines.json` again: `python -m generators.diagram.font REGULAR.ttf BOLD.ttf`.

The shipped outlines were taken from Liberation Sans 2.1.5, whose widths are those of Arial, so that
a viewer that draws the SVG with Arial or Helvetica overruns no card. Needs fontTools.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

EXTRA = "–—‘’‚“”„•…€‹›←→≤≥−"
CHARACTERS = [*map(chr, range(0x20, 0x7F)), *map(chr, range(0xA0, 0x100)), *EXTRA]


def outlines(path: str) -> dict[str, object]:
    """Metrics and glyphs of one face: character to [advance, path data], in font units."""
    font = importlib.import_module("fontTools.ttLib").TTFont(path)
    pen_class = importlib.import_module("fontTools.pens.svgPathPen").SVGPathPen
    glyph_set, names = font.getGlyphSet(), font.getBestCmap()

    def glyph(name: str) -> list[object]:
        pen = pen_class(glyph_set, ntos=lambda number: str(round(number)))
        glyph_set[name].draw(pen)
        return [round(glyph_set[name].width), pen.getCommands()]

    found = {char: glyph(names[ord(char)]) for char in CHARACTERS if ord(char) in names}
    return {"units": font["head"].unitsPerEm, "missing": glyph(".notdef"), "glyphs": found}


regular, bold = sys.argv[1:]
target = Path(__file__).with_name("outlines.json")
faces = {"regular": outlines(regular), "bold": outlines(bold)}
target.write_text(json.dumps(faces, ensure_ascii=False, separators=(",", ":")), "utf-8")
print(f"{target.stat().st_size} bytes")
