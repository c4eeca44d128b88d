"""The sandbox that holds commands: found and tested here; what it is stands in `sandbox_shape`, how a command gets into it in `sandbox_cage`.

Fail closed: whoever asks for a sandbox and does not get one must not run the command. How each kind works stands in `sandbox_bwrap`,
`sandbox_landlock` and `sandbox_seatbelt`; what it is tested for in `sandbox_selftest`.
"""

from __future__ import annotations

from collections.abc import Mapping

from workbench.workspace.sandbox_selftest import best_sandbox
from workbench.workspace.sandbox_shape import Bounds, GuardedNames, Rung, Sandbox, SelfCheck, SelfTestReport, people_homes

__all__ = ["Bounds", "GuardedNames", "Rung", "Sandbox", "SelfCheck", "SelfTestReport", "find_sandbox", "people_homes"]


async def find_sandbox(environment: Mapping[str, str], *, fresh: bool = False) -> Sandbox:
    """Return the best sandbox that passes its self-test here; its rung is ``none`` if there is none.

    Takes a tenth of a second the first time; the result is kept in this process until the kernel, the sandbox program or the search
    path changes.

    Args:
        environment: what commands inherit; its PATH is where the sandbox program is looked for.
        fresh: test again whatever is known.
    """
    return await best_sandbox(environment, fresh=fresh)
