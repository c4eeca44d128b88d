"""Small text documents for one paragraph each: safe for text from anywhere, styled with the theme's tokens, kept while they are used.

A plain QTextDocument reads what the text names (a picture at ``file:///dev/zero`` ends the program); the one here loads nothing at all.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from PySide6.QtCore import QUrl
from PySide6.QtGui import QFont, QImage, QTextBlock, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat, QTextTable
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.chat.alignment import Alignment
from workbench.ui.kit.theme import theme
from workbench.words import _, aside

KEPT = 600
"""How many laid-out documents are kept; each takes some 70 KiB."""
OPENABLE = ("http", "https", "mailto")
"""What a link may lead to; everything else is only shown."""
HONEST_BLANKS = "\n\t\u00a0\u2009\u202f\u3000\u00ad\u200c\u200d\ufe0e\ufe0f"
"""Unseen characters that belong to ordinary writing: blanks of all kinds, and what joins emoji and letters."""

_FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_PROPERTY = QTextFormat.Property
_LINE_PERCENT = 130
_PROPORTIONAL, _FIXED = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value, QTextBlockFormat.LineHeightTypes.FixedHeight.value
_BETWEEN = 4
"""Space between the paragraphs of one document (the items of a list)."""
_QUOTE_STEP = 14
_CELL_PADDING = 6
_NAMELESS = re.compile(r"!\[\]\((?=<?([^\s)>\]]{1,200}))")
"""A picture without words for it would not be seen at all."""
_BAR = re.compile(r"\\(?=\|)")
_LONGEST_PLACE = 60
CODE_SPAN = re.compile(r"`([^`\n]+)`")
"""Code between ticks, where text is shown as it was written."""


class SafeDocument(QTextDocument):
    """A document that loads nothing: a picture in a text must not open a file or an address."""

    @override
    def loadResource(self, type: int, name: QUrl | str) -> object:
        """Return an empty picture, or nothing."""
        return QImage() if type == QTextDocument.ResourceType.ImageResource.value else b""


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a document looks: colour and size of its text, and what is behind it; with `markdown` off it is shown as it was written."""

    token: str = "text"
    ground: str = "base"
    size: str = "prose"
    markdown: bool = True


@dataclass(frozen=True)
class Link:
    """A link of a document, by positions (UTF-16) in it; `address` is empty if it leads to nothing that may be opened."""

    start: int
    end: int
    address: str
    shown: str


@dataclass(eq=False)
class Written:
    """A document and where its characters come from.

    Attributes:
        source: the text it was made of.
        links: in reading order.
        width: the width it is laid out for, -1 if for none yet.
    """

    document: SafeDocument
    source: str
    links: list[Link] = field(default_factory=list)
    width: float = -1

    @cached_property
    def alignment(self) -> Alignment:
        """Where each character of the document comes from, in `source`."""
        return Alignment(self.document.toPlainText(), self.source)

    def rules(self) -> list[float]:
        """Return the y of the line above each row of its tables but the first."""
        layout = self.document.documentLayout()
        firsts = [table.cellAt(row, 0).firstCursorPosition().block() for table in _tables(self.document) for row in range(1, table.rows())]
        return [layout.blockBoundingRect(block).top() - _CELL_PADDING for block in firsts]

    def lay_out(self, width: float) -> tuple[float, float]:
        """Lay it out and return its width, which is more than asked for if something cannot be broken, and its height."""
        if self.width != width:
            self.document.setTextWidth(width)
            self.width = width
        size = self.document.size()
        return size.width(), size.height()


def write(source: str, look: Look) -> Written:
    """Return a styled document for a text."""
    document = SafeDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setIndentWidth(20)
    document.setDefaultFont(theme.font(look.size))
    written = Written(document, source)
    shown = visible(source.replace("\r\n", "\n"), keep=HONEST_BLANKS)
    if look.markdown:
        document.setMarkdown(_NAMELESS.sub(r"![\1](", shown), _FEATURES)
        _name_pictures(document)
        _unescape_bars(document)
        _style_blocks(document)
        _style_pieces(written)
        _style_tables(document)
    else:
        _write_plainly(document, shown)
    return written


def _write_plainly(document: SafeDocument, shown: str) -> None:
    """Insert text as it is; only what stands between ticks looks like code."""
    cursor = QTextCursor(document)
    cursor.setBlockFormat(_line_height())
    code, plain, at = _code_format(QTextCharFormat()), QTextCharFormat(), 0
    for span in CODE_SPAN.finditer(shown):
        cursor.insertText(shown[at : span.start()], plain)
        cursor.insertText(span[1], code)
        at = span.end()
    cursor.insertText(shown[at:], plain)


# Styling


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _pieces(document: QTextDocument) -> list[tuple[int, int, QTextCharFormat]]:
    """Return start, end and format of every piece in one look; a list, because what changes a piece ends the walk."""
    found = []
    for block in _blocks(document):
        walk = block.begin()
        while not walk.atEnd():
            fragment = walk.fragment()
            found.append((fragment.position(), fragment.position() + fragment.length(), fragment.charFormat()))
            walk += 1
    return found


def _chosen(document: QTextDocument, start: int, end: int) -> QTextCursor:
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _name_pictures(document: QTextDocument) -> None:
    """Put the words that stand for a picture in its place; from the last to the first, so that positions stay true."""
    for start, end, look in reversed(_pieces(document)):
        if look.isImageFormat():
            address = look.toImageFormat().name()
            words, place = str(look.property(_PROPERTY.ImageAltText) or "") or visible(address), _place_of(address)
            plain = QTextCharFormat()
            plain.setForeground(theme["muted"])
            named = words if place in words else aside(words, place)
            _chosen(document, start, end).insertText(_("[picture: {words}]").format(words=named), plain)


def _place_of(address: str) -> str:
    """Return where a picture would come from: the host, the kind of address, or a path beside the text."""
    url = QUrl(address)
    path = address if len(address) <= _LONGEST_PLACE else f"…{address[-_LONGEST_PLACE:]}"
    return visible(url.host() or url.scheme() or path)


def _unescape_bars(document: QTextDocument) -> None:
    """Take the mark before a bar in the code of a table's cell away: it only says that the bar ends no cell, and Qt leaves it there."""
    code = [piece for table in _tables(document) for piece in _pieces(document) if piece[2].fontFixedPitch() and _is_inside(piece, table)]
    for start, end, _look in reversed(code):
        shown = _chosen(document, start, end).selectedText()
        for bar in reversed([_units(shown[: found.start()]) for found in _BAR.finditer(shown)]):
            _chosen(document, start + bar, start + bar + 1).removeSelectedText()


def _units(text: str) -> int:
    """Return how many positions of a document a text takes: units of UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _is_inside(piece: tuple[int, int, QTextCharFormat], table: QTextTable) -> bool:
    return table.firstPosition() <= piece[0] <= table.lastPosition()


def _line_height() -> QTextBlockFormat:
    look = QTextBlockFormat()
    look.setLineHeight(_LINE_PERCENT, _PROPORTIONAL)
    return look


def _style_blocks(document: QTextDocument) -> None:
    everywhere = _line_height()
    everywhere.setTopMargin(_BETWEEN)
    everywhere.setBottomMargin(0)
    everywhere.setRightMargin(0)
    everywhere.setNonBreakableLines(False)
    whole = QTextCursor(document)
    whole.select(QTextCursor.SelectionType.Document)
    whole.mergeBlockFormat(everywhere)
    for block in _blocks(document):
        special = _special(block)
        if special is not None:
            QTextCursor(block).mergeBlockFormat(special)


def _special(block: QTextBlock) -> QTextBlockFormat | None:
    """Return what one block has of its own, or None."""
    now, own = block.blockFormat(), QTextBlockFormat()
    if block.blockNumber() == 0:
        own.setTopMargin(0)
    if quoted := int(now.property(_PROPERTY.BlockQuoteLevel) or 0):
        own.setLeftMargin(_QUOTE_STEP * (quoted - 1))
    if _is_code(now):
        own.setBackground(theme["sunken"])
        own.setLineHeight(100, _PROPORTIONAL)
        own.setTopMargin(0)
    if block.length() == 1 and not now.hasProperty(_PROPERTY.BlockTrailingHorizontalRulerWidth) and QTextCursor(block).currentTable() is None:
        own.setLineHeight(1, _FIXED)
        own.setTopMargin(0)
    return own if own.propertyCount() else None


def _is_code(look: QTextBlockFormat) -> bool:
    return look.hasProperty(_PROPERTY.BlockCodeFence) or look.hasProperty(_PROPERTY.BlockCodeLanguage)


def _style_pieces(written: Written) -> None:
    document = written.document
    for start, end, look in _pieces(document):
        own = _own_look(look, document.findBlock(start))
        if look.isAnchor():
            own = own or QTextCharFormat(look)
            written.links.append(_link(start, end, look.anchorHref()))
            own.setForeground(theme["accent" if written.links[-1].address else "muted"])
            own.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        if own is not None:
            _chosen(document, start, end).setCharFormat(own)


def _own_look(look: QTextCharFormat, block: QTextBlock) -> QTextCharFormat | None:
    """Return what a piece looks like if not as Qt would have it: code, a heading, bold.

    Chinese has no italics, and its fonts are seldom there in a weight between medium and bold.
    """
    if _is_code(block.blockFormat()):
        own = QTextCharFormat()
        own.setFont(theme.font("code"))
        return own
    if look.fontFixedPitch():
        return _code_format(look)
    level = block.blockFormat().headingLevel()
    if level:
        own = QTextCharFormat(look)
        own.clearProperty(_PROPERTY.FontSizeAdjustment.value)
        own.setFont(theme.font("title" if level <= 2 else "prose", "bold"), QTextCharFormat.FontPropertiesInheritanceBehavior.FontPropertiesAll)
        return own
    if theme.language == "zh" and look.fontItalic():
        own = QTextCharFormat(look)
        own.setFontItalic(False)
        return own
    if theme.language != "zh" and look.fontWeight() > QFont.Weight.DemiBold:
        own = QTextCharFormat(look)
        own.setFontWeight(QFont.Weight.DemiBold)
        return own
    return None


def _code_format(look: QTextCharFormat) -> QTextCharFormat:
    code = QTextCharFormat(look)
    code.setFont(theme.font("code"))
    code.setBackground(theme["hover"])
    return code


def _link(start: int, end: int, address: str) -> Link:
    return Link(start, end, address if QUrl(address).scheme().lower() in OPENABLE else "", visible(address))


def _style_tables(document: QTextDocument) -> None:
    """Take the borders off, which cost ten times the text: `Written.rules` tells where hairlines go; align headings as their columns are."""
    for table in _tables(document):
        _align_headings(table)
        look = table.format().toTableFormat()
        look.setBorderCollapse(False)
        look.setBorder(0)
        look.setCellPadding(_CELL_PADDING)
        look.setCellSpacing(0)
        table.setFormat(look)


def _align_headings(table: QTextTable) -> None:
    """Let the first row stand as the cells below it do: Qt aligns all rows but that one."""
    for place in range(table.columns() if table.rows() > 1 else 0):
        head, below = (table.cellAt(row, place).firstCursorPosition() for row in (0, 1))
        if below.blockFormat().hasProperty(_PROPERTY.BlockAlignment):
            aligned = QTextBlockFormat()
            aligned.setAlignment(below.blockFormat().alignment())
            head.mergeBlockFormat(aligned)


def _tables(document: QTextDocument) -> list[QTextTable]:
    return [frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable)]


# Keeping


class Owner(Protocol):
    """What a document is kept for."""

    written: Written | None


class Documents:
    """The documents that were used last; the others are made again when they are needed."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._owners: OrderedDict[Owner, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._owners)

    def used(self, owner: Owner) -> None:
        """Say that an owner's document is in use; the one that was not for the longest time is dropped."""
        self._owners[owner] = None
        self._owners.move_to_end(owner)
        while len(self._owners) > self._kept:
            self._owners.popitem(last=False)[0].written = None

    def drop(self, owner: Owner) -> None:
        """Forget the document of an owner."""
        self._owners.pop(owner, None)
        owner.written = None

    def clear(self) -> None:
        """Forget all of them: nobody looks at their owners any more."""
        for owner in self._owners:
            owner.written = None
        self._owners.clear()
