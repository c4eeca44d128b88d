"""What each dialect cannot carry, and the rules by which it is lost: the tables behind `losses` (wire specification, section 9)."""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NamedTuple

from workbench.conversation.messages import DialectName
from workbench.conversation.values import Value


class LossRule(NamedTuple):
    """Why something is lost.

    Attributes:
        text: one plain sentence, the same for each loss of the rule.
        matters: the model is told less than before, or something else; otherwise only the spelling differs.
    """

    text: str
    matters: bool = False


RULES: Final[dict[str, LossRule]] = {
    # Reasoning and what only its maker can read
    "reasoning-foreign": LossRule("Reasoning goes back only to the provider and model family that made it; here it is left out."),
    "reasoning-sealed": LossRule("Sealed reasoning can be read only by its maker; it is left out, and the model thinks anew.", matters=True),
    "reasoning-unsigned": LossRule("This provider takes back only reasoning that it has signed or sealed; what has no seal is left out."),
    "reasoning-not-replayed": LossRule("This provider does not want its reasoning back; it is left out."),
    "reasoning-unfollowed": LossRule("Reasoning that nothing follows in its turn is refused; it is left out."),
    "reasoning-joined": LossRule("Several thoughts of one turn become one text."),
    "signature-dropped": LossRule("The signature of another provider is worthless here; it is left out, and the model thinks anew.", matters=True),
    "opaque-foreign": LossRule("Only another provider understands this part; it is left out.", matters=True),
    # Calls
    "id-mapped": LossRule("The call's id is not allowed here, or was used before; call and result get another one."),
    "ids-by-name": LossRule("There are no call ids here: a result is tied to its call by the tool's name."),
    "ids-by-position": LossRule("Call ids are not sent here: a result is tied to its call by its position."),
    "name-changed": LossRule("The tool's name has letters that are not allowed here, or too many; it is written in another way."),
    "arguments-respelled": LossRule("The arguments go as an object, so the exact text that the model wrote is not kept; its meaning is."),
    "arguments-wrapped": LossRule("The arguments are not a JSON object; they go as the text of one member, INVALID_JSON.", matters=True),
    "calls-serialised": LossRule("Only one call fits into a turn here: the calls follow each other, each with its result."),
    "order-changed": LossRule("Here a turn is reasoning, then text, then calls; the order between them is not kept."),
    "texts-joined": LossRule("Several texts of one turn become one."),
    "text-as-thought": LossRule("Words beside a call become the thought of the turn."),
    "phase-dropped": LossRule("Whether a text is commentary or the final answer cannot be said here."),
    "custom-as-function": LossRule("A call with free text becomes a function call with one argument, input."),
    # Results
    "error-as-text": LossRule("There is no flag for a failed call here; the result's text begins with Error instead."),
    "result-made-up": LossRule("The call has no result; one that says so is made up, as each call must be answered.", matters=True),
    "result-orphan": LossRule("The result has no call to belong to; it is left out.", matters=True),
    "result-repeated": LossRule("The call has more than one result; only the first is sent.", matters=True),
    "result-moved": LossRule("The result does not stand right behind its calls; it is moved there."),
    "picture-moved": LossRule("Pictures and files cannot be in a result here; they follow the results in a message of their own."),
    "picture-dropped": LossRule("This picture cannot be sent here; a note stands in its place.", matters=True),
    "file-dropped": LossRule("This file cannot be sent here; a note stands in its place.", matters=True),
    # Messages
    "message-empty": LossRule("Nothing of this message is left that could be sent; it is left out."),
    "system-as-user": LossRule("Instructions in the middle of a conversation go as words of the user.", matters=True),
    "system-joined": LossRule("Several blocks of system text become one."),
    "cache-marks": LossRule("Marks for the provider's cache cannot be set here."),
    # Tools and settings
    "tools-as-text": LossRule("Tools are described in the prompt, and the model's calls are read from its text.", matters=True),
    "tool-foreign": LossRule("Only its own provider runs this tool; it is left out.", matters=True),
    "tool-strict": LossRule("That arguments must follow the schema exactly cannot be asked for here.", matters=True),
    "schema-reduced": LossRule("The schema uses words that are not allowed here; they are left out, so unknown arguments are possible.", matters=True),
    "tool-choice": LossRule("Which tool must be called, that one must, or that none may, cannot be said here.", matters=True),
    "tools-withheld": LossRule("That no tool may be called cannot be said here; no tools are offered instead."),
    "parallel-calls": LossRule("Whether several calls may be made at once cannot be said here."),
    "setting-stop": LossRule("Stop words cannot be given here.", matters=True),
    "setting-effort": LossRule("How much to think cannot be said here in this way."),
    "setting-temperature": LossRule("The temperature cannot be set here."),
    "setting-limit": LossRule("A limit for the answer's length cannot be set here."),
    "setting-unknown": LossRule("A setting that only another dialect knows is left out."),
}

IdTie = Literal["id", "name", "position"]
Pictures = Literal["inside", "after", "never"]
Setting = Literal["required", "named", "none", "parallel", "stop", "effort", "temperature", "limit", "strict"]

_ALL: Final[frozenset[Setting]] = frozenset({"required", "named", "none", "parallel", "stop", "effort", "temperature", "limit", "strict"})
_PLAIN_NAME = r"[a-zA-Z0-9_-]{1,64}"


class Carries(Value, kw_only=True):
    """What a dialect can carry.

    Attributes:
        families: the dialects whose opaque parts and reasoning it can write.
        tied: how a result finds its call.
        call_id: what an id must look like; only for ``tied="id"``.
        tool_name: what a tool's name must look like.
        parallel: several calls fit into one turn.
        raw_arguments: the argument text goes as it is, not as an object.
        ordered: text, reasoning and calls of a turn keep their order, and blocks stay apart.
        phases: a text says whether it is commentary.
        custom_calls: calls with free text.
        error_flag: a result can say that its call failed.
        result_pictures: where pictures and files of results go.
        files, picture_urls: files, and pictures by address, can be sent at all.
        system_anywhere: system text may stand between messages.
        system_blocks: blocks of system text stay apart.
        settings: what else can be said.
    """

    families: tuple[DialectName, ...]
    tied: IdTie = "id"
    call_id: str = r"[!-~]{1,40}"
    tool_name: str = _PLAIN_NAME
    parallel: bool = True
    raw_arguments: bool = False
    ordered: bool = False
    phases: bool = False
    custom_calls: bool = False
    error_flag: bool = False
    result_pictures: Pictures = "inside"
    files: bool = True
    picture_urls: bool = True
    system_anywhere: bool = True
    system_blocks: bool = False
    settings: frozenset[Setting] = _ALL

    def takes_id(self, call_id: str) -> bool:
        """Say whether a call may go under this id."""
        return re.fullmatch(self.call_id, call_id) is not None

    def takes_name(self, name: str) -> bool:
        """Say whether a tool may have this name."""
        return re.fullmatch(self.tool_name, name) is not None


CARRIES: Final[dict[DialectName, Carries]] = {
    "chat_completions": Carries(
        families=("chat_completions", "functions"),
        raw_arguments=True,
        custom_calls=True,
        result_pictures="after",
    ),
    "functions": Carries(
        families=("chat_completions", "functions"),
        tied="name",
        parallel=False,
        raw_arguments=True,
        result_pictures="after",
        settings=_ALL - {"required", "parallel", "strict"},
    ),
    "responses": Carries(
        families=("responses",),
        call_id=r"[!-~]{1,64}",
        raw_arguments=True,
        ordered=True,
        phases=True,
        custom_calls=True,
        settings=_ALL - {"stop"},
    ),
    "anthropic": Carries(
        families=("anthropic",),
        call_id=r"[a-zA-Z0-9_-]{1,64}",
        tool_name=r"[a-zA-Z0-9_-]{1,128}",
        ordered=True,
        error_flag=True,
        system_anywhere=False,
        system_blocks=True,
    ),
    "gemini": Carries(
        families=("gemini",),
        tied="position",
        tool_name=r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
        ordered=True,
        error_flag=True,
        system_anywhere=False,
        system_blocks=True,
        settings=_ALL - {"parallel", "strict"},
    ),
    "react": Carries(
        families=("react",),
        tied="position",
        tool_name=r"[^\s]+",
        parallel=False,
        raw_arguments=True,
        result_pictures="after",
        settings=_ALL - {"required", "named", "none", "parallel", "strict"},
    ),
    "ollama": Carries(
        families=("ollama",),
        tied="position",
        files=False,
        picture_urls=False,
        settings=_ALL - {"required", "named", "none", "parallel", "strict"},
    ),
}


_SUBSET: Final = frozenset(
    {
        *("type", "format", "title", "description", "nullable", "default", "items", "minItems", "maxItems", "enum", "properties", "propertyOrdering"),
        *("required", "minProperties", "maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern", "example", "anyOf"),
    }
)
_DEEPEST: Final = 64


def is_reduced(schema: Any, depth: int = 0) -> bool:
    """Say whether a JSON Schema uses words that Gemini's subset does not have."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return False
    if not schema.keys() <= _SUBSET:
        return True
    properties, either = schema.get("properties"), schema.get("anyOf")
    inner = [*(properties.values() if isinstance(properties, dict) else ()), *(either if isinstance(either, list) else ()), schema.get("items")]
    return any(is_reduced(one, depth + 1) for one in inner)
