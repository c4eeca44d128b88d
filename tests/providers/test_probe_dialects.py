"""A profile is tested in its own dialect: at its paths, with its key header, and told by its name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers.answering import KEY
from workbench.conversation.messages import DialectName
from workbench.dialects import registry
from workbench.providers.doors import DOORS
from workbench.providers.probe import ProbeLine, probe
from workbench.providers.profiles import Profile, checked
from workbench.wire.client import HttpClient
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

REFUSALS: dict[str, tuple[int, Any]] = {
    "anthropic": (400, {"type": "error", "error": {"type": "invalid_request_error", "message": "model: Field required"}}),
    "gemini": (400, {"error": {"code": 400, "message": "* GenerateContentRequest.contents: contents is not specified", "status": "INVALID_ARGUMENT"}}),
    "ollama": (400, {"error": "model is required"}),
}
UNKNOWN = {"error": {"code": 404, "message": "models/any is not found for API version v1beta", "status": "NOT_FOUND"}}


class Server:
    """Answers as a server of one dialect does; with a key, refuses every other one."""

    def __init__(self, name: DialectName, refusal: tuple[int, Any] | None = None) -> None:
        self.door, self.name = DOORS[name], name
        self.refusal = refusal or REFUSALS.get(name, (400, {"error": {"message": "you must provide a model parameter"}}))
        self.asked: list[str] = []

    async def __call__(self, request: ServerRequest) -> ServerResponse:
        self.asked.append(f"{request.method} {request.target}")
        header, value = self.door.key_pair(KEY)
        if request.header(header) != value:
            return self.says(401, {"error": {"message": "no key", "type": "authentication_error"}})
        if request.method == "GET" and request.target == self.door.models:
            return self.says(200, {"models": [{"name": "m"}]} if self.name in ("gemini", "ollama") else {"data": [{"id": "m"}]})
        if request.target == self.door.question.format(model="m"):
            return self.says(*self.refusal)
        return self.says(404, {"error": {"message": "Not Found"}})

    @staticmethod
    def says(status: int, value: Any) -> ServerResponse:
        return ServerResponse(status, (("Content-Type", "application/json"),), json.dumps(value).encode())


async def found(server: Server, model: str = "m", dialect: DialectName | None = None) -> list[ProbeLine]:
    http = HttpClient(environ={})
    async with LoopbackServer(server) as running:
        profile = checked(Profile(name="x", dialect=dialect or server.name, base_url=running.base_url))
        lines = [line async for line in probe(http, profile, key=KEY, model=model)]
    await http.aclose()
    return lines


@pytest.mark.parametrize("name", registry.names())
async def test_a_server_of_each_dialect_passes(name: DialectName) -> None:
    server = Server(name)
    lines = await found(server)
    assert [(line.check, line.outcome) for line in lines] == [("reached", "ok"), ("answers", "ok"), ("key", "ok"), ("model", "ok")]
    assert lines[1].text == f"It speaks {DOORS[name].title}"
    assert lines[3].models == ("m",)
    assert KEY not in repr(lines)


async def test_a_server_of_another_dialect_is_told_apart() -> None:
    lines = await found(Server("anthropic"), dialect="ollama")
    assert lines[-1].outcome == "failed"


async def test_a_model_that_is_not_there_is_not_an_address_that_is_not_there() -> None:
    lines = await found(Server("gemini", (404, UNKNOWN)))
    assert [(line.check, line.outcome) for line in lines][1] == ("answers", "ok")
