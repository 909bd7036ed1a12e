"""A small real story in one process: requests that succeed, wait, are refused, rejected and left open."""

from dataclasses import dataclass

from pydantic import SecretStr

from governor.bootstrap import Application, build
from governor.cli.up.stack import SANDBOX_KEY
from governor.domain.admission import Ask
from governor.domain.approval import Ballot, Choice
from governor.domain.credentials import Kind, Role
from governor.domain.endpoints import EndpointKind
from governor.domain.environments import Mode
from governor.domain.limits import Measure, Scope
from governor.domain.requests import RefundRequest
from governor.domain.windows import WindowKind
from governor.settings import Settings
from governor.usecases.callers import Caller, host
from governor.usecases.change_environment import EnvironmentDraft
from governor.usecases.change_limit import LimitDraft
from governor.usecases.credential_drafts import CredentialDraft
from governor.usecases.manage_endpoints import EndpointDraft
from tests.twin import Twin
from workers.drain import drain

ENVIRONMENT = "test"
PEPPER = "a pepper of more than thirty-two characters"


def settings_for(database_url: str, redis_url: str, sandbox_url: str) -> Settings:
    return Settings(
        database_url=SecretStr(database_url),
        redis_url=SecretStr(redis_url),
        pepper=SecretStr(PEPPER),
        stripe_key=SecretStr(SANDBOX_KEY),
        provider_url=sandbox_url,
    )


def limit(scope: Scope, *, cap: int, approval_above: int | None = None) -> LimitDraft:
    return LimitDraft(scope, None, Measure.AMOUNT, "usd", WindowKind.DAY, None, "UTC", cap, approval_above)


@dataclass
class Story:
    """An environment with a day limit, one agent and one approver, and verbs to play with."""

    app: Application
    twin: Twin
    agent: Caller
    approver: Caller
    keys: dict[str, str]
    asked: int = 0

    def ask(self, amount: int, payment: str | None = None) -> RefundRequest:
        """One refund request under a key of its own."""
        self.asked += 1
        paid = payment or self.twin.payment(max(amount, 100), customer="cus_1")
        ask = Ask(paid, amount, "usd", None, None, None, None)
        return self.app.request_refund(self.agent, ask, f"story-key-{self.asked}", None).request

    def send(self, request: RefundRequest) -> RefundRequest:
        """What is due is sent now, as a worker would."""
        drain(self.app, request.id)
        return self.app.queries.request(self.agent, request.id)

    def decide(self, request: RefundRequest, choice: Choice) -> RefundRequest:
        """The approver's decision on what it was shown."""
        hold, _ = self.app.queries.hold(self.approver, str(request.hold))
        key = f"decision-{request.id}"
        ballot = Ballot(choice, hold.digest, hold.version, "as told")
        return self.app.decide_hold(self.approver, hold.id, ballot, key)


def begin(database_url: str, redis_url: str, twin: Twin) -> Story:
    """The environment of a story, and nothing in it yet but its limits and keys."""
    app = build(settings_for(database_url, redis_url, twin.url))
    app.change_environment.found(ENVIRONMENT, EnvironmentDraft(Mode.ENFORCE, 100, 3600))
    drafts = (
        limit(Scope.ENVIRONMENT, cap=1_000_000, approval_above=20_000),
        limit(Scope.CUSTOMER, cap=100_000),
    )
    for number, draft in enumerate(drafts):
        app.change_limit.create(host(ENVIRONMENT), draft, f"story-limit-{number}")
    keys = {
        "agent": _key(app, Role.AGENT, Kind.PROGRAM, "ada"),
        "approver": _key(app, Role.APPROVER, Kind.HUMAN, "carla"),
        "operator": _key(app, Role.OPERATOR, Kind.HUMAN, "eve"),
    }
    agent, approver = app.authenticate(keys["agent"]), app.authenticate(keys["approver"])
    return Story(app, twin, agent, approver, keys)


def play(story: Story) -> None:
    """One request of each kind and one refund of the Dashboard, so that every sum has something in it."""
    wants = EndpointDraft(
        EndpointKind.WEBHOOK, "https://hooks.example.com/", (), ("refund_request.denied",), None
    )
    story.app.messages.endpoints.create(host(ENVIRONMENT), wants, "story-endpoint")
    story.twin.dashboard_refund(story.twin.payment(5000, customer="cus_2"), 400)
    story.app.catch_up.refunds(ENVIRONMENT)
    story.send(story.ask(1500))
    story.decide(story.ask(25_000), Choice.REJECT)
    story.send(story.decide(story.ask(30_000), Choice.APPROVE))
    story.ask(99_000)
    story.ask(21_000)
    story.ask(2_000)
    story.app.messages.tell()


def _key(app: Application, role: Role, kind: Kind, owner: str) -> str:
    return app.manage_credentials.found(ENVIRONMENT, CredentialDraft(owner, role, kind, owner))[1]
