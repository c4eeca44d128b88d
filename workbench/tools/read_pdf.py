"""The text of a PDF's pages, taken in a worker process with limits on time and memory."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from workbench.errors import ToolError
from workbench.tools import pdf_worker
from workbench.tools.lone_process import answer_of

WORKER = Path(pdf_worker.__file__)
PDF_LIMIT_BYTES = 50 * 1024 * 1024
PAGES_PER_CALL = 20
PAGES_UNASKED = 10
TIME_LIMIT_S = 20.0

_RANGE = re.compile(r"\s*(\d{1,6})\s*(?:-\s*(\d{1,6})\s*)?")


class PdfPages(NamedTuple):
    """Pages of a PDF: how many there are, and the text of those asked for by number (from 1)."""

    page_count: int
    texts: dict[int, str]


async def read_pdf(content: bytes, pages: str | None) -> PdfPages:
    """Return the text of some pages.

    Args:
        content: the file.
        pages: such as ``3``, ``1-5`` or ``1,4-6``; None = all, if there are few.

    Raises:
        ToolError: ``invalid_arguments`` for pages that do not exist, too many, or none where they are needed; ``undecodable`` for a
            damaged or encrypted file; ``timed_out``.
    """
    count = int((await _ask_worker(content, []))["pages"])
    wanted = _wanted(pages, count)
    answer = await _ask_worker(content, wanted)
    return PdfPages(count, {int(number): str(text) for number, text in answer["texts"].items()})


def _wanted(pages: str | None, count: int) -> list[int]:
    advice = f"The PDF has {count} {'page' if count == 1 else 'pages'}; give pages such as '3' or '1-5', at most {PAGES_PER_CALL}."
    if pages is None:
        if count > PAGES_UNASKED:
            raise ToolError("invalid_arguments", f"The PDF has {count} pages, too many to read at once.", advice)
        return list(range(1, count + 1))
    wanted: list[int] = []
    for part in pages.split(","):
        found = _RANGE.fullmatch(part)
        if found is None:
            raise ToolError("invalid_arguments", f"{pages[:60]!r} does not name pages.", advice)
        first, last = int(found[1]), int(found[2] or found[1])
        wanted += range(first, min(last, first + PAGES_PER_CALL) + 1)
    if not wanted or min(wanted) < 1 or max(wanted) > count:
        raise ToolError("invalid_arguments", f"The pages {pages[:60]!r} do not all exist.", advice)
    if len(wanted) > PAGES_PER_CALL:
        raise ToolError("invalid_arguments", f"{pages[:60]!r} are more than {PAGES_PER_CALL} pages.", advice)
    return wanted


async def _ask_worker(content: bytes, wanted: list[int]) -> dict[str, Any]:
    try:
        output = await answer_of(WORKER, content, ",".join(map(str, wanted)), time_limit_s=TIME_LIMIT_S)
    except TimeoutError:
        raise ToolError("timed_out", f"The PDF could not be read within {TIME_LIMIT_S:g} s.", "Ask for fewer pages.") from None
    try:
        answer: dict[str, Any] = json.loads(output)
    except ValueError:
        raise ToolError("undecodable", "The PDF could not be read: its reader gave up, which a damaged or hostile file can cause.") from None
    if "error" in answer:
        raise ToolError("undecodable", f"The PDF could not be read: {answer['error']}.")
    return answer
