"""Building the rooms that take several parts of their own, for governor.bootstrap: the trail, people, messages, webhooks, oversight."""

from __future__ import annotations

import time
from datetime import timedelta

from sqlalchemy import Engine

from adapters.ids import TypeIds
from adapters.oidc.provider import OidcProvider
from adapters.outbound.box import PepperBox
from adapters.outbound.couriers import couriers
from adapters.outbound.mail import MailServer
from adapters.passwords import Argon2Passwords, TotpCodes
from adapters.signatures import SigningKey, VerifyingKeys
from adapters.sql.background import SqlBackgrounds
from adapters.sql.figures import SqlFigures
from adapters.sql.inbox import SqlInbox
from adapters.sql.outgoing import SqlOutgoing
from adapters.sql.people import SqlPeople
from adapters.sql.processes import SqlProcesses
from adapters.sql.trail_care import SqlTrailCares
from adapters.sql.unit_of_work import SqlUnitOfWork
from adapters.stripe.access import StripeAccess
from adapters.stripe.background import StripeBackground
from adapters.stripe.events import StripeWebhookReader
from adapters.this_process import this_process
from governor.domain.endpoints import Reach
from governor.domain.people import Lifetimes
from governor.domain.processes import ProcessKind
from governor.settings import Settings
from governor.usecases.audit_trail import AuditTrail, audit_trail
from governor.usecases.catch_up import CatchUp
from governor.usecases.manage_credentials import ManageCredentials
from governor.usecases.messages import Messages
from governor.usecases.messages import messages as messages_of
from governor.usecases.oversight import Oversight
from governor.usecases.people import People, people_of
from governor.usecases.read_background import ReadBackground
from governor.usecases.record_provider_event import RecordProviderEvent
from governor.usecases.say_alive import SayAlive
from governor.usecases.see_last_day import SeeLastDay
from governor.usecases.see_processes import SeeProcesses
from governor.usecases.see_provider import SeeProvider
from governor.webhook_secrets import WebhookSecrets


def pepper(settings: Settings) -> bytes:
    """What the hashes of secrets are keyed with."""
    return settings.pepper.get_secret_value().encode()


def audit(settings: Settings, store: SqlUnitOfWork) -> AuditTrail:
    """Signed with this process's key, if it has one: what others signed it can then check, too."""
    kept = SqlTrailCares(store.engine)
    if settings.audit_key_file is None:
        return audit_trail(store, kept, store.real_now, None, None)
    key = SigningKey(settings.audit_key_file)
    return audit_trail(store, kept, store.real_now, key, VerifyingKeys([key.public]))


def stripe(settings: Settings) -> StripeAccess:
    """The account that refunds are made from."""
    return StripeAccess(settings.stripe_key.get_secret_value(), settings.provider_url)


def background(settings: Settings, store: SqlUnitOfWork) -> ReadBackground:
    """Read from the provider when somebody decides, and as old as an approval's facts may be."""
    reader = StripeBackground(stripe(settings), now=store.now)
    max_age = timedelta(seconds=settings.approval_facts_max_age_seconds)
    return ReadBackground(store, SqlBackgrounds(store.engine), reader, max_age)


def people(settings: Settings, engine: Engine, store: SqlUnitOfWork) -> People:
    """With the identity provider, if one is set."""
    key = pepper(settings)
    lifetimes = Lifetimes(
        timedelta(seconds=settings.session_idle_seconds), timedelta(seconds=settings.session_seconds)
    )
    return people_of(
        SqlPeople(engine),
        store,
        Argon2Passwords(key),
        TotpCodes(key),
        TypeIds(),
        lifetimes,
        store.real_now,
        key,
        ManageCredentials(store, TypeIds(), key),
        _identity_provider(settings, store),
        settings.oidc_memberships,
    )


def messages(settings: Settings, store: SqlUnitOfWork, engine: Engine) -> Messages:
    """With the mail server, if one is set."""
    hosts = (settings.endpoint_hosts or "").split(",")
    reach = Reach(settings.loopback_endpoints, tuple(one for one in hosts if one))
    return messages_of(
        store,
        SqlOutgoing(engine, store),
        TypeIds(),
        PepperBox(pepper(settings)),
        couriers(store.real_now, _mail_server(settings), reach),
        console_url=settings.public_url,
        kept=timedelta(days=settings.messages_kept_days),
        reach=reach,
    )


def oversight(store: SqlUnitOfWork, catch_up: CatchUp) -> Oversight:
    """Of this process and of all, of the provider, and of the day."""
    processes, figures = SqlProcesses(store.engine, store), SqlFigures(store.engine)

    def alive(kind: ProcessKind) -> SayAlive:
        return SayAlive(processes, this_process(kind), time.monotonic)

    seen = (SeeProcesses(processes, store), SeeProvider(figures, catch_up), SeeLastDay(store, figures))
    return Oversight(alive, *seen)


def webhooks(settings: Settings, store: SqlUnitOfWork, inbox: SqlInbox) -> RecordProviderEvent:
    """With the secrets of the endpoints at the provider, wherever they are kept."""
    secrets = WebhookSecrets(settings.webhook_secrets_here(), settings.webhook_secrets_file)
    return RecordProviderEvent(store, inbox, StripeWebhookReader(), secrets, store.real_now)


def how_often(settings: Settings) -> tuple[timedelta, timedelta]:
    """Between looks at the provider's events, and between sweeps of its refunds."""
    events, refunds = settings.events_poll_seconds, settings.refunds_sweep_seconds
    return timedelta(seconds=events), timedelta(seconds=refunds)


def _mail_server(settings: Settings) -> MailServer | None:
    if settings.smtp_host is None or settings.smtp_sender is None:
        return None
    password = settings.smtp_password
    return MailServer(
        settings.smtp_host,
        settings.smtp_port,
        settings.smtp_sender,
        settings.smtp_security,
        settings.smtp_user,
        None if password is None else password.get_secret_value(),
    )


def _identity_provider(settings: Settings, store: SqlUnitOfWork) -> OidcProvider | None:
    client = settings.oidc_client()
    if client is None:
        return None
    return OidcProvider(client, pepper(settings), store.real_now, time.monotonic)
