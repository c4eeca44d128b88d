"""The providers that the program knows by name: where they are, which dialect they speak, and how they differ from its norm.

What depends on the model and not on the provider stands in `model_quirks`. Sources of the quirks: wire specification, sections 1 to 8.
"""

from __future__ import annotations

from workbench.dialects.base import Quirks
from workbench.providers.profiles import Profile

OLLAMA_CONTEXT_TOKENS = 32_768
"""Ollama's own default (2 to 4 thousand) cuts a list of tools off without a word."""

LLAMA_CPP = Quirks(empty_content="empty")
VLLM = Quirks(empty_content="empty", split_glued_arguments=True)
LM_STUDIO = Quirks(empty_content="empty")
OLLAMA = Quirks(context_tokens=OLLAMA_CONTEXT_TOKENS)
OLLAMA_CHAT = Quirks(empty_content="empty")

KNOWN_PROFILES: tuple[Profile, ...] = (
    Profile(
        name="openai",
        title="OpenAI",
        base_url="https://api.openai.com/v1",
        key_variable="OPENAI_API_KEY",
        quirks=Quirks(max_tokens_field="max_completion_tokens"),
        can_see_images=True,
    ),
    Profile(
        name="openai-responses",
        title="OpenAI (Responses)",
        base_url="https://api.openai.com/v1",
        dialect="responses",
        key_variable="OPENAI_API_KEY",
        can_see_images=True,
    ),
    Profile(
        name="anthropic",
        title="Anthropic",
        base_url="https://api.anthropic.com",
        dialect="anthropic",
        key_variable="ANTHROPIC_API_KEY",
        can_see_images=True,
    ),
    Profile(
        name="google",
        title="Google Gemini",
        base_url="https://generativelanguage.googleapis.com",
        dialect="gemini",
        key_variable="GEMINI_API_KEY",
        can_see_images=True,
    ),
    Profile(
        name="google-openai",
        title="Google Gemini (Chat Completions)",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_variable="GEMINI_API_KEY",
        can_see_images=True,
    ),
    Profile(
        name="deepseek",
        title="DeepSeek",
        base_url="https://api.deepseek.com",
        key_variable="DEEPSEEK_API_KEY",
        quirks=Quirks(reasoning_replay="with_calls"),
    ),
    Profile(
        name="dashscope",
        title="DashScope (Qwen)",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        key_variable="DASHSCOPE_API_KEY",
        quirks=Quirks(empty_content="empty"),
    ),
    Profile(
        name="moonshot",
        title="Moonshot (Kimi)",
        base_url="https://api.moonshot.cn/v1",
        key_variable="MOONSHOT_API_KEY",
        quirks=Quirks(reasoning_replay="with_calls"),
    ),
    Profile(
        name="mistral",
        title="Mistral",
        base_url="https://api.mistral.ai/v1",
        key_variable="MISTRAL_API_KEY",
        quirks=Quirks(call_id_format="mistral", result_name=True, stream_usage=False, reasoning_replay="always"),
    ),
    Profile(name="groq", title="Groq", base_url="https://api.groq.com/openai/v1", key_variable="GROQ_API_KEY"),
    Profile(
        name="openrouter",
        title="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        key_variable="OPENROUTER_API_KEY",
        quirks=Quirks(reasoning_replay="always"),
    ),
    Profile(name="xai", title="xAI", base_url="https://api.x.ai/v1", key_variable="XAI_API_KEY", can_see_images=True),
)
