"""Tables for people who look something up: codes, routes, settings and commands, each from the table in the code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, SecretStr
from pydantic_core import PydanticUndefined

from governor.api.app import ROUTES
from governor.api.permissions import ALLOWED
from governor.api.problems import PROBLEMS
from governor.cli.docs.markdown import code, table
from governor.cli.main import COMMANDS
from governor.domain.credentials import Role
from governor.domain.messages import TYPES
from governor.domain.wording import SAYS
from governor.metrics.figures import FIGURES
from governor.settings import Settings

SETTINGS: Final[Mapping[str, str]] = {
    "database_url": "The PostgreSQL, 15 or newer: `postgresql+psycopg://user:password@host/name`.",
    "redis_url": "The Redis (6.2 or newer) or Valkey: `redis://:password@host:6379/0`.",
    "pepper": "Keyed into the hashes of credentials' secrets, 32 characters at least. Without it every key is void.",
    "stripe_key": "Stripe's key, `rk_test_…` or `sk_test_…`. Any other stops the process.",
    "provider_url": "The address of the sandbox twin, https or on this machine. Unset, the provider is Stripe itself.",
    "dev_clock": "A file with a number of seconds that moves governor's clock; refused unless the provider is the twin.",
    "facts_max_age_seconds": "How old, in seconds, what we know of a payment may be before it is read again.",
    "approval_facts_max_age_seconds": "How old that may be when a refund of it is approved; older is read again first.",
    "events_poll_seconds": "Seconds between looks at the provider's list of events, for webhooks that never came.",
    "refunds_sweep_seconds": "Seconds between sweeps of all refunds of the account, whoever made them.",
    "database_pool": "Connections to the database for each process.",
    "trusted_hosts": "Comma-separated names under which the web process may be addressed.",
    "calls_per_minute": "How often one key may call the API, of each web process; beyond it the answer is a 429. 0: as often as it likes.",
    "session_idle_seconds": "How long somebody who signed in stays so without doing anything.",
    "session_seconds": "How long somebody who signed in stays so at all; then they sign in again.",
    "oidc_issuer": "The OpenID Connect provider people may sign in at, exactly as it names itself. With the next three, or not at all.",
    "oidc_client_id": "What that provider knows this installation by.",
    "oidc_client_secret_file": "A file with the secret that goes with it.",
    "oidc_redirect_url": "Where it sends people back to: `https://<this installation>/console/sign-in/oidc/callback`.",
    "oidc_groups_claim": "The claim that says which groups somebody is in.",
    "oidc_memberships": 'What groups mean here, group by group: `{"refund-approvers": {"production": ["approver"]}}`.',
    "trusted_proxies": "Comma-separated addresses of reverse proxies, whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.",
    "webhook_secrets": 'What webhooks are signed with, several at once while one is replaced: `{"test": ["whsec_…"]}`.',
    "webhook_secrets_file": "The same in a file, read at each webhook: it changes without a restart.",
    "audit_key_file": "An Ed25519 key (PEM) that signs where the audit trail ends. Give it to `cron` alone, or to `web` and `runner` too.",
    "public_url": "Where people reach the console, `https://governor.example`: links in messages lead there. Unset, they have none.",
    "endpoint_hosts": "Comma-separated names: endpoints must be at one of them or below it (`slack.com` allows `hooks.slack.com`). Unset, at any name.",
    "loopback_endpoints": "`true` lets messages go to `http://localhost` or `http://127.0.0.1`, any port, to try them; refused unless the provider is the twin.",
    "messages_kept_days": "For how many days messages are kept, with what became of each; the audit trail is kept for good.",
    "smtp_host": "The mail server that takes messages to endpoints of the kind `email`. Unset, there are none.",
    "smtp_port": "Its port.",
    "smtp_security": "`starttls`, `tls` (from the first byte), or `none`, towards this machine only.",
    "smtp_user": "Whom governor signs in as, if it must.",
    "smtp_password": "That user's password.",
    "smtp_sender": "The address that messages come from; needed with a mail server.",
}
"""What each setting is for, in words for people."""


def problems_table() -> str:
    """Every code of the JSON surface."""
    rows = [
        (code(name), str(problem.status), problem.title, "yes" if problem.retryable else "no")
        for name, problem in PROBLEMS.items()
    ]
    return table(("code", "status", "title", "same request again?"), rows)


def routes_table() -> str:
    """Every route of the JSON surface that needs a key, and whose."""
    rows = [
        (
            code(f"{route.method} {route.rule}"),
            route.summary,
            ", ".join(role for role in Role if role in ALLOWED[route.method, route.rule]),
        )
        for route in ROUTES
    ]
    return table(("call", "what it does", "for"), rows)


def settings_table() -> str:
    """Every setting that governor's processes read."""
    rows = [
        (code(f"GOVERNOR_{name.upper()}"), SETTINGS[name], _default(name)) for name in Settings.model_fields
    ]
    return table(("variable", "what it is", "default"), rows)


def _default(name: str) -> str:
    field = Settings.model_fields[name]
    if field.default is PydanticUndefined:
        return "none, must be set" + (" (secret)" if field.annotation is SecretStr else "")
    if field.default is None:
        return "none"
    spelled = field.default.model_dump_json() if isinstance(field.default, BaseModel) else str(field.default)
    return code(spelled)


def messages_table() -> str:
    """Every type of message, and what is said of the object that its `data.id` names."""
    return table(("type", "its object …"), [(code(name), SAYS[name]) for name in sorted(TYPES)])


def commands_table() -> str:
    """Every command."""
    return table(
        ("command", "what it does"),
        [(code(f"governor {name}"), command.says) for name, command in COMMANDS.items()],
    )


def figures_table() -> str:
    """Every figure that Prometheus is shown."""
    rows = [(code(name), ", ".join(figure.labels), figure.says) for name, figure in FIGURES.items()]
    return table(("figure", "by", "what it says"), rows)
