"""What a failed request means: the provider's own words, the class of the failure, how long to wait, and the sentence for a person."""

from __future__ import annotations

import re
from typing import NamedTuple

from msgspec.structs import replace

from workbench.conversation.checks import Finding, explanation
from workbench.conversation.stream import ResponseFailed
from workbench.dialects.base import Dialect, Quirks
from workbench.dialects.errors import kind_of_status
from workbench.errors import ProviderError, ProviderRefused, ResponseUnreadable
from workbench.providers.profiles import Profile
from workbench.redaction.redactor import Redactor
from workbench.wire.response import HttpResponse
from workbench.wire.retry_after import retry_delay_s

ORIGINAL_CHARACTERS = 8_192
NO_TOOLS = re.compile(r"does not support (?:tools|function calling|tool calling)|tools? (?:is|are) not supported|does not support tool", re.IGNORECASE)


class Failure(NamedTuple):
    """Why a try failed.

    Attributes:
        error: what is raised if nothing helps.
        kind: class of the failure (wire specification, section 12), ``unreachable``, ``broken`` or ``unreadable``.
        told_s: how long the provider asked to wait.
        should_retry: its ``x-should-retry``; None if it sent none.
        original: its own text, at most 8 KB, without keys.
        status: HTTP status; 0 if there was none.
        code: its machine word.
    """

    error: ProviderError
    kind: str
    told_s: float | None = None
    should_retry: bool | None = None
    original: str = ""
    status: int = 0
    code: str = ""


class FailureReader(NamedTuple):
    """Reads the failures of one profile's server.

    Attributes:
        secrets: keys that are blotted out of everything the server said.
        now: the present time in seconds since 1970, for dates.
    """

    profile: Profile
    secrets: tuple[str, ...]
    now: float

    def of_body(self, body: bytes, response: HttpResponse, dialect: Dialect, quirks: Quirks) -> Failure:
        """Return what an error status and its body say."""
        sent = body.decode("utf-8", "replace")
        text = without_secrets(sent, self.secrets)  # before anything is cut: half a key is a leak too
        try:
            failed = dialect.decode_response(body if text == sent else text.encode(), status=response.status, quirks=quirks).failure
        except ResponseUnreadable:
            failed = None
        return self.of_event(_with_original(failed or unexplained(kind_of_status(response.status), response), text), response)

    def of_event(self, failed: ResponseFailed, response: HttpResponse) -> Failure:
        """Return what an error says that came as a body, or inside an answer."""
        original = without_secrets(failed.original, self.secrets)[:ORIGINAL_CHARACTERS]
        should = {"true": True, "false": False}.get(response.header("x-should-retry").lower())
        told_s = retry_delay_s(response.headers, failed.original, self.now)
        kind = self._kind(failed, response.status, told_s, should_retry=should is not None)
        error = self._refused(without_secrets(failed.text, self.secrets), kind, response.status, original)
        return Failure(error, kind, told_s, should, original, response.status, failed.code)

    def _kind(self, failed: ResponseFailed, status: int, told_s: float | None, *, should_retry: bool) -> str:
        """Return the class; a limit of Anthropic's that names no end is a limit of spending, which waiting does not lift."""
        endless = self.profile.dialect == "anthropic" and status == 429 and told_s is None and not should_retry
        return "quota" if endless and failed.kind == "rate_limit" else failed.kind

    def _refused(self, text: str, kind: str, status: int, original: str) -> ProviderRefused:
        name = self.profile.title or self.profile.name
        values: dict[str, object] = {"name": name, "status": status, "text": text}
        if kind == "bad_request" and NO_TOOLS.search(text) and self.profile.dialect != "react":
            values["text"] = text = text.rstrip(".")
            sentence = f"{name} answered {status}: {text}. Choose the dialect ReAct for this provider: it puts the tools into the prompt."
            return ProviderRefused(sentence, failure=kind, status=status, original=original, message_id="provider.no_tools", values=values)
        if status >= 300:
            sentence = f"{name} answered {status}: {text}"
            return ProviderRefused(sentence, failure=kind, status=status, original=original, message_id="provider.refused", values=values)
        sentence = f"{name} reported an error: {text}"
        return ProviderRefused(sentence, failure=kind, status=status, original=original, message_id="provider.refused_inside", values=values)


def explained(failure: Failure, finding: Finding) -> Failure:
    """Return the failure with what it means in its sentence: the rule, the place in the request, and what is wrong there."""
    error = failure.error
    text = str(error.values.get("text", ""))
    if not isinstance(error, ProviderRefused) or not text or error.message_id == "provider.no_tools":  # which says the way out already
        return failure
    place = " ".join(filter(None, (finding.rule, finding.pointer)))
    told = ProviderRefused(
        error.text.replace(text, f"{text.rstrip()} {explanation(finding)}", 1),
        failure=error.failure,
        status=error.status,
        original=error.original,
        message_id="provider.refused_by_rule",
        values={"name": error.values.get("name"), "status": error.status, "text": text, "place": place, "meaning": finding.message},
    )
    return failure._replace(error=told)


def unexplained(kind: str, response: HttpResponse) -> ResponseFailed:
    """Return the failure of an answer that says nothing."""
    return ResponseFailed(kind=kind, text=f"The server answered with status {response.status} and no readable explanation.")


def without_secrets(text: str, secrets: tuple[str, ...]) -> str:
    """Return what a server said with known keys blotted out, in any spelling, and what looks like one."""
    for secret in secrets:
        text = text.replace(secret, "•••")
    return Redactor(lambda: dict.fromkeys(secrets, "key")).text(text).text


def _with_original(failed: ResponseFailed, text: str) -> ResponseFailed:
    """Return `failed` with the body as its original, if the dialect gave none."""
    return failed if failed.original else replace(failed, original=text[:ORIGINAL_CHARACTERS])
