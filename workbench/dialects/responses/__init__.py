"""OpenAI Responses, stateless, as OpenAI, Azure, xAI, DeepSeek and local servers speak it: the codec `DIALECT`."""

from __future__ import annotations

from collections.abc import Collection

from workbench.conversation.checks import Finding
from workbench.conversation.messages import DialectName, Message, ModelRequest
from workbench.dialects.base import NORM, DecodedResponse, EncodedRequest, Quirks
from workbench.dialects.decoding import AnswerDecoder
from workbench.dialects.responses.answer import AnswerReader
from workbench.dialects.responses.request import ResponsesRequestWriter, encode_request
from workbench.dialects.responses.request_parse import parse_request
from workbench.dialects.responses.response import decode_response, encode_response
from workbench.dialects.responses.rules import check
from workbench.dialects.responses.stream_encoder import ResponsesStreamEncoder


class Responses:
    """The codec; see `Dialect` for what each method promises."""

    name: DialectName = "responses"

    def encode_request(self, request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
        """Return the request as bytes."""
        return encode_request(request, quirks)

    def request_writer(self) -> ResponsesRequestWriter:
        """Return what writes the requests of one conversation."""
        return ResponsesRequestWriter()

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
        """Return a decoder for one streamed response."""
        return AnswerDecoder(AnswerReader(quirks, tools))

    def stream_encoder(self, *, response_id: str, model: str, created: int) -> ResponsesStreamEncoder:
        """Return an encoder for one streamed response."""
        return ResponsesStreamEncoder(response_id=response_id, model=model, created=created)

    def check(self, body: bytes, quirks: Quirks = NORM) -> tuple[Finding, ...]:
        """Return what a provider would refuse in a request body."""
        return check(body, quirks)


DIALECT = Responses()
