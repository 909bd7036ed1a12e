"""The world of one seed: an environment with its limits and people, a provider with its payments, and the faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

from adapters.memory.inbox import MemoryInbox
from adapters.memory.outbox import MemoryOutbox
from adapters.memory.provider import MemoryProvider
from adapters.memory.unit_of_work import MemoryUnitOfWork
from governor.domain.admission import Ask
from governor.domain.credentials import Kind, Role
from governor.domain.environments import Mode
from governor.domain.limits import Measure, Scope
from governor.domain.windows import WindowKind
from governor.ports.store import UnitOfWork
from governor.sim.clock import SimClock
from governor.sim.network import Network
from governor.sim.ports import SimDoorbell, SimIds, SteppedInbox, SteppedStore
from governor.sim.process import Process, process
from governor.sim.stage import Stage
from governor.sim.swarm import Swarm
from governor.usecases.callers import Caller
from governor.usecases.change_environment import TEST_RATE_PER_SECOND, EnvironmentDraft
from governor.usecases.change_limit import LimitDraft
from governor.usecases.credential_drafts import CredentialDraft

ENVIRONMENT = "sim"
CROWDS = (1, 3, 10, 40)
"""How many operation keys clients make up: the fewer, the more happens to each request."""
CUSTOMERS = ("cus_1", "cus_2", None)
CASES = ("ZD-1", "ZD-2", None, None)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe")
"""The last one moves its clocks by half an hour."""
AMOUNTS = (100, 250, 400, 400, 700, 1100)
CAPS = (400, 900, 1500, 2500, 6000)


@dataclass
class World:
    """Everything there is. `random` is the seed's; its faults end with `calm_down`.

    `through` is what processes reach the store through: a test compares another store with it there.
    """

    random: Random
    swarm: Swarm
    through: Callable[[MemoryUnitOfWork], UnitOfWork] = lambda store: store
    store: MemoryUnitOfWork = field(init=False)
    provider: MemoryProvider = field(init=False)
    stage: Stage = field(default_factory=Stage)
    clock: SimClock = field(default_factory=SimClock)
    agents: list[Caller] = field(init=False)
    approvers: list[Caller] = field(init=False)
    operator: Caller = field(init=False)
    second_operator: Caller = field(init=False)
    payments: list[str] = field(init=False)
    asked: dict[str, tuple[Caller, Ask]] = field(default_factory=dict)
    """What clients have asked for so far, by operation key."""
    answered: dict[str, str] = field(default_factory=dict)
    """Which request each operation key was told to be."""
    trace: list[str] = field(default_factory=list)
    """What happened, in order."""
    watch: Callable[[], None] = lambda: None
    """Called after every atom: whoever judges looks."""

    def __post_init__(self) -> None:
        """Build it; nothing can go wrong yet."""
        self.store = MemoryUnitOfWork(self.clock.now)
        self.provider = MemoryProvider(self.clock.true_now)
        self.stepped = SteppedStore(self.through(self.store), self.stage, Swarm(), self.random)
        self.inbox = MemoryInbox(self.store.tables, self.clock.now)
        self.stepped_inbox = SteppedInbox(self.inbox, self.stage)
        self.network = Network(self.provider, self.stage, self.clock, Swarm(), self.random)
        self.network.transaction_open = lambda: self.store.open
        self.doorbell = SimDoorbell(self.stage, Swarm(), self.random)
        self.outbox = MemoryOutbox(self.store.tables, self.clock.now)
        self.ids = SimIds()
        self.crowd = self.random.choice(CROWDS)
        self._populate()
        self._set_faults(self.swarm)

    def process(self) -> Process:
        """A process that has just started and knows nothing."""
        return process(self.stepped, self.stepped_inbox, self.network, self.clock, self.ids)

    def calm_down(self) -> None:
        """From now on nothing goes wrong."""
        self.clock.wrong_by = abs(self.clock.wrong_by)
        self.swarm = Swarm()
        self._set_faults(self.swarm)

    def _set_faults(self, faults: Swarm) -> None:
        self.stepped.faults = self.network.faults = self.doorbell.faults = faults

    # What there is in the beginning

    def _populate(self) -> None:
        here, draw = self.process(), self.random
        hours = draw.choice((1, 24, 72))
        draft = EnvironmentDraft(Mode.ENFORCE, TEST_RATE_PER_SECOND, hours * 3600)
        here.change_environment.found(ENVIRONMENT, draft)
        self.operator = self._person(here, "olga", Role.OPERATOR)
        self.second_operator = self._person(here, "otto", Role.OPERATOR)
        self.agents = [self._person(here, name, Role.AGENT) for name in ("ada", "bot")]
        self.approvers = [self._person(here, name, Role.APPROVER) for name in ("eve", "fred")]
        self.payments = [
            self.provider.add_payment(draw.choice((700, 1500, 5000)), customer=draw.choice(CUSTOMERS))
            for _ in range(draw.randint(2, 4))
        ]
        whole = replace(self.limit_draft(), scope=Scope.ENVIRONMENT, value=None, cap=max(CAPS))
        for number, limit in enumerate((whole, *(self.limit_draft() for _ in range(draw.randint(1, 3))))):
            here.change_limit.create(self.operator, limit, f"limit-{number:08d}")

    def _person(self, here: Process, name: str, role: Role) -> Caller:
        draft = CredentialDraft(name, role, Kind.HUMAN, name)
        credential, _ = here.manage_credentials.found(ENVIRONMENT, draft)
        return Caller(credential, (credential,))

    def new_agent(self, here: Process) -> Caller:
        """Somebody whose key nobody has revoked yet."""
        return self._person(here, f"ada{len(self.agents)}", Role.AGENT)

    def new_key(self, word: str) -> str:
        """An operation key that nobody has used."""
        return f"{word}-{self.random.getrandbits(40):010x}"

    def limit_draft(self) -> LimitDraft:
        """A limit of any kind."""
        draw = self.random
        measure = draw.choice((Measure.AMOUNT, Measure.AMOUNT, Measure.COUNT))
        amount = measure is Measure.AMOUNT
        window = draw.choice(tuple(WindowKind))
        return LimitDraft(
            scope=draw.choice(tuple(Scope)),
            value=None,
            measure=measure,
            currency="usd" if amount else None,
            window=window,
            window_days=draw.choice((2, 7, 30)) if window is WindowKind.ROLLING else None,
            time_zone=draw.choice(ZONES),
            cap=draw.choice(CAPS) if amount else draw.randint(1, 8),
            approval_above=draw.choice((None, None, 200, 500)) if amount else None,
        )
