"""ReAct text over Chat Completions: tools in the prompt, calls and results as labelled lines, for models without tool calling: `DIALECT`."""

from __future__ import annotations

from collections.abc import Collection

from workbench.conversation.checks import Finding
from workbench.conversation.messages import DialectName, Message, ModelRequest
from workbench.dialects.base import NORM, DecodedResponse, EncodedRequest, Quirks
from workbench.dialects.decoding import AnswerDecoder
from workbench.dialects.react.answer import ReactAnswer
from workbench.dialects.react.request import ReactRequestWriter, encode_request
from workbench.dialects.react.request_parse import parse_request
from workbench.dialects.react.response import decode_response, encode_response
from workbench.dialects.react.rules import check
from workbench.dialects.react.stream_encoder import ReactStreamEncoder


class ReAct:
    """The codec; see `Dialect` for what each method promises."""

    name: DialectName = "react"

    def encode_request(self, request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
        """Return the request as bytes."""
        return encode_request(request, quirks)

    def request_writer(self) -> ReactRequestWriter:
        """Return what writes the requests of one conversation."""
        return ReactRequestWriter()

    def parse_request(self, body: bytes) -> ModelRequest:
        """Return the neutral form of a request body."""
        return parse_request(body)

    def decode_response(self, body: bytes, *, status: int = 200, quirks: Quirks = NORM) -> DecodedResponse:
        """Return the neutral form of a whole response body."""
        return decode_response(body, status=status, quirks=quirks)

    def encode_response(self, message: Message, *, response_id: str, model: str, created: int) -> bytes:
        """Return a whole response body."""
        return encode_response(message, response_id=response_id, model=model, created=created)

    def stream_decoder(self, quirks: Quirks = NORM, tools: Collection[str] = ()) -> AnswerDecoder:
        """Return a decoder for one streamed response; a mapping of `tools` to their schemas says what free text is meant for."""
        return AnswerDecoder(ReactAnswer(quirks, tools))

    def stream_encoder(self, *, response_id: str, model: str, created: int) -> ReactStreamEncoder:
        """Return an encoder for one streamed response."""
        return ReactStreamEncoder(response_id=response_id, model=model, created=created)

    def check(self, body: bytes, quirks: Quirks = NORM) -> tuple[Finding, ...]:
        """Return what a provider would refuse in a request body, or a model would misread."""
        return check(body, quirks)


DIALECT = ReAct()
