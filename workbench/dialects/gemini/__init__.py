"""Google Gemini's generateContent and streamGenerateContent: the codec `DIALECT`."""

from __future__ import annotations

from collections.abc import Collection

from workbench.conversation.checks import Finding
from workbench.conversation.messages import DialectName, Message, ModelRequest
from workbench.dialects.base import NORM, DecodedResponse, EncodedRequest, Quirks
from workbench.dialects.decoding import AnswerDecoder
from workbench.dialects.gemini.answer import AnswerReader
from workbench.dialects.gemini.request import GeminiRequestWriter, encode_request
from workbench.dialects.gemini.request_parse import parse_request, with_path
from workbench.dialects.gemini.response import decode_response, encode_response
from workbench.dialects.gemini.rules import check
from workbench.dialects.gemini.stream_encoder import GeminiStreamEncoder


class Gemini:
    """The codec; see `Dialect` for what each method promises. The model and the stream switch stand in the path of a request."""

    name: DialectName = "gemini"

    def encode_request(self, request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
        """Return the request as bytes."""
        return encode_request(request, quirks)

    def request_writer(self) -> GeminiRequestWriter:
        """Return what writes the requests of one conversation."""
        return GeminiRequestWriter()

    def parse_request(self, body: bytes) -> ModelRequest:
        """Return the neutral form of a request body; its model is what the body names (mostly nothing), and its stream is off."""
        return parse_request(body)

    def with_path(self, request: ModelRequest, path: str) -> ModelRequest:
        """Return a parsed request with the model and the stream switch that its path names."""
        return with_path(request, path)

    def decode_response(self, body: bytes, *, status: int = 200, quirks: Quirks = NORM) -> DecodedResponse:
        """Return the neutral form of a whole response body."""
        return decode_response(body, status=status, quirks=quirks)

    def encode_response(self, message: Message, *, response_id: str, model: str, created: int) -> bytes:  # noqa: ARG002
        """Return a whole response body; Gemini's says nothing of when it was created."""
        return encode_response(message, response_id=response_id, model=model)

    def stream_decoder(self, quirks: Quirks = NORM, tools: Collection[str] = ()) -> AnswerDecoder:
        """Return a decoder for one streamed response."""
        return AnswerDecoder(AnswerReader(quirks, tools))

    def stream_encoder(self, *, response_id: str, model: str, created: int) -> GeminiStreamEncoder:  # noqa: ARG002
        """Return an encoder for one streamed response."""
        return GeminiStreamEncoder(response_id=response_id, model=model)

    def check(self, body: bytes, quirks: Quirks = NORM, *, model: str = "") -> tuple[Finding, ...]:
        """Return what a provider would refuse in a request body; `model`, where it is known from the path, tells Gemini 3 and later."""
        return check(body, quirks, model=model)


DIALECT = Gemini()
