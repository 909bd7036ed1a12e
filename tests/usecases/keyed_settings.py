"""Verbs with a key about everything but refund requests, each said once with all that can be said, and what its key names."""

from datetime import datetime, time, timedelta, timezone

from governor.domain.credentials import Kind, Role
from governor.domain.endpoints import EndpointKind
from governor.domain.limits import Measure, Scope
from governor.domain.rules import Conditions, Consequence, Cumulative, Hours, RuleEffect, RuleMode, Weekday
from governor.domain.windows import WindowKind
from governor.usecases.change_limit import LimitDraft
from governor.usecases.credential_drafts import CredentialDraft
from governor.usecases.freeze import FreezeDraft
from governor.usecases.grant_membership import MembershipDraft
from governor.usecases.manage_endpoints import EndpointDraft
from governor.usecases.rule_drafts import RuleDraft
from governor.usecases.stand_ins import StandInDraft
from tests.builders import limit_draft
from tests.freezing import freeze as frozen_first
from tests.usecases.keyed_requests import KEY, Named, Stage
from tests.usecases.people import Staff

SOME_DAY = datetime(2030, 5, 4, 12, tzinfo=timezone(timedelta(hours=2)))


def freeze(on: Stage) -> Named:
    on.world.app.freeze_refunds.freeze(on.operator, FreezeDraft(Scope.CUSTOMER, "cus_1", "too many"), KEY)
    said = {"scope": "customer", "value": "cus_1", "reason": "too many"}
    return f"freeze:{on.operator.credential.id}", said


def unfreeze(on: Stage) -> Named:
    frozen_first(on.world, Scope.PAYMENT, "pi_1")
    on.world.app.freeze_refunds.unfreeze(on.operator, FreezeDraft(Scope.PAYMENT, "pi_1", "found"), KEY)
    return f"unfreeze:{on.operator.credential.id}", {"scope": "payment", "value": "pi_1", "reason": "found"}


def limit(on: Stage) -> Named:
    draft = limit_draft(5, scope=Scope.CASE, value="zd-7", measure=Measure.COUNT)
    on.world.app.change_limit.create(on.operator, draft, KEY, "for the fair")
    what = {"scope": "case", "value": "ZD-7", "measure": "count", "currency": None, "cap": 5}
    window = {"window": "day", "window_days": None, "time_zone": "UTC"}
    return "limit", {**what, **window, "approval_above": None, "reason": "for the fair"}


def confirmation(on: Stage) -> Named:
    limit, change = on.raised()
    second = on.world.caller(Role.OPERATOR, "second", kind=Kind.HUMAN)
    on.world.app.confirm_limit_change.confirm(second, limit.id, change, "seen", KEY)
    said = {"limit": limit.id, "change": change, "reason": "seen"}
    return f"limit_change_confirm:{second.credential.id}", said


def withdrawal(on: Stage) -> Named:
    limit, change = on.raised()
    on.world.app.confirm_limit_change.withdraw(on.operator, limit.id, change, "no", KEY)
    said = {"limit": limit.id, "change": change, "reason": "no"}
    return f"limit_change_withdraw:{on.operator.credential.id}", said


def rule(on: Stage) -> Named:
    hours = Hours(time(22), time(6, 30), (Weekday.SAT, Weekday.SUN), "Europe/Zurich")
    summed = Cumulative(Scope.CUSTOMER, Measure.AMOUNT, WindowKind.ROLLING, 7, "UTC", 10_000)
    facts = Conditions("usd", 500, ("duplicate",), 30, Kind.PROGRAM, first_refund=False)
    when = Conditions(**vars(facts) | {"hours": hours, "cumulative": summed})
    then = Consequence(RuleEffect.APPROVAL, 2, ("lea", "sam"), 3600)
    draft = RuleDraft("nights", RuleMode.DRY_RUN, SOME_DAY, when, then)
    on.world.app.rules.change.create(on.operator, draft, KEY)
    facts_said = {"currency": "usd", "amount_at_least": 500, "reasons": ["duplicate"], "requester": "program"}
    days = {"payment_days_at_least": 30, "first_refund": False}
    at_night = {"begins": "22:00", "ends": "06:30", "weekdays": ["sat", "sun"]}
    added = {"scope": "customer", "measure": "amount", "window": "rolling", "window_days": 7}
    sums = {
        "hours": {**at_night, "time_zone": "Europe/Zurich"},
        "cumulative": {**added, "time_zone": "UTC", "at_least": 10_000},
    }
    follows = {"effect": "approval", "quorum": 2, "approvers": ["lea", "sam"], "expires_seconds": 3600}
    said = {"name": "nights", "mode": "dry_run", "starts_at": "2030-05-04T12:00:00+02:00"}
    return "rule", {**said, "when": {**facts_said, **days, **sums}, "then": follows}


def credential(on: Stage) -> Named:
    cap = LimitDraft(Scope.CREDENTIAL, None, Measure.AMOUNT, "usd", WindowKind.DAY, None, "UTC", 900, None)
    until = on.world.app.store.now() + timedelta(days=1)
    draft = CredentialDraft("below", None, expires_at=until, caps=(cap,))
    on.world.app.manage_credentials.create(on.agent, draft, KEY)
    capped = {"scope": "credential", "value": None, "measure": "amount", "currency": "usd", "cap": 900}
    window = {"window": "day", "window_days": None, "time_zone": "UTC", "approval_above": None}
    said = {"name": "below", "role": None, "expires_at": until.isoformat().replace("+00:00", "Z")}
    return f"credential:{on.agent.credential.id}", {**said, "caps": [capped | window]}


def approvers_credential(on: Stage) -> Named:
    draft = CredentialDraft(
        "lea", Role.APPROVER, Kind.HUMAN, "lea", "lea", approve_up_to={"usd": 5, "eur": 4}
    )
    on.world.app.manage_credentials.create(on.operator, draft, KEY)
    said = {"name": "lea", "role": "approver", "kind": "human", "owner": "lea", "agent": "lea"}
    return f"credential:{on.operator.credential.id}", {**said, "approve_up_to": {"eur": 4, "usd": 5}}


def rotation(on: Stage) -> Named:
    mine = on.agent.credential.id
    on.world.app.manage_credentials.rotate(on.agent, mine, timedelta(minutes=10), KEY)
    return f"rotation:{mine}", {"rotate": mine, "overlap_seconds": 600}


def membership(on: Stage) -> Named:
    Staff(on.world).person("lea")
    draft = MembershipDraft("lea", Role.APPROVER, {"usd": 5}, SOME_DAY)
    on.world.app.people.grant(on.operator, draft, KEY)
    said = {"login": "lea", "role": "approver", "approve_up_to": {"usd": 5}}
    return f"membership:{on.operator.credential.id}", {**said, "expires_at": "2030-05-04T10:00:00Z"}


def stand_in(on: Stage) -> Named:
    on.world.approver("sam", owner="sam")
    ends = on.world.app.store.now() + timedelta(days=1)
    on.world.app.stand_ins(on.approver, StandInDraft("sam", None, ends), KEY)
    said = {"stand_in": "sam", "from": None, "to": ends.isoformat().replace("+00:00", "Z")}
    return f"stand_in:{on.approver.credential.id}", said


def webhook(on: Stage, key: str) -> str:
    types = ("refund_request.succeeded", "refund_request.denied", "refund_request.denied")
    draft = EndpointDraft(EndpointKind.WEBHOOK, "https://hooks.example.com/", (), types, "ours")
    return on.world.app.messages.endpoints.create(on.operator, draft, key).endpoint.id


def endpoint(on: Stage) -> Named:
    webhook(on, KEY)
    where = {"kind": "webhook", "url": "https://hooks.example.com/", "to": [], "description": "ours"}
    types = ["refund_request.denied", "refund_request.succeeded"]
    return f"endpoint:{on.operator.credential.id}", {**where, "types": types}


def endpoint_rotation(on: Stage) -> Named:
    endpoint = webhook(on, "another-key")
    on.world.app.messages.endpoints.rotate(on.operator, endpoint, timedelta(minutes=10), KEY)
    return f"endpoint-rotation:{on.operator.credential.id}", {"endpoint": endpoint, "seconds": 600}


def endpoint_test(on: Stage) -> Named:
    endpoint = webhook(on, "another-key")
    on.world.app.messages.endpoints.test(on.operator, endpoint, KEY)
    return f"endpoint-test:{on.operator.credential.id}", {"endpoint": endpoint}


def replay(on: Stage) -> Named:
    messages, endpoint = on.world.app.messages, webhook(on, "another-key")
    messages.endpoints.test(on.operator, endpoint, "another-key")
    while messages.tell():
        pass
    delivery = messages.see.deliveries(on.operator, endpoint, at_most=1)[0]
    messages.endpoints.replay(on.operator, endpoint, delivery.message, KEY)
    return f"replay:{on.operator.credential.id}", {"endpoint": endpoint, "message": delivery.message}


def run(on: Stage) -> Named:
    on.world.app.long_work.runs.begin(on.operator, "reconcile", {"currency": "usd"}, KEY)
    said = {"kind": "reconcile", "parameters": {"currency": "usd"}}
    return f"run:{on.operator.credential.id}", said
