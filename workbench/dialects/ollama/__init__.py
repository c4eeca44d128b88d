"""Ollama's own `/api/chat`: JSON lines, whole calls whose arguments are objects, results found by their order. The codec `DIALECT`."""

from __future__ import annotations

from collections.abc import Collection

from workbench.conversation.checks import Finding
from workbench.conversation.messages import DialectName, Message, ModelRequest
from workbench.dialects.base import NORM, DecodedResponse, EncodedRequest, Quirks
from workbench.dialects.decoding import AnswerDecoder
from workbench.dialects.ollama.answer import OllamaAnswer
from workbench.dialects.ollama.request import OllamaRequestWriter, encode_request
from workbench.dialects.ollama.request_parse import parse_request
from workbench.dialects.ollama.response import OllamaStreamEncoder, decode_response, encode_response
from workbench.dialects.ollama.rules import check
from workbench.wire.framing import NdjsonReader


class Ollama:
    """The codec; see `Dialect` for what each method promises."""

    name: DialectName = "ollama"

    def encode_request(self, request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
        """Return the request as bytes."""
        return encode_request(request, quirks)

    def request_writer(self) -> OllamaRequestWriter:
        """Return what writes the requests of one conversation."""
        return OllamaRequestWriter()

    def parse_request(self, body: bytes) -> ModelRequest:
        """Return the neutral form of a request body."""
        return parse_request(body)

    def decode_response(self, body: bytes, *, status: int = 200, quirks: Quirks = NORM) -> DecodedResponse:  # noqa: ARG002 (the protocol)
        """Return the neutral form of a whole response body; of JSON lines too."""
        return decode_response(body, status=status)

    def encode_response(self, message: Message, *, response_id: str, model: str, created: int) -> bytes:  # noqa: ARG002 (the protocol)
        """Return a whole response body, without the id: Ollama gives none."""
        return encode_response(message, model=model, created=created)

    def stream_decoder(self, quirks: Quirks = NORM, tools: Collection[str] = ()) -> AnswerDecoder:  # noqa: ARG002 (the protocol)
        """Return a decoder for one streamed response."""
        return AnswerDecoder(OllamaAnswer(tools), NdjsonReader())

    def stream_encoder(self, *, response_id: str, model: str, created: int) -> OllamaStreamEncoder:  # noqa: ARG002 (the protocol)
        """Return an encoder for one streamed response."""
        return OllamaStreamEncoder(model=model, created=created)

    def check(self, body: bytes, quirks: Quirks = NORM) -> tuple[Finding, ...]:
        """Return what the server would refuse or silently do without in a request body."""
        return check(body, quirks)


DIALECT = Ollama()
