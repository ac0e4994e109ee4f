"""Pictures: the right size, the same with or without fonts, a clear error without Cairo."""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from PIL import Image, ImageStat

from generators.diagram import (
    HEIGHT,
    WIDTH,
    RendererMissingError,
    build_diagram,
    render_png,
    renderer_identity,
)
from generators.diagram.font import text_width
from generators.diagram.svg import NAMESPACE
from tests.generators.documents.contexts import make_context

ROOT = Path(__file__).parents[3]
SHAPES: dict[str, str] = tomllib.loads(
    (files("generators.diagram") / "shapes.toml").read_text("utf-8")
)["shapes"]


def picture(body: str, width: int = 200, height: int = 100) -> Image.Image:
    """The grey picture of some SVG elements on white."""
    svg = (
        f'<svg width="{width}" height="{height}" xmlns="{NAMESPACE}"'
        f' viewBox="0 0 {width} {height}"><rect width="{width}" height="{height}" fill="#ffffff"/>'
        f"{body}</svg>"
    )
    return Image.open(io.BytesIO(render_png(svg.encode(), width, height))).convert("L")


def ink(image: Image.Image) -> tuple[int, int, int, int] | None:
    """The box of everything that is clearly not white."""
    return image.point([255 if grey < 160 else 0 for grey in range(256)]).getbbox()


@pytest.mark.parametrize(("width", "height"), [(WIDTH, HEIGHT), (990, 660)])
def test_picture_has_the_asked_size(width: int, height: int) -> None:
    """A picture is a PNG of exactly the size asked for."""
    png = render_png(build_diagram(make_context(3)), width, height)
    image = Image.open(io.BytesIO(png))
    assert (image.format, image.size) == ("PNG", (width, height))


def test_same_drawing_gives_the_same_picture() -> None:
    """Rendering twice gives equal bytes."""
    svg = build_diagram(make_context(3))
    assert render_png(svg, WIDTH, HEIGHT) == render_png(svg, WIDTH, HEIGHT)


def test_machine_without_fonts_gives_the_same_picture(tmp_path: Path) -> None:
    """With no font installed the picture is byte for byte the same."""
    (tmp_path / "fonts.conf").write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>'
    )
    code = (
        "import sys; from generators.diagram import *;"
        "from tests.generators.documents.contexts import make_context;"
        "sys.stdout.buffer.write(render_png(build_diagram(make_context(3)), WIDTH, HEIGHT))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "FONTCONFIG_FILE": str(tmp_path / "fonts.conf"),
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        check=True,
    )
    here = render_png(build_diagram(make_context(3)), WIDTH, HEIGHT)
    assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(here).digest()


@pytest.mark.parametrize("anchor", ["start", "middle", "end"])
def test_letters_stand_where_the_text_is(anchor: str) -> None:
    """Text begins, centres or ends at its x, stands on its y, and is as wide as measured."""
    image = picture(f'<text x="100" y="60" font-size="30" text-anchor="{anchor}">Hxx</text>')
    box = ink(image)
    assert box is not None
    width = text_width("Hxx", 30)
    left = {"start": 100, "middle": 100 - width / 2, "end": 100 - width}[anchor]
    assert box[0] == pytest.approx(left, abs=4)
    assert box[2] == pytest.approx(left + width, abs=4)
    assert box[3] == pytest.approx(60, abs=1.5)
    assert box[1] == pytest.approx(60 - 0.72 * 30, abs=2)


def test_lines_of_one_label_stand_below_each_other() -> None:
    """Each span of a text is drawn at its own place, in the weight of the whole."""
    image = picture(
        '<text font-size="20" font-weight="bold"><tspan x="10" y="30">one</tspan> '
        '<tspan x="60" y="70">two</tspan></text>'
    )
    first, second = ink(image.crop((0, 0, 200, 45))), ink(image.crop((0, 45, 200, 100)))
    assert first is not None
    assert second is not None
    assert first[0] < 15
    assert second[0] > 55


def test_bold_is_darker() -> None:
    """A bold text has more ink than a regular one."""
    plain = picture('<text x="5" y="60" font-size="30">Hamburg</text>')
    bold = picture('<text x="5" y="60" font-size="30" font-weight="bold">Hamburg</text>')
    assert ImageStat.Stat(bold).mean[0] < ImageStat.Stat(plain).mean[0]


def test_unknown_characters_show_as_boxes() -> None:
    """A character the typeface lacks leaves visible ink rather than nothing."""
    assert ink(picture('<text x="20" y="60" font-size="30">漢</text>')) is not None


def test_text_of_other_kinds_is_still_drawn() -> None:
    """Text that is turned or placed in other units does not raise; it is left to CairoSVG."""
    picture('<text x="50" y="50" transform="rotate(20)">turned</text>')
    picture('<text x="10%" y="2em" fill="url(#none)">elsewhere</text>')


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_stay_in_their_square(name: str) -> None:
    """A shape is drawn inside its square of 24 and is not a mere dot."""
    image = picture(
        f'<path transform="translate(38 38)" d="{SHAPES[name]}" fill="none" stroke="#000000"'
        ' stroke-width="1.8"/>',
        100,
        100,
    )
    box = ink(image)
    assert box is not None
    assert box[0] >= 38
    assert box[1] >= 38
    assert box[2] <= 62
    assert box[3] <= 62
    assert (box[2] - box[0]) >= 12
    assert (box[3] - box[1]) >= 9


def test_identity_names_renderer_and_versions() -> None:
    """A derived picture can name what made it: renderer, Cairo, outlines."""
    assert re.fullmatch(r"cairosvg-[\d.]+\+cairo-[\d.]+\+outlines-\d+", renderer_identity())


@pytest.mark.parametrize(
    ("platform", "hint"),
    [("linux", "libcairo2"), ("darwin", "brew install cairo"), ("win32", "GTK")],
)
def test_missing_cairo_is_one_clear_error(
    platform: str, hint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without the Cairo library the error names it and the package to install."""
    (tmp_path / "cairosvg.py").write_text("raise OSError('no library called cairo-2 was found')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cairosvg", raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(RendererMissingError, match="Cairo") as missing:
        renderer_identity()
    assert missing.value.hint is not None
    assert hint in missing.value.hint
