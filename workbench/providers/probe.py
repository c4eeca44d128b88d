"""Tests a profile: what answers at its address, as what, whether the key is taken, and which models there are. It costs nothing.

Three small requests at most: the list of models; an empty request in the profile's dialect, which a server refuses before any model sees
it; and the same without the key, for a server that refuses only then has looked at the key. No redirection is followed.
"""

from __future__ import annotations

import asyncio
import difflib
import re
import time
from collections.abc import AsyncGenerator, Mapping
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from workbench.conversation.messages import DialectName
from workbench.dialects.errors import ErrorBody, parse_error
from workbench.dialects.json_text import read_json
from workbench.dialects.registry import dialect
from workbench.errors import ProviderError, ResponseUnreadable
from workbench.providers.discovery import LONGEST_ANSWER_BYTES, ListedModels, read_models
from workbench.providers.failures import ORIGINAL_CHARACTERS, without_secrets
from workbench.providers.profiles import Profile
from workbench.wire.client import HttpClient, HttpRequest
from workbench.wire.redaction import redact_url
from workbench.wire.retry_after import retry_delay_s

USUAL_TIMEOUT_S = 20.0
SEARCHED_MODELS = 2_000
LONGEST_NAME = 80
LONGEST_ADDRESS = 300

Check: TypeAlias = Literal["address", "reached", "answers", "key", "model"]
Outcome: TypeAlias = Literal["ok", "warning", "failed"]


_MISSING_MODEL = re.compile(r"\bmodels?/[\w.-]+ is not found|\bmodel\b.{0,80}\bnot found", re.IGNORECASE)
_UNDER_V1: tuple[DialectName, ...] = ("chat_completions", "functions", "react", "responses")
_ANY_MODEL = "any"
"""Stands in the path of an empty request where a dialect wants a model there and none is named."""


class ProbeLine(NamedTuple):
    """One thing that a test found.

    Attributes:
        check: what it is about.
        outcome: ``warning`` for what works but should be known.
        text: one sentence in English, without a full stop when it is good news.
        message_id: stable name of the sentence.
        values: what it fills in.
        facts: figures beside it, e.g. ``HTTP 200 · 0.41 s``.
        original: what the server or the system said itself, at most 8 KB, without keys.
        models: every id the server lists, on the line ``model`` only.
    """

    check: Check
    outcome: Outcome
    text: str
    message_id: str
    values: Mapping[str, object] = {}
    facts: str = ""
    original: str = ""
    models: tuple[str, ...] = ()


class _Answer(NamedTuple):
    """A whole response, with keys blotted out of everything that is shown."""

    status: int
    text: str
    is_page: bool
    location: str
    server: str
    route: str
    wait_s: float | None
    duration_s: float

    @property
    def redirects(self) -> bool:
        return 300 <= self.status < 400

    @property
    def error(self) -> ErrorBody:
        return parse_error(self.text.encode("utf-8", "replace"), status=self.status)

    @property
    def refuses_key(self) -> bool:
        return self.status in (401, 403) or (400 <= self.status < 500 and self.error.kind == "auth")

    @property
    def is_nothing(self) -> bool:
        """Whether there is nothing of this kind at the address; a model that is missing is another matter."""
        return self.status in (404, 405, 501) and "model" not in self.error.code and not _MISSING_MODEL.search(self.error.message)


async def probe(
    http: HttpClient, profile: Profile, *, key: str | None = None, model: str = "", timeout_s: float = USUAL_TIMEOUT_S
) -> AsyncGenerator[ProbeLine, None]:
    """Yield what is found, each thing when it is known; the first that fails for good is the last.

    Cancelling, or closing the generator, closes the connection.

    Args:
        http: the client to ask with.
        profile: as `checked` gives it.
        key: sent as it is; None for none.
        model: the id that is looked for in the list.
        timeout_s: longest wait for one answer.
    """
    asking = _Asking(http, profile, key, model, timeout_s)
    if profile.is_readable_on_the_way:
        yield _readable_on_the_way(profile)
    listed = await asking.models()
    if isinstance(listed, ProbeLine):
        yield listed
        return
    yield _reached(listed)
    if listed.redirects:
        yield _redirects(listed)
        return
    empty = await asking.nothing(with_key=True)
    if isinstance(empty, ProbeLine):
        yield empty
        return
    models = await asyncio.to_thread(read_models, listed.text.encode(), profile.dialect) if listed.status == 200 else None
    told = _answers(profile, listed, empty, models)
    if told is not None:
        yield told
        if told.outcome == "failed":
            return
    judged = _key_line(profile, key, empty)
    if judged is None:
        judged = _key_looked_at(await asking.nothing(with_key=False))
    yield judged
    if judged.outcome != "failed":
        yield _model_line(model, listed, models)


class _Asking:
    """Sends the requests of one test."""

    def __init__(self, http: HttpClient, profile: Profile, key: str | None, model: str, timeout_s: float) -> None:
        self._http, self._profile, self._key, self._timeout_s = http, profile, key, timeout_s
        self._question = profile.base_url + profile.door.question.format(model=quote(model.removeprefix("models/") or _ANY_MODEL, safe=""))

    async def models(self) -> _Answer | ProbeLine:
        """Ask for the list of models."""
        return await self._answer(HttpRequest("GET", self._profile.base_url + self._profile.door.models, self._profile.headers_with(self._key)))

    async def nothing(self, *, with_key: bool) -> _Answer | ProbeLine:
        """Send a request that says nothing."""
        headers = (("Content-Type", "application/json"), *self._profile.headers_with(self._key if with_key else None))
        return await self._answer(HttpRequest("POST", self._question, headers, b"{}"))

    async def _answer(self, request: HttpRequest) -> _Answer | ProbeLine:
        begun = time.monotonic()
        try:
            async with asyncio.timeout(self._timeout_s), self._http.stream(request) as response:
                body = await response.body(limit_bytes=LONGEST_ANSWER_BYTES)
                text = self._clean(body.decode("utf-8", "replace"))
                return _Answer(
                    status=response.status,
                    text=text,
                    is_page=await asyncio.to_thread(_is_page, response.status, text),
                    location=self._clean(redact_url(response.header("location"))),
                    server=self._clean(response.header("server")),
                    route=response.route,
                    wait_s=retry_delay_s(response.headers, "", time.time()),
                    duration_s=time.monotonic() - begun,
                )
        except TimeoutError:
            text = f"No answer came within {self._timeout_s:g} s."
            return ProbeLine("reached", "failed", text, "probe.no_answer", {"seconds": f"{self._timeout_s:g}"})
        except (ProviderError, ResponseUnreadable) as error:
            original = self._clean(str(error.values.get("detail", "")))
            return ProbeLine("reached", "failed", self._clean(error.text), error.message_id, error.values, original=original)

    def _clean(self, text: str) -> str:
        return without_secrets(text, (self._key,)) if self._key else text


def _is_page(status: int, text: str) -> bool:
    """Say whether this is neither JSON nor a bare word of refusal: a web page, or the answer of something else."""
    try:
        read_json(text)
    except ValueError:
        return text.lstrip()[:1] == "<" or status < 300
    return False


# What is told


def _readable_on_the_way(profile: Profile) -> ProbeLine:
    text = f"This address is not encrypted: everybody between here and {profile.host} can read the key and the conversation."
    return ProbeLine("address", "warning", text, "probe.not_encrypted", {"host": profile.host})


def _reached(answer: _Answer) -> ProbeLine:
    route = "" if answer.route == "direct" else f" · {answer.route}"
    return ProbeLine("reached", "ok", "The address answers", "probe.reached", facts=f"HTTP {answer.status} · {answer.duration_s:.2f} s{route}")


def _redirects(answer: _Answer) -> ProbeLine:
    where = answer.location[:LONGEST_ADDRESS] or "?"
    text = f"It leads to another address, {where}. Nothing was sent there; if you trust it, give that address instead."
    return ProbeLine("answers", "failed", text, "probe.redirects", {"where": where}, facts=f"HTTP {answer.status}")


def _answers(profile: Profile, listed: _Answer, empty: _Answer, models: ListedModels | None) -> ProbeLine | None:
    """Return as what the server answers; None if that stays behind the key."""
    facts, original, spoken = _server_name(empty), empty.text[:ORIGINAL_CHARACTERS], profile.door.title
    if empty.redirects:
        return _redirects(empty)
    if empty.is_page or (listed.is_page and empty.is_nothing):
        text = "It answers with a web page, not as a model server. Is this the address of the API?"
        return ProbeLine("answers", "failed", text, "probe.page", facts=facts, original=(original if empty.is_page else listed.text)[:ORIGINAL_CHARACTERS])
    if empty.is_nothing:
        return _knows_no_chat(profile, models, facts, original)
    if empty.refuses_key:
        return None
    if empty.status == 429 or empty.status >= 500:
        text = f"It speaks {spoken}, but cannot answer just now: {empty.error.message}"
        values = {"dialect": spoken, "reason": empty.error.message}
        return ProbeLine("answers", "warning", text, "probe.busy", values, facts=_wait(empty) or facts, original=original)
    if empty.status < 300 and not _is_answer(profile, empty):
        text = f"It answers, but not as {spoken} does. Is this the address of the API?"
        return ProbeLine("answers", "failed", text, "probe.odd", {"dialect": spoken}, facts=facts, original=original)
    return ProbeLine("answers", "ok", f"It speaks {spoken}", "probe.chat", {"dialect": spoken}, facts=facts)


def _is_answer(profile: Profile, answer: _Answer) -> bool:
    try:
        dialect(profile.dialect).decode_response(answer.text.encode(), status=answer.status, quirks=profile.quirks)
    except ResponseUnreadable:
        return False
    return True


def _knows_no_chat(profile: Profile, models: ListedModels | None, facts: str, original: str) -> ProbeLine:
    url, spoken = profile.base_url + profile.door.question, profile.door.title
    if models is not None:
        text = f"It lists models, but there is nothing at {url}: it does not speak {spoken}."
        return ProbeLine("answers", "failed", text, "probe.models_only", {"url": url, "dialect": spoken}, facts, original)
    if profile.dialect in _UNDER_V1 and not profile.base_url.rstrip("/").endswith("/v1"):
        text = f"There is nothing at {url}. Many addresses end in /v1."
        return ProbeLine("answers", "failed", text, "probe.nothing_v1", {"url": url}, facts, original)
    return ProbeLine("answers", "failed", f"There is nothing at {url}.", "probe.nothing", {"url": url}, facts, original)


def _key_line(profile: Profile, key: str | None, empty: _Answer) -> ProbeLine | None:
    """Return what is known of the key; None if a request without it must tell."""
    if empty.refuses_key:
        said, original = empty.error.message, empty.text[:ORIGINAL_CHARACTERS]
        if key:
            return ProbeLine("key", "failed", f"The key was refused: {said}", "probe.key_refused", {"reason": said}, f"HTTP {empty.status}", original)
        text = "A key is needed, and there is none."
        return ProbeLine("key", "failed", text, "probe.key_needed", {"variable": profile.key_variable}, f"HTTP {empty.status}", original)
    if not key:
        return ProbeLine("key", "ok", "No key is needed", "probe.no_key")
    if empty.status == 429 or empty.status >= 500:
        return ProbeLine("key", "warning", "Whether the key is right cannot be told just now.", "probe.key_unknown")
    return None


def _key_looked_at(bare: _Answer | ProbeLine) -> ProbeLine:
    """Return whether the key was accepted, from the answer to a request without it."""
    if isinstance(bare, ProbeLine):
        return ProbeLine("key", "warning", "Whether the key is right cannot be told just now.", "probe.key_unknown")
    if bare.refuses_key:
        return ProbeLine("key", "ok", "The key is accepted", "probe.key_accepted")
    return ProbeLine("key", "warning", "The server does not ask for a key; yours is sent all the same.", "probe.key_ignored")


def _model_line(model: str, listed: _Answer, models: ListedModels | None) -> ProbeLine:
    if models is None:
        text = "It does not list its models; whether it has the one you named shows with the first request."
        return ProbeLine("model", "warning", text, "probe.no_list", facts=f"HTTP {listed.status}", original=listed.text[:ORIGINAL_CHARACTERS])
    facts = f"{len(models.ids)} listed" + (f", {models.left_out} left out" if models.left_out else "")
    if not models.ids:
        return ProbeLine("model", "warning", "It lists no model: load one there first.", "probe.empty_list", facts=facts)
    if not model:
        return ProbeLine("model", "ok", "It lists its models", "probe.list", facts=facts, models=models.ids)
    if model in models.ids:
        return ProbeLine("model", "ok", f"It has the model {model}", "probe.has_model", {"model": model}, facts, models=models.ids)
    near = difflib.get_close_matches(model, models.ids[:SEARCHED_MODELS], n=1)
    if near:
        text = f"It does not list {model}; did you mean {near[0]}?"
        return ProbeLine("model", "warning", text, "probe.near_model", {"model": model, "near": near[0]}, facts, models=models.ids)
    return ProbeLine("model", "warning", f"It does not list {model}.", "probe.unlisted_model", {"model": model}, facts, models=models.ids)


def _server_name(answer: _Answer) -> str:
    """Return what the server calls itself, if that is a short name."""
    return answer.server if answer.server.isprintable() and len(answer.server) <= LONGEST_NAME else ""


def _wait(answer: _Answer) -> str:
    return f"HTTP {answer.status}" + (f" · {answer.wait_s:.0f} s" if answer.wait_s is not None else "")
