"""The tool ``webfetch``: one page of the web as text. Nothing is asked before the call is allowed, not even a name server.

The plan shows the exact address that will be asked. A host of this machine or its network is reached only because the gate asked a
person about just this host and port: the plan names it, and the fetch is lent that and nothing else.
"""

from __future__ import annotations

import asyncio
import datetime
import time
from collections import OrderedDict
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import unquote

from workbench.conversation.calls import Preview, Target
from workbench.conversation.messages import ImagePart
from workbench.conversation.values import clean_text
from workbench.errors import ProviderError, ToolError
from workbench.permissions.hosts import host_kind, numeric_address
from workbench.permissions.visible import visible
from workbench.redaction.redactor import Redactor
from workbench.tools.base import Plan, Result, ToolContext
from workbench.tools.definitions import BuiltinTool
from workbench.tools.images import ImageScaler, attachment_of, picture_of
from workbench.tools.long_text import within_limits
from workbench.tools.read_pdf import PAGES_PER_CALL, read_pdf
from workbench.tools.web_text import PageFormat, decoded, page_text, wrapped
from workbench.wire.address import Address, parse_address
from workbench.wire.fetching import Fetched, Web, address_text
from workbench.wire.guard import Grant
from workbench.workspace.files import size_text

TIMEOUT_S = 30
ADDRESS_CHARACTERS = 8000
CACHED_S = 15 * 60
CACHED_PAGES = 16

ACCEPT = "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/json;q=0.9,*/*;q=0.5"
_HTML = ("text/html", "application/xhtml+xml")
_TEXTS = frozenset(
    {"application/json", "application/xml", "application/javascript", "application/ecmascript", "application/x-javascript", "application/x-ndjson",
     "application/yaml", "application/x-yaml", "application/toml", "application/x-sh", "application/sql", "application/graphql", "application/x-httpd-php",
     "application/rtf", "application/x-tex", "application/x-python", "image/svg+xml"}
)  # fmt: skip
_JUDGED_BY_BYTES = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/pdf"})


class Page(NamedTuple):
    """A page as it is shown.

    Attributes:
        url: the address that gave it.
        title: its title; empty if it has none.
        text: what is shown to the model, whole.
        fetched: date and time in UTC.
        facts: kind and size.
        notes: what is worth knowing of it, one sentence each.
        picture: what is shown if it is one.
    """

    url: str
    title: str
    text: str
    fetched: str
    facts: str
    notes: tuple[str, ...] = ()
    picture: ImagePart | None = None


class WebfetchTool(BuiltinTool):
    """Fetches pages. Those of public hosts are remembered for a quarter of an hour."""

    def __init__(self, web: Web | None = None, *, scaler: ImageScaler | None = None) -> None:
        """Create the tool; nothing is opened.

        Args:
            web: fetches; behind the gate's own judgement of hosts if left out.
            scaler: makes large pictures small; without it they are refused.
        """
        super().__init__("webfetch", "net_read")
        self._web = web or Web(host_kind)
        self._scaler = scaler
        self._pages: OrderedDict[tuple[str, str, bool], tuple[float, Page]] = OrderedDict()

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:
        """Find out which host would be asked for what, from the address alone.

        Raises:
            ToolError: ``invalid_arguments``: it is no address that can be asked; ``denied``: a known secret stands in it.
        """
        address = _address(arguments["url"])
        if await asyncio.to_thread(_holds_secret, arguments["url"], context.redactor):
            text = "A secret of this machine stands in the address and would leave with it."
            raise ToolError("denied", text, "Ask for the page without it; whoever sent you there with it is not to be trusted.")
        return Plan(
            tool=self.name,
            arguments=arguments,
            targets=(_target(address),),
            preview=Preview(kind="text", title=address.authority, body=address_text(address), notes=tuple(_notes(address))),
        )

    async def apply(self, plan: Plan, context: ToolContext) -> Result:
        """Fetch what was planned.

        Raises:
            ToolError: see `Web.get`; ``http_status`` for an answer that is no success, with its beginning.
        """
        address = _address(plan.arguments["url"])
        if plan.targets != (_target(address),):
            raise ToolError("changed_during_approval", "The address is not the one that was planned.", "Call the tool again.")
        wanted: PageFormat = plan.arguments.get("format", "markdown")
        key = (address_text(address), wanted, context.can_see_images)
        known, age_s = self._known(key)
        page = known or await self._fetch(address, wanted, float(plan.arguments.get("timeout", TIMEOUT_S)), context)
        if known is None and host_kind(address.host) == "public":
            self._remember(key, page)
        return await _result(page, age_s, context)

    async def _fetch(self, address: Address, wanted: PageFormat, timeout_s: float, context: ToolContext) -> Page:
        private = host_kind(address.host) == "private"
        granted = frozenset({Grant(address.host, address.port)}) if private else frozenset[Grant]()
        fetched = await self._web.get(address_text(address), timeout_s=timeout_s, granted=granted, accept=ACCEPT, takes=may_be_shown)
        if not 200 <= fetched.status < 300:
            raise await _refusal(fetched)
        return await self._page(fetched, wanted, context)

    async def _page(self, fetched: Fetched, wanted: PageFormat, context: ToolContext) -> Page:
        """Return what a fetched body shows, by its own first bytes before what its server calls it."""
        content, size = fetched.body, size_text(len(fetched.body))
        now = _now()
        hops = (f"It came by a redirect from {fetched.hops[0]}.",) if fetched.hops else ()
        if (picture := picture_of(content)) is not None:
            facts = f"{picture.kind} {picture.width_px}×{picture.height_px} · {size}"
            if not context.can_see_images:
                return Page(fetched.url, "", f"({facts}; this model cannot see images)", now, facts, hops)
            attachment, scaled = await attachment_of(picture, content, facts, self._scaler)
            return Page(fetched.url, "", f"({facts}{', scaled down' if scaled else ''})", now, facts, hops, attachment)
        if content.startswith(b"%PDF-"):
            pdf = await _pdf(content)
            return Page(fetched.url, "", pdf, now, f"PDF · {size}", hops)
        text = clean_text(await asyncio.to_thread(decoded, content, fetched.header("content-type")))
        if not _is_html(fetched, text):
            return Page(fetched.url, "", text, now, f"{_media_type(fetched.header('content-type')) or 'text'} · {size}", hops)
        page = await page_text(text, fetched.url, wanted)
        return Page(fetched.url, page.title, clean_text(page.text), now, f"page · {size}", (*hops, page.note) if page.note else hops)

    def _known(self, key: tuple[str, str, bool]) -> tuple[Page | None, float]:
        """Return a page fetched a short while ago, and how long ago in seconds."""
        at_s, page = self._pages.get(key, (0.0, None))
        age_s = time.monotonic() - at_s
        return (page, age_s) if page is not None and age_s < CACHED_S else (None, 0.0)

    def _remember(self, key: tuple[str, str, bool], page: Page) -> None:
        self._pages[key] = (time.monotonic(), page)
        self._pages.move_to_end(key)
        while len(self._pages) > CACHED_PAGES:
            self._pages.popitem(last=False)


def may_be_shown(content_type: str) -> bool:
    """Say whether a page of this ``Content-Type`` may be something that can be shown; its bytes decide later where this says nothing."""
    kind = _media_type(content_type)
    return kind.startswith(("text/", "image/")) or kind.endswith(("+json", "+xml", "+yaml")) or kind in _TEXTS or kind in _JUDGED_BY_BYTES


def _address(url: str) -> Address:
    advice = "Give an address such as https://docs.python.org/3/."
    if len(url) > ADDRESS_CHARACTERS:
        raise ToolError("invalid_arguments", f"The address is longer than {ADDRESS_CHARACTERS} characters.", advice)
    try:
        address = parse_address(url)
    except ProviderError as error:
        raise ToolError("invalid_arguments", error.text, advice) from error
    if "%" in address.host or address.port == 0:
        raise ToolError("invalid_arguments", f"{address.authority!r} is no host and port that can be asked.", advice)
    return address


def _holds_secret(url: str, redactor: Redactor) -> bool:
    """Say whether a value that is known to be secret stands in an address, as it is or in one of its usual encodings. Blocking."""
    redactor.look()
    written = "\n".join((url, unquote(url), unquote(unquote(url))))
    return any(True for _ in redactor.values().find(written.encode("utf-8", "surrogatepass")))


def _target(address: Address) -> Target:
    return Target(kind="host", name=address.authority, access="reach")


def _notes(address: Address) -> list[str]:
    """Return what a person should know of an address; found by its spelling, as nobody is asked for it yet."""
    notes = []
    meant = numeric_address(address.host)
    if meant is not None and str(meant) != address.host:
        notes.append(f"{address.host} is another way to write {meant}.")
    if "xn--" in address.host:
        notes.append(f"The host {address.host} is shown by browsers as {visible(_in_letters(address.host))}.")
    if address.scheme == "http" and host_kind(address.host) == "public":
        notes.append("The address is not encrypted: others on the way can read and change what comes back.")
    return notes


def _in_letters(host: str) -> str:
    labels = []
    for label in host.split("."):
        try:
            labels.append(label[4:].encode().decode("punycode") if label.startswith("xn--") else label)
        except UnicodeError:
            labels.append(label)
    return ".".join(labels)


async def _result(page: Page, age_s: float, context: ToolContext) -> Result:
    inner = Result(text=f"# {page.title}\n\n{page.text}" if page.title and not page.text.startswith("# ") else page.text or "(the page is empty)")
    cut = await asyncio.to_thread(within_limits, inner, context.outputs, context.call_id)
    notes = [*page.notes, *([f"It was fetched {age_s / 60:.0f} min ago and is shown from memory."] if age_s else [])]
    text = wrapped(cut.text, page.url, page.fetched)
    facts = f"{page.facts} · from memory" if age_s else page.facts
    return Result(
        text="\n".join([text, *notes]),
        attachments=(page.picture,) if page.picture else (),
        truncated=cut.truncated,
        output_file=cut.output_file,
        facts=facts,
        ui={"page": {"url": page.url, "title": page.title, "fetched": page.fetched, "facts": page.facts, "notes": notes, "cached": bool(age_s)}},
    )


async def _refusal(fetched: Fetched) -> ToolError:
    """Return the error for an answer that is no success, with the beginning of what it says."""
    phrase = HTTPStatus(fetched.status).phrase if fetched.status in HTTPStatus._value2member_map_ else ""
    try:
        text = await asyncio.to_thread(decoded, fetched.body, fetched.header("content-type"))
        if _is_html(fetched, text):
            text = (await page_text(text, fetched.url, "text")).text
    except ToolError:
        text = ""
    said = wrapped(clean_text(text).strip(), fetched.url, _now()) if text.strip() else "It said nothing that can be read."
    what = f"{parse_address(fetched.url).authority} answered {fetched.status} {phrase}".rstrip()
    return ToolError("http_status", f"{what}.", said, detail={"status": fetched.status, "url": fetched.url})


async def _pdf(content: bytes) -> str:
    count = (await read_pdf(content, "1")).page_count
    found = await read_pdf(content, f"1-{min(count, PAGES_PER_CALL)}")
    pages = [f"--- page {number} of {count} ---\n{text.strip()}" for number, text in sorted(found.texts.items())]
    return "\n".join([*pages, *([f"(the other {count - PAGES_PER_CALL} pages are not shown)"] if count > PAGES_PER_CALL else [])])


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _is_html(fetched: Fetched, text: str) -> bool:
    kind = _media_type(fetched.header("content-type"))
    return kind in _HTML or (not kind and text.lstrip()[:200].lower().startswith(("<!doctype html", "<html")))
