"""What a turn costs that is written by hand: one asyncio server that streams an answer, one httpx client that reads it, one SQLite row.

The reference of bench_start.py; run as a process of its own, like the program it is compared with.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import httpx

WORDS = ["I", "am", "a", "stand-in", "for", "a", "model", "and", "say", "this", "much", "in", "one", "answer", "."]


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request with a stream."""
    head = await reader.readuntil(b"\r\n\r\n")
    size = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
    await reader.readexactly(size)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
    for word in WORDS:
        chunk = {"choices": [{"index": 0, "delta": {"content": word + " "}}]}
        writer.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        await writer.drain()
    writer.write(b"data: [DONE]\n\n")
    await writer.drain()
    writer.close()


async def turn(folder: Path) -> str:
    """Ask, read the stream, keep the answer."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/chat/completions"
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    text = ""
    async with httpx.AsyncClient(trust_env=False) as client, client.stream("POST", url, json=body) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                text += json.loads(line[6:])["choices"][0]["delta"]["content"]
    server.close()
    with closing(sqlite3.connect(folder / "turn.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE IF NOT EXISTS turn (text TEXT)")
        connection.execute("INSERT INTO turn VALUES (?)", (text,))
    return text


if __name__ == "__main__":
    print(asyncio.run(turn(Path(sys.argv[1]))))
