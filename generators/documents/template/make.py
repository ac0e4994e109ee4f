"""Build the static parts of every Word document with python-docx.

The library's default template weighs 37 kB, most of it styles nobody uses. Here it is given the
look of a dossier, cut down to the styles the writer names, and taken apart. What depends on a
document is its `word/document.xml`, which the writer makes; everything else comes from here.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET
from zipfile import ZipFile

from generators.documents.word import TABLE_STYLE, TEMPLATE_PARTS

if TYPE_CHECKING:
    from docx.document import Document

BODY_FONT: Final = "Calibri"
HEADER_FILL: Final = "D9EAF7"
CREATED: Final = "2026-01-05T08:00:00Z"
"""One instant for all documents: a date of its own would be a clock in the bytes."""

KEPT_STYLES: Final = (
    "Normal",
    "DefaultParagraphFont",
    "TableNormal",
    "NoList",
    "Title",
    "Subtitle",
    "Heading1",
    "ListBullet",
    "Quote",
    TABLE_STYLE,
)
_BULLETS: Final = 1
_EMPTY: Final = re.compile(r"<([\w:]+)([^<>]*)></\1>")
_BOLD: Final = "<w:rPr><w:b/></w:rPr>"
_W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def template_parts() -> dict[str, bytes]:
    """Every static part by its name in the package."""
    import docx

    document = docx.Document()
    _dress(document)
    _keep_used_styles(document)
    _keep_bullets(document)
    _keep_settings(document)
    _drop_parts(document)
    _constant_properties(document)
    saved = BytesIO()
    document.save(saved)
    with ZipFile(saved) as package:
        return {name: _compact(package.read(name)) for name in TEMPLATE_PARTS}


def _dress(document: Document) -> None:
    """Give the styles a dossier uses their look."""
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Pt, RGBColor

    styles: Any = document.styles
    _defaults(styles.element)
    _strip(styles["Normal"])
    for name, size, bold, italic in (
        ("Title", 20, True, False),
        ("Subtitle", 10, False, True),
        ("Heading 1", 12, True, False),
        ("Quote", 9, False, True),
    ):
        style = styles[name]
        _strip(style)
        style.font.size = Pt(size)
        style.font.bold, style.font.italic = bold or None, italic or None
        style.paragraph_format.keep_with_next = name != "Quote" or None
    styles["Title"].paragraph_format.space_after = Pt(2)
    styles["Subtitle"].paragraph_format.space_after = Pt(8)
    styles["Subtitle"].font.color.rgb = RGBColor(0x59, 0x59, 0x59)
    styles["Heading 1"].paragraph_format.space_before = Pt(10)
    styles["Heading 1"].paragraph_format.space_after = Pt(3)
    styles["Heading 1"].font.color.rgb = RGBColor(0x1F, 0x3A, 0x5F)
    styles["Quote"].paragraph_format.left_indent = Pt(14)
    styles["Quote"].font.color.rgb = RGBColor(0x40, 0x40, 0x40)
    register = styles.add_style(TABLE_STYLE, WD_STYLE_TYPE.TABLE)
    register.base_style = styles["Normal Table"]
    _register_look(register.element)


def _defaults(styles: Any) -> None:
    """Body text of the whole document, in place of the default template's theme fonts."""
    from docx.oxml import parse_xml
    from docx.oxml.ns import qn

    styles.replace(
        styles.find(qn("w:docDefaults")),
        parse_xml(
            f'<w:docDefaults xmlns:w="{_W}"><w:rPrDefault><w:rPr>'
            f'<w:rFonts w:ascii="{BODY_FONT}" w:hAnsi="{BODY_FONT}" w:cs="{BODY_FONT}"/>'
            '<w:sz w:val="19"/><w:lang w:val="en-GB"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>'
            '<w:spacing w:after="80" w:line="259" w:lineRule="auto"/></w:pPr></w:pPrDefault>'
            "</w:docDefaults>"
        ),
    )


def _strip(style: Any) -> None:
    """Remove what the default template says about a style, so that only ours remains."""
    from docx.oxml.ns import qn

    for tag in ("w:pPr", "w:rPr", "w:link", "w:next", "w:qFormat", "w:uiPriority"):
        for element in style.element.findall(qn(tag)):
            style.element.remove(element)


def _register_look(element: Any) -> None:
    """Grid borders, 9 pt cells, a bold first column, a bold filled header row."""
    from docx.oxml import parse_xml

    sides = "".join(
        f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="7F7F7F"/>'
        for side in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    header = f'<w:shd w:val="clear" w:color="auto" w:fill="{HEADER_FILL}"/>'
    for xml in (
        '<w:pPr {w}><w:spacing w:before="20" w:after="20"/></w:pPr>',
        '<w:rPr {w}><w:sz w:val="18"/></w:rPr>',
        f'<w:tblPr {{w}}><w:jc w:val="center"/><w:tblBorders>{sides}</w:tblBorders></w:tblPr>',
        f'<w:tblStylePr {{w}} w:type="firstRow">{_BOLD}<w:tcPr>{header}</w:tcPr></w:tblStylePr>',
        f'<w:tblStylePr {{w}} w:type="firstCol">{_BOLD}</w:tblStylePr>',
    ):
        element.append(parse_xml(xml.replace("{w}", f'xmlns:w="{_W}"')))


def _keep_used_styles(document: Document) -> None:
    from docx.oxml.ns import qn

    root: Any = document.styles.element
    for style in list(root.findall(qn("w:style"))):
        if style.get(qn("w:styleId")) not in KEPT_STYLES:
            root.remove(style)
    for superfluous in (*root.findall(qn("w:latentStyles")), *root.iter(qn("w:rsid"))):
        superfluous.getparent().remove(superfluous)


def _keep_bullets(document: Document) -> None:
    """One bullet list, numbered 1, which the list style refers to."""
    from docx.oxml import parse_xml
    from docx.oxml.ns import qn

    numbering: Any = document.part.numbering_part.element
    for child in list(numbering):
        numbering.remove(child)
    numbering.append(
        parse_xml(
            f'<w:abstractNum xmlns:w="{_W}" w:abstractNumId="0"><w:lvl w:ilvl="0">'
            '<w:numFmt w:val="bullet"/><w:lvlText w:val="•"/><w:lvlJc w:val="left"/><w:pPr>'
            '<w:ind w:left="360" w:hanging="240"/></w:pPr></w:lvl></w:abstractNum>'
        )
    )
    numbering.append(
        parse_xml(
            f'<w:num xmlns:w="{_W}" w:numId="{_BULLETS}"><w:abstractNumId w:val="0"/></w:num>'
        )
    )
    styles: Any = document.styles
    style: Any = styles["List Bullet"].element
    properties = style.find(qn("w:pPr"))
    style.replace(
        properties,
        parse_xml(
            f'<w:pPr xmlns:w="{_W}"><w:numPr><w:numId w:val="{_BULLETS}"/></w:numPr>'
            '<w:spacing w:after="40"/></w:pPr>'
        ),
    )


def _keep_settings(document: Document) -> None:
    """No view state of somebody's Word; the layout rules of current versions."""
    from docx.oxml import parse_xml

    settings: Any = document.settings.element
    for child in list(settings):
        settings.remove(child)
    settings.append(
        parse_xml(
            f'<w:compat xmlns:w="{_W}"><w:compatSetting w:name="compatibilityMode"'
            ' w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat>'
        )
    )


def _drop_parts(document: Document) -> None:
    """Unlink what no reader needs: theme, fonts, web settings, thumbnail, custom XML."""
    kept = ("/styles", "/numbering", "/settings", "/officeDocument", "/core-properties")
    for source in (document.part.package, document.part):
        relations: Any = source.rels
        for key in [key for key, one in relations.items() if not one.reltype.endswith(kept)]:
            del relations[key]


def _constant_properties(document: Document) -> None:
    """No title, author or subject: a property would be shown to a reader of the evidence."""
    from docx.oxml import parse_xml

    properties: Any = document.core_properties._element
    for child in list(properties):
        properties.remove(child)
    for name in ("created", "modified"):
        properties.append(
            parse_xml(
                f'<dcterms:{name} xmlns:dcterms="http://purl.org/dc/terms/"'
                ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
                f' xsi:type="dcterms:W3CDTF">{CREATED}</dcterms:{name}>'
            )
        )


def _compact(part: bytes) -> bytes:
    """The part in canonical form: no blanks between elements, no unused namespaces."""
    markup_compatibility = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
    canonical = ET.canonicalize(
        part, strip_text=True, exclude_attrs=[f"{markup_compatibility}Ignorable"]
    )
    short = _EMPTY.sub(r"<\1\2/>", canonical)
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{short}'.encode()
