"""The sandbox of this machine as a program's sessions use it: tested when it is first needed, and told to every gatekeeper."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from weakref import WeakValueDictionary

from workbench.agent.gatekeeper import Gatekeeper
from workbench.permissions.modes import GateFacts, Mode, effective_mode
from workbench.permissions.rules import RuleSet
from workbench.workspace.sandbox import Sandbox, SelfTestReport, find_sandbox
from workbench.workspace.sandbox_selftest import likely_rung, what_it_depends_on


class Confining:
    """Knows what holds commands.

    Attributes:
        sandbox: as it was found last; of rung ``none`` before that.
        facts: the same for the gate.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.sandbox = Sandbox()
        self.facts = GateFacts()
        self._environment = environment
        self._known = False
        self._depends_on: tuple[str, ...] = ()
        self._testing = asyncio.Lock()
        self._gatekeepers: WeakValueDictionary[int, Gatekeeper] = WeakValueDictionary()

    async def known(self) -> Sandbox:
        """Return the sandbox, tested the first time this is asked for and whenever its program or the kernel is another one."""
        async with self._testing:
            depends_on = await asyncio.to_thread(what_it_depends_on, self._environment)
            if not self._known or self._depends_on not in {(), depends_on}:
                self._take(await find_sandbox(self._environment))
                self._depends_on = depends_on
            return self.sandbox

    async def known_facts(self) -> GateFacts:
        """Return what the gate has to know, likewise."""
        await self.known()
        return self.facts

    async def test(self) -> SelfTestReport:
        """Test again, whatever is known; what comes of it holds for every open session at once."""
        async with self._testing:
            self._take(await find_sandbox(self._environment, fresh=True))
            return self.sandbox.report

    def tell(self, gatekeeper: Gatekeeper) -> None:
        """Tell a gatekeeper now, before each decision on a command, and whenever it is found out anew."""
        gatekeeper.facts, gatekeeper.know = self.facts, self.known_facts
        self._gatekeepers[id(gatekeeper)] = gatekeeper

    async def assume(self, gatekeeper: Gatekeeper) -> None:
        """Let a gatekeeper that only says what it would decide take what is installed for granted: that spares it the self-test."""
        if not self._known:
            rung = await asyncio.to_thread(likely_rung, self._environment)
            gatekeeper.know, gatekeeper.facts = None, facts_of(Sandbox(rung=rung))

    def _take(self, sandbox: Sandbox) -> None:
        self.sandbox, self.facts, self._known = sandbox, facts_of(sandbox), True
        for gatekeeper in self._gatekeepers.values():
            gatekeeper.facts = self.facts


class HasSandbox:
    """What a program offers of its sandbox; `confining` knows it.

    Attributes:
        confining: the one of this program.
    """

    confining: Confining

    @property
    def sandbox(self) -> Sandbox:
        """What holds commands, with the report of its self-test; of rung ``none`` until it was tested."""
        return self.confining.sandbox

    @property
    def facts(self) -> GateFacts:
        """The same for the gate."""
        return self.confining.facts

    async def find_sandbox(self) -> Sandbox:
        """Return the sandbox, tested if it is not known yet."""
        return await self.confining.known()

    async def mode_at_start(self, wanted: Mode) -> Mode:
        """Return the mode that a new session starts in: the wanted one, or the freest that can be had without a sandbox."""
        return effective_mode(wanted, RuleSet(), await self.confining.known_facts()) if wanted == "auto" else wanted

    async def test_sandbox(self) -> SelfTestReport:
        """Test it again; open sessions have the new facts when this returns."""
        return await self.confining.test()


def facts_of(sandbox: Sandbox) -> GateFacts:
    """Return what the gate has to know of a sandbox."""
    problem = sandbox.report.problem
    match sandbox.rung:
        case "bwrap" | "seatbelt":
            return GateFacts(rung=sandbox.rung, unconfined_because="")
        case "landlock":
            because = f"Auto needs a sandbox that keeps commands inside the workspace; this one does so only in part. {problem}"
            return GateFacts(rung="landlock", unconfined_because=because.strip())
        case "none":
            return GateFacts(rung="none", unconfined_because=problem or GateFacts().unconfined_because)
