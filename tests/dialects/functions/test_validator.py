"""What we write with `functions`, held against OpenAI's published description and its package's types."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from msgspec.structs import replace

from tests.dialects.chat_completions.test_captures import everything
from tests.shared import ROOT, needs_shared, shared_data
from workbench.dialects.base import Quirks
from workbench.dialects.functions import DIALECT
from workbench.dialects.spelling import forget_spelling

VARIANTS = {
    "plain": Quirks(),
    "another": Quirks(empty_content="empty", system_role="developer", max_tokens_field="max_completion_tokens", stream_usage=False),
}


@needs_shared
def test_what_is_written_is_valid_by_the_published_schemas(tmp_path: Path) -> None:
    data = shared_data()
    assert data is not None
    weather = [DIALECT.parse_request((data / f"weather/legacy.round{number}.request.json").read_bytes()) for number in (1, 2, 3)]
    forced = [replace(forget_spelling(request), options=replace(request.options, tool_choice="get_weather", stream=True)) for request in weather]
    requests = [everything(), *weather, *forced]
    for name, quirks in VARIANTS.items():
        for number, request in enumerate(requests):
            body = json.loads(DIALECT.encode_request(request, quirks).body)
            folder = tmp_path / f"{name}-{number}"
            folder.mkdir()
            capture = {"path": "/v1/chat/completions", "headers": {}, "body": body}
            (folder / "001-request.json").write_text(json.dumps(capture), encoding="utf-8")
    script = data.parent / "scripts/validate_requests.py"
    folders = sorted(str(folder) for folder in tmp_path.iterdir())
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(script), *folders], capture_output=True, text=True, env=environment, check=True, timeout=55)
    lines = [line for line in done.stdout.splitlines() if " chat " in line]
    assert len(lines) == 2 * len(requests)
    assert [line for line in lines if not line.endswith("chat spec: ok; sdk: ok")] == []
