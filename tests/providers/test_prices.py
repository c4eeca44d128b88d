"""A price is the list's own, an unknown one is never nothing, and what runs on this machine has none."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import UTC, datetime

import genai_prices
import pytest
from msgspec.structs import replace

from tests.providers.answering import USAGE, Bench, Server, refuses, says
from workbench.conversation.exchange import Cost
from workbench.conversation.messages import ModelRequest, RequestOptions, Usage, text_message
from workbench.conversation.values import from_json, json_bytes
from workbench.errors import ProviderRefused
from workbench.providers import client
from workbench.providers.choices import ModelChoice
from workbench.providers.known_profiles import KNOWN_PROFILES
from workbench.providers.prices import context_tokens_of, cost_of, has_price
from workbench.providers.profiles import Profile, practice_profile
from workbench.wire.server import LoopbackServer

KNOWN = {profile.name: profile for profile in KNOWN_PROFILES}
AT = datetime(2026, 6, 1, 12, tzinfo=UTC).timestamp()
THOUSAND = Usage(input_tokens=1000, output_tokens=100)


async def total(profile: str, model: str, usage: Usage | None = THOUSAND) -> float | None:
    cost = await cost_of(KNOWN[profile], model, usage, at=AT)
    assert cost is not None
    return cost.total_usd


async def test_a_known_price_is_tokens_times_the_list() -> None:
    """GPT-4o: 2.50 and 10 dollars a million; a cached token is half a fresh one."""
    assert await total("openai", "gpt-4o") == pytest.approx((1000 * 2.5 + 100 * 10) / 1e6)
    cached = Usage(input_tokens=1000, output_tokens=100, cached_tokens=600)
    assert await total("openai", "gpt-4o", cached) == pytest.approx((400 * 2.5 + 600 * 1.25 + 100 * 10) / 1e6)


async def test_cached_and_written_input_of_anthropic_have_prices_of_their_own() -> None:
    """Sonnet 4.5: 3, 0.30 read, 3.75 written, 15 out; the normal form's input includes both."""
    usage = Usage(input_tokens=1000, output_tokens=100, cached_tokens=500, cache_write_tokens=100)
    assert await total("anthropic", "claude-sonnet-4-5", usage) == pytest.approx((400 * 3 + 500 * 0.3 + 100 * 3.75 + 100 * 15) / 1e6)


@pytest.mark.parametrize(
    ("profile", "model"),
    [
        ("openai-responses", "gpt-5"),
        ("google", "gemini-2.5-pro"),
        ("google-openai", "models/gemini-2.5-pro"),
        ("deepseek", "deepseek-chat"),
        ("mistral", "mistral-large-latest"),
        ("groq", "openai/gpt-oss-120b"),
        ("openrouter", "anthropic/claude-sonnet-4.5"),
        ("moonshot", "kimi-k2"),
        ("xai", "grok-4"),
    ],
)
async def test_the_known_providers_are_found_by_their_address(profile: str, model: str) -> None:
    host = KNOWN[profile].base_url
    price = genai_prices.calc_price(
        genai_prices.Usage(input_tokens=1000, output_tokens=100),
        model.removeprefix("models/"),
        provider_api_url=host,
        genai_request_timestamp=datetime.fromtimestamp(AT, UTC),
    )
    assert await total(profile, model) == pytest.approx(float(price.total_price))
    assert await total(profile, model)


@pytest.mark.parametrize(
    ("profile", "model", "usage"),
    [
        ("openai", "no-such-model", THOUSAND),
        ("dashscope", "qwen3-max", THOUSAND),
        ("openai", "whisper-1", THOUSAND),
        ("openai", "gpt-4o", None),
        ("openai", "gpt-4o", Usage(output_tokens=5)),
        ("openrouter", "openai/gpt-oss-20b:free", THOUSAND),
    ],
)
async def test_an_unknown_price_is_not_nothing(profile: str, model: str, usage: Usage | None) -> None:
    assert await cost_of(KNOWN[profile], model, usage, at=AT) == Cost()


async def test_an_own_server_elsewhere_is_not_priced_as_the_maker_of_its_model() -> None:
    lab = Profile(name="openai", base_url="https://models.lab.example/v1")
    assert await cost_of(lab, "gpt-4o", THOUSAND, at=AT) == Cost()


async def test_this_machine_has_no_prices() -> None:
    local = Profile(name="x", base_url="http://127.0.0.1:11434", dialect="ollama")
    practice = practice_profile("http://127.0.0.1:1/v1", ("m",))
    assert not has_price(local)
    assert await cost_of(local, "gpt-4o", THOUSAND, at=AT) is None
    assert await cost_of(practice, "gpt-4o", THOUSAND, at=AT) is None


async def test_counts_that_contradict_each_other_still_have_a_price() -> None:
    assert await total("openai", "gpt-4o", Usage(input_tokens=10, output_tokens=0, cached_tokens=50)) == pytest.approx(10 * 1.25 / 1e6)


async def test_the_window_of_a_model_is_the_profiles_or_the_lists() -> None:
    assert await context_tokens_of(KNOWN["anthropic"], "claude-sonnet-4-5") == 200_000
    assert await context_tokens_of(replace(KNOWN["anthropic"], context_tokens=5), "claude-sonnet-4-5") == 5
    assert await context_tokens_of(KNOWN["openai"], "no-such-model") is None
    assert await context_tokens_of(Profile(name="x", base_url="http://127.0.0.1:1"), "gpt-4o") is None


async def test_a_choice_knows_its_window_once_the_list_was_loaded() -> None:
    await total("openai", "gpt-4o")
    assert ModelChoice(KNOWN["anthropic"], "claude-sonnet-4-5").context_tokens == 200_000
    assert ModelChoice(KNOWN["openai"], "no-such-model").context_tokens is None
    assert ModelChoice(practice_profile("http://127.0.0.1:1/v1", ("m",)), "m").context_tokens == 128_000


def test_the_list_is_not_loaded_before_it_is_needed() -> None:
    code = "import workbench.app, sys; sys.exit('genai_prices' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0


async def test_the_list_is_loaded_outside_the_loops_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[object] = []
    to_thread = asyncio.to_thread

    async def noted(function: object, *arguments: object) -> object:
        used.append(function)
        return await to_thread(function, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(asyncio, "to_thread", noted)
    await total("openai", "gpt-4o")
    assert used


# What is written down


QUESTION = ModelRequest(system=(), tools=(), messages=(text_message("user", "hello"),), options=RequestOptions(model="gpt-4o"))


@pytest.fixture
def paid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a server on loopback cost what OpenAI does."""

    async def as_openai(profile: Profile, model: str, usage: Usage | None, *, at: float) -> Cost | None:
        return await cost_of(replace(profile, base_url="https://api.openai.com/v1"), model, usage, at=at)

    monkeypatch.setattr(client, "cost_of", as_openai)


@pytest.mark.usefixtures("paid")
async def test_the_cost_is_a_fact_of_the_exchange() -> None:
    bench = Bench()
    async with LoopbackServer(Server(says("chat_completions", "yes"))) as running:
        await bench.ask(bench.model(Profile(name="here", base_url=running.base_url), "gpt-4o"), QUESTION)
        await bench.http.aclose()
    cost = bench.closed[0].cost
    assert cost is not None
    assert cost.total_usd == pytest.approx((20 * 2.5 + 100 * 1.25 + 30 * 10) / 1e6), USAGE
    assert cost.priced_as == "openai/gpt-4o"
    assert cost.price_list
    assert from_json(json_bytes(bench.closed[0]), type(bench.closed[0])) == bench.closed[0]


@pytest.mark.usefixtures("paid")
async def test_a_refusal_has_no_cost() -> None:
    bench = Bench()
    async with LoopbackServer(Server(refuses(400, {"error": {"message": "bad"}}))) as running:
        with pytest.raises(ProviderRefused):
            await bench.ask(bench.model(Profile(name="here", base_url=running.base_url), "gpt-4o"), QUESTION)
        await bench.http.aclose()
    assert bench.closed[0].cost is None
