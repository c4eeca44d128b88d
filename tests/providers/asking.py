"""Our client for a server of models that nobody here wrote, with short but real waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from tests.providers.answering import PLACE, Bench
from workbench.conversation.assembler import Assembler
from workbench.conversation.messages import DialectName, Message, ModelRequest, RequestOptions, ToolDefinition
from workbench.conversation.stream import StreamEvent
from workbench.providers.client import ProviderModel
from workbench.providers.profiles import Profile, checked
from workbench.providers.retry import RetryPolicy

KEY = "sk-test-key"
SYSTEM = "Be brief."
WAITS_S = 20.0
READ = ToolDefinition(
    name="read_file", description="Read a file.", input_schema={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
)


class Client:
    """Our client for one dialect."""

    def __init__(self, dialect: DialectName, base_url: str, model: str) -> None:
        self.bench, self.name = Bench(), model
        profile = checked(Profile(name="judge", title="judge", dialect=dialect, base_url=base_url))
        bench = self.bench
        self.model = ProviderModel(profile, model, http=bench.http, journal=bench.journal, keeper=bench.keeper, key=_key, retry=RetryPolicy(base_s=0.1))

    async def ask(self, *messages: Message, tools: tuple[ToolDefinition, ...] = ()) -> Assembler:
        """Send a request; the assembler keeps what came, also if it ends in an error."""
        self.assembled = Assembler()
        request = ModelRequest(system=(SYSTEM,), tools=tools, messages=messages, options=RequestOptions(model=self.name, max_output_tokens=500))
        stream: AsyncGenerator[StreamEvent, None] = self.model.stream(request, PLACE)
        async with asyncio.timeout(WAITS_S), aclosing(stream) as events:
            async for event in events:
                self.assembled.add(event)
        return self.assembled

    async def aclose(self) -> None:
        """Close its connections."""
        await self.bench.http.aclose()


async def _key() -> str | None:
    return KEY
