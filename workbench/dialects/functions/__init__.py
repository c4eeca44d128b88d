"""The 2023 shape of Chat Completions, with `functions` and `function_call` instead of tools: the codec `DIALECT`.

One call a turn and no ids. What it has in common with Chat Completions is that dialect's code; an answer is read by the same reader.
"""

from __future__ import annotations

from collections.abc import Collection

from workbench.conversation.checks import Finding
from workbench.conversation.messages import DialectName, Message, ModelRequest
from workbench.dialects.base import NORM, DecodedResponse, EncodedRequest, Quirks
from workbench.dialects.chat_completions.answer import AnswerReader
from workbench.dialects.chat_completions.response import decode_response
from workbench.dialects.decoding import AnswerDecoder
from workbench.dialects.functions.request import FunctionsRequestWriter, encode_request
from workbench.dialects.functions.request_parse import parse_request
from workbench.dialects.functions.response import FunctionsStreamEncoder, encode_response
from workbench.dialects.functions.rules import check


class Functions:
    """The codec; see `Dialect` for what each method promises."""

    name: DialectName = "functions"

    def encode_request(self, request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
        """Return the request as bytes."""
        return encode_request(request, quirks)

    def request_writer(self) -> FunctionsRequestWriter:
        """Return what writes the requests of one conversation."""
        return FunctionsRequestWriter()

    def parse_request(self, body: bytes) -> ModelRequest:
        """Return the neutral form of a request body."""
        return parse_request(body)

    def decode_response(self, body: bytes, *, status: int = 200, quirks: Quirks = NORM) -> DecodedResponse:
        """Return the neutral form of a whole response body."""
        return decode_response(body, status=status, quirks=quirks)

    def encode_response(self, message: Message, *, response_id: str, model: str, created: int) -> bytes:
        """Return a whole response body; of several calls only the first, the dialect has no place for more."""
        return encode_response(message, response_id=response_id, model=model, created=created)

    def stream_decoder(self, quirks: Quirks = NORM, tools: Collection[str] = ()) -> AnswerDecoder:
        """Return a decoder for one streamed response."""
        return AnswerDecoder(AnswerReader(quirks, tools))

    def stream_encoder(self, *, response_id: str, model: str, created: int) -> FunctionsStreamEncoder:
        """Return an encoder for one streamed response; of several calls it sends only the first."""
        return FunctionsStreamEncoder(response_id=response_id, model=model, created=created)

    def check(self, body: bytes, quirks: Quirks = NORM) -> tuple[Finding, ...]:
        """Return what a provider would refuse in a request body."""
        return check(body, quirks)


DIALECT = Functions()
