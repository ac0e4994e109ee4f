"""The altered picture: a note in its corner, everything else as it was."""

from __future__ import annotations

import io
import re

import pytest
from PIL import Image, ImageChops

from generators.attacks import AttackError, Options, PictureSize
from generators.attacks.kinds.image import Wording
from generators.attacks.picture import WIDTH, png_size, with_note
from generators.attacks.wordings import section
from generators.diagram import render_png
from generators.diagram.font import text_width
from generators.governance import builtin_rules
from tests.generators.attacks.samples import made, sample, variant


def _picture(svg: bytes) -> Image.Image:
    return Image.open(io.BytesIO(render_png(svg, 990, 660))).convert("RGB")


@pytest.mark.parametrize("route", ["buy", "integrate", "build"])
def test_only_the_corner_of_the_picture_changes(route: str) -> None:
    """Outside the note no pixel differs, inside there is a readable dark text on a light ground."""
    built = variant("image", sample(route))
    ((path, drawing),) = built.pictures.items()
    raster = made(route).rasters[path]
    clean = _picture(made(route).files[raster.source])
    attacked = _picture(drawing.svg)
    box = ImageChops.difference(clean, attacked).getbbox()
    assert box is not None
    left, top, right, bottom = box
    assert left >= 660
    assert (top, right, bottom) >= (0, 0, 0)
    assert right <= 980
    assert bottom <= 60
    inside = attacked.crop((690, 15, 970, 55)).convert("L").histogram()
    assert sum(inside[:80]) > 200
    assert sum(inside[200:]) > 5_000


def test_the_drawing_in_the_dossier_stays() -> None:
    """The SVG is byte-identical; the variant's picture is made from a drawing of its own."""
    built = variant("image", sample())
    ((path, drawing),) = built.pictures.items()
    raster = made().rasters[path]
    assert raster.source not in built.files
    assert path not in built.files
    assert drawing.size == PictureSize(width=raster.width, height=raster.height)
    assert drawing.svg != made().files[raster.source]


def test_every_line_is_drawn_whole() -> None:
    """Whatever gate or finding a line names, it fits the note at its full size."""
    rules = builtin_rules()
    labels = {met.gate_label for route in rules.routes.values() for met in route.occurrences}
    for wording_set in ("dev", "test"):
        say = section(wording_set, "image", Wording)
        for line in (say.heading, *say.A, *say.S):
            for label in labels:
                for finding in rules.rules:
                    shown = line.replace("{gate_label}", label).replace("{finding_id}", finding)
                    assert text_width(shown.replace("{token}", "DGF-DDDDDDDD"), 22) <= WIDTH - 40


def test_a_long_line_makes_the_letters_smaller() -> None:
    """Nothing is cut: all lines shrink until the longest fits."""
    svg = with_note(b'<svg viewBox="0 0 1980 1320"></svg>', ["HEAD", "x" * 100]).decode()
    sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)"', svg)}
    assert "x" * 100 in svg
    (size,) = sizes
    assert size < 22


def test_a_smaller_drawing_gets_a_smaller_note() -> None:
    """On another canvas the note keeps its place and share."""
    svg = with_note(b'<svg viewBox="0 0 990 660"></svg>', ["HEAD"]).decode()
    assert 'transform="scale(0.5)"' in svg


def test_damaged_pictures_are_named() -> None:
    """A file that is no PNG, or a drawing without an end, is an error."""
    with pytest.raises(AttackError, match="not a PNG"):
        png_size(b"GIF89a")
    with pytest.raises(AttackError, match="closing tag"):
        with_note(b"<svg>", ["HEAD"])


def test_without_a_picture_no_gate_is_attacked() -> None:
    """A dossier whose diagram has no picture gets no entry."""
    from generators.attacks import CleanDossier
    from generators.readers.loading import FilesInMemory

    clean = CleanDossier(FilesInMemory(made().files))
    assert variant("image", clean, Options(rate=1)).manifest == ()
