"""The model behind a provider: encodes a request, sends it, records every byte, decodes the answer, repeats what may be repeated.

Nothing leaves before its ExchangeOpened fact is durable. The body that is recorded is the body that is sent: the very same bytes.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass

from workbench.conversation.checks import RefusalExplained, Review
from workbench.conversation.events import ExchangeClosed, ExchangeOpened, RetryWaiting, StepPlace
from workbench.conversation.exchange import BodyRef, Chunk, Cost, ExchangeKeeper, Headers
from workbench.conversation.journal import Journal
from workbench.conversation.messages import ModelRequest, Origin, Usage, mint_id
from workbench.conversation.stream import Problem, ResponseEnded, ResponseFailed, ResponseStarted, StreamEvent, UsageReported
from workbench.conversation.values import JsonObject, plain_values
from workbench.dialects.base import Dialect, EncodedRequest, StreamDecoder
from workbench.dialects.refusals import explain
from workbench.dialects.registry import dialect
from workbench.errors import ProviderError, ProviderRefused, ProviderUnreachable, ResponseUnreadable, StreamBroken
from workbench.providers.checking import Checking, Ready, told
from workbench.providers.failures import Failure, FailureReader, explained, unexplained
from workbench.providers.model_quirks import quirks_for
from workbench.providers.prices import cost_of
from workbench.providers.profiles import Profile
from workbench.providers.resends import Asked, Resend, resend_of
from workbench.providers.retry import RetryPolicy, wait_before_retry_s
from workbench.wire.client import HttpClient, HttpRequest
from workbench.wire.redaction import redact_headers, redact_url
from workbench.wire.response import HttpResponse

LARGEST_ERROR_BYTES = 1_000_000
DRAIN_S = 0.25
STOPPED = ProviderError("Stopped before the answer was complete.")
MANY_MESSAGES = 200
LARGE_BODY_BYTES = 500_000
NEVER_AGAIN = frozenset({"wire.unknown_host", "wire.tls", "wire.certificate", "wire.bad_certificates", "wire.bad_proxy"})

KeySource = Callable[[], Awaitable[str | None]]


async def no_key() -> str | None:
    """Say that there is no key."""
    return None


@dataclass
class _Attempt:
    """What is known of one try while it runs; `seq` is the number of its ExchangeOpened, `tools` the schemas of those that were offered."""

    seq: int
    exchange_id: str
    request: HttpRequest
    started_s: float
    secrets: tuple[str, ...]
    tools: Mapping[str, JsonObject]
    status: int | None = None
    headers: Headers = ()
    http_version: str = ""
    first_byte_s: float | None = None
    size_bytes: int = 0
    shown: bool = False
    failure: Failure | None = None
    usage: Usage | None = None
    cost: Cost | None = None


class ProviderModel:
    """One model of one provider, for one session's journal.

    Attributes:
        profile: address and quirks.
        model: the provider's model id.
    """

    def __init__(
        self,
        profile: Profile,
        model: str,
        *,
        http: HttpClient,
        journal: Journal,
        keeper: ExchangeKeeper,
        key: KeySource = no_key,
        retry: RetryPolicy | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.profile = profile
        self.model = model
        self._http = http
        self._journal = journal
        self._keeper = keeper
        self._key = key
        self._retry = retry or RetryPolicy()
        self._clock, self._wall_clock, self._sleep, self._jitter = clock, wall_clock, sleep, jitter
        self._dialect: Dialect = dialect(profile.dialect)
        self._writer = self._dialect.request_writer()
        self._quirks = quirks_for(profile, model)
        self._learned: list[Callable[[Asked], Asked]] = []
        self._checking = Checking(profile, model, self._dialect, keep=self._kept, number=self._next_number)
        self._last_exchange_id = ""

    @property
    def origin(self) -> Origin:
        """Where its messages come from."""
        return Origin(dialect=self.profile.dialect, provider=self.profile.name, model=self.model, host=self.profile.host)

    @property
    def last_exchange_id(self) -> str:
        """Id of the newest exchange; empty before the first."""
        return self._last_exchange_id

    async def stream(self, request: ModelRequest, place: StepPlace, review: Review | None = None) -> AsyncGenerator[StreamEvent, None]:
        """Send `request` and yield the answer's events in order.

        What the provider would refuse is held before anything is opened or sent, until `review` has decided; without it all is sent.
        A try that failed before anything was yielded is repeated by the retry policy. Cancelling or closing the iterator closes the
        connection; the exchange is recorded as stopped.

        Raises:
            ProviderUnreachable: no connection or no answer, after all tries.
            ProviderRefused: an error status, or an error inside the stream (its ResponseFailed was yielded before if anything was).
            StreamBroken: the connection was lost in the middle; what came was yielded, ending with ResponseEnded ``incomplete``.
            StoreError: the exchange could not be recorded; nothing was sent.
        """
        asked = self._as_learned(Asked(request, self._quirks))
        tried: set[str] = set()
        number = 1
        while True:
            ready = await self._checking.ready(await self._encoded(asked), asked.quirks, place, review)
            attempt = await self._open(ready, request, place, number)
            try:
                async with aclosing(self._send(attempt)) as events:
                    async for event in events:
                        yield event
                if attempt.usage is not None or attempt.failure is None:
                    attempt.cost = await cost_of(self.profile, self.model, attempt.usage, at=self._wall_clock())
            except (asyncio.CancelledError, GeneratorExit):
                self._close(attempt, stopped=True)
                raise
            if attempt.failure is None:
                self._close(attempt)
                return
            resend = self._resend(attempt, asked, tried)
            number += 1
            if resend is not None:
                asked = resend.asked
                self._close(attempt, retry_in_s=0.0)
                self._journal.append(resend.notice)
                continue
            delay_s = self._delay_s(attempt, number - 1)
            if delay_s is None:
                await self._explain(attempt, asked)
            self._close(attempt, retry_in_s=delay_s)
            error = attempt.failure.error
            if delay_s is None:
                raise error
            self._journal.emit(RetryWaiting(place.turn_id, attempt.exchange_id, delay_s, error.text, error.message_id, error.values))
            await self._sleep(delay_s)

    def _as_learned(self, asked: Asked) -> Asked:
        """Return what is asked without what this model refused earlier in the session."""
        for change in self._learned:
            asked = change(asked)
        return asked

    def _resend(self, attempt: _Attempt, asked: Asked, tried: set[str]) -> Resend | None:
        """Return the change with which a refused request is sent once more; None if nothing is known that helps, or something was shown."""
        if attempt.failure is None or attempt.shown:
            return None
        resend = resend_of(attempt.failure, self.profile.dialect, asked, tried, self.profile.title or self.profile.name)
        if resend is not None:
            tried.add(resend.rule)
            if resend.later is not None:
                self._learned.append(resend.later)
        return resend

    async def _open(self, ready: Ready, request: ModelRequest, place: StepPlace, number: int) -> _Attempt:
        key, encoded = await self._key(), ready.encoded
        secrets = (key,) if key else ()
        headers = self._headers(key, streamed=request.options.stream)
        sent = self._http.final_request(HttpRequest("POST", self.profile.base_url + encoded.path, headers, encoded.body))
        body = await self._kept(encoded)
        exchange_id = mint_id("ex")
        seq = self._journal.append(
            ExchangeOpened(
                exchange_id=exchange_id,
                number=self._next_number(),
                turn_id=place.turn_id,
                step=place.step,
                attempt=number,
                method="POST",
                url=redact_url(sent.url),
                headers=redact_headers(sent.headers, secrets),
                body=body,
                dialect=self.profile.dialect,
                profile=self.profile.name,
                model=self.model,
                findings=ready.findings,
                repaired=ready.repaired,
            )
        )
        self._last_exchange_id = exchange_id
        return _Attempt(seq, exchange_id, sent, self._clock(), secrets, {tool.name: tool.input_schema for tool in request.tools})

    async def _encoded(self, asked: Asked) -> EncodedRequest:
        """Encode a request, a long one in a thread: ten thousand messages take longer than a window's frame."""
        if len(asked.request.messages) < MANY_MESSAGES:
            return self._writer.encode(asked.request, asked.quirks)
        return await asyncio.to_thread(self._writer.encode, asked.request, asked.quirks)

    async def _kept(self, encoded: EncodedRequest) -> BodyRef:
        """Keep a body, a large one in a thread."""
        if len(encoded.pieces) < MANY_MESSAGES and sum(map(len, encoded.pieces)) < LARGE_BODY_BYTES:
            return self._keeper.keep_body(encoded.pieces)
        return await asyncio.to_thread(self._keeper.keep_body, encoded.pieces)

    def _next_number(self) -> int:
        newest = next((entry.event for entry in reversed(self._journal.entries) if isinstance(entry.event, ExchangeOpened)), None)
        return newest.number + 1 if newest else 1

    async def _send(self, attempt: _Attempt) -> AsyncGenerator[StreamEvent, None]:
        """Yield the events of one try, sent once its record is durable; sets `attempt.failure` instead of raising a ProviderError."""
        await self._journal.settled(attempt.seq)
        attempt.started_s = self._clock()
        try:
            async with self._http.stream(attempt.request) as response:
                self._note_head(attempt, response)
                if response.status >= 300:  # a redirection is not followed: the key and the conversation go where the person said
                    attempt.failure = await self._refusal(attempt, response)
                else:
                    async with aclosing(self._decode(attempt, response)) as events:
                        async for event in events:
                            yield event
        except ProviderError as error:
            attempt.failure = Failure(error, "broken" if isinstance(error, StreamBroken) else "unreachable")
        except ResponseUnreadable as error:
            refused = ProviderRefused(error.text, failure="unreadable", status=attempt.status or 0)
            attempt.failure = Failure(refused, "unreadable")

    async def _decode(self, attempt: _Attempt, response: HttpResponse) -> AsyncGenerator[StreamEvent, None]:
        decoder = self._dialect.stream_decoder(self._quirks, attempt.tools)  # takes a whole JSON body too, so one path serves both
        try:
            async for chunk in response.chunks():
                self._keep(attempt, chunk)
                for event in self._pass_on(attempt, decoder.feed(chunk), response):
                    yield event
                if decoder.ended:
                    break
        except StreamBroken:
            for event in self._pass_on(attempt, decoder.finish(), response):
                if attempt.shown:
                    yield event
            raise
        for event in self._finish(attempt, decoder, response):
            yield event
        if decoder.ended:
            await self._drain(attempt, response)

    def _finish(self, attempt: _Attempt, decoder: StreamDecoder, response: HttpResponse) -> list[StreamEvent]:
        events = self._pass_on(attempt, decoder.finish(), response)
        ends = [event for event in events if isinstance(event, ResponseEnded)]
        if attempt.failure is None and not attempt.size_bytes:
            attempt.failure = self._reader(attempt).of_event(unexplained("server", response), response)
            return []
        if attempt.failure is None and ends and ends[-1].finish_reason == "incomplete" and not ends[-1].finish_raw:
            text = "The connection was lost before the answer was complete. What came is kept; send again to go on."
            attempt.failure = Failure(StreamBroken(text, message_id="provider.broken"), "broken")
            return events if attempt.shown else []
        return events

    def _pass_on(self, attempt: _Attempt, events: list[StreamEvent], response: HttpResponse) -> list[StreamEvent]:
        """Note failures and first signs; return what goes on to the consumer (a failure before anything was shown does not)."""
        passed: list[StreamEvent] = []
        for event in events:
            if isinstance(event, ResponseFailed):
                attempt.failure = self._reader(attempt).of_event(event, response)
                if attempt.shown:
                    passed.append(event)
                continue
            if isinstance(event, UsageReported):
                attempt.usage = event.usage
            elif not isinstance(event, ResponseStarted | ResponseEnded | Problem):
                attempt.shown = True
                response.progress()
            passed.append(event)
        return passed

    async def _drain(self, attempt: _Attempt, response: HttpResponse) -> None:
        """Read the few bytes behind the end marker, so that the connection can be used again; give up soon."""
        try:
            async with asyncio.timeout(DRAIN_S):
                async for chunk in response.chunks():
                    self._keep(attempt, chunk)
        except (TimeoutError, ProviderError):
            return  # the answer is complete; the connection is closed instead of kept

    async def _refusal(self, attempt: _Attempt, response: HttpResponse) -> Failure:
        body = await response.body(limit_bytes=LARGEST_ERROR_BYTES)
        self._keep(attempt, body)
        return self._reader(attempt).of_body(body, response, self._dialect, self._quirks)

    def _reader(self, attempt: _Attempt) -> FailureReader:
        return FailureReader(self.profile, attempt.secrets, self._wall_clock())

    def _is_final(self, message_id: str) -> bool:
        """Say whether trying again cannot help: no such host, a broken certificate, nobody at a port of this machine."""
        return message_id in NEVER_AGAIN or (message_id == "wire.refused" and self.profile.is_local)

    def _delay_s(self, attempt: _Attempt, number: int) -> float | None:
        failure = attempt.failure
        if failure is None or attempt.shown:
            return None
        if isinstance(failure.error, ProviderUnreachable) and self._is_final(failure.error.message_id):
            return None
        return wait_before_retry_s(
            self._retry, kind=failure.kind, attempt=number, told_s=failure.told_s, should_retry=failure.should_retry, jitter=self._jitter
        )

    async def _explain(self, attempt: _Attempt, asked: Asked) -> None:
        """Match a refusal to the rules it means, write that down, and say it in the error's sentence."""
        failure, body = attempt.failure, attempt.request.body
        if failure is None or failure.kind != "bad_request" or attempt.shown:
            return
        said = f"{failure.error.text} {failure.original}"
        try:
            findings = await asyncio.to_thread(explain, self.profile.dialect, body, said, attempt.status or 0, asked.quirks)
        except asyncio.CancelledError:
            self._close(attempt)
            raise
        if findings:
            self._checking.remember(body, findings)
            self._journal.append(RefusalExplained(exchange_id=attempt.exchange_id, findings=told(findings)))
            attempt.failure = explained(failure, findings[0])

    def _headers(self, key: str | None, *, streamed: bool) -> Headers:
        return (("Content-Type", "application/json"), *self.profile.headers_with(key, streamed=streamed))

    def _note_head(self, attempt: _Attempt, response: HttpResponse) -> None:
        attempt.status = response.status
        attempt.headers = redact_headers(response.headers, attempt.secrets)
        attempt.http_version = response.http_version

    def _keep(self, attempt: _Attempt, data: bytes) -> None:
        at_s = self._clock() - attempt.started_s
        if attempt.first_byte_s is None:
            attempt.first_byte_s = at_s
        attempt.size_bytes += len(data)
        self._keeper.keep_chunk(attempt.exchange_id, Chunk(at_s, data))

    def _close(self, attempt: _Attempt, *, stopped: bool = False, retry_in_s: float | None = None) -> None:
        failure = attempt.failure
        cause = STOPPED if stopped else failure.error if failure else None
        self._journal.append(
            ExchangeClosed(
                exchange_id=attempt.exchange_id,
                status=attempt.status,
                headers=attempt.headers,
                http_version=attempt.http_version,
                first_byte_s=attempt.first_byte_s,
                duration_s=self._clock() - attempt.started_s,
                size_bytes=attempt.size_bytes,
                error=cause.text if cause else "",
                failure="stopped" if stopped else failure.kind if failure else "",
                original=failure.original if failure else "",
                retry_in_s=retry_in_s,
                message_id=cause.message_id if cause else "",
                values=plain_values(cause.values) if cause else {},
                cost=attempt.cost,
            )
        )
