"""Everything that comes from outside the code, in one frozen object. Names begin with GOVERNOR_."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, FilePath, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from governor.domain.on_the_way import private_on_the_way
from governor.group_memberships import GroupMemberships
from governor.ports.identity import Client
from governor.webhook_secrets import Secrets, read_secrets, read_secrets_file


class Settings(BaseSettings):
    """Read from the environment and checked at the start; what cannot be used stops the process at once."""

    model_config = SettingsConfigDict(
        env_prefix="GOVERNOR_", frozen=True, extra="ignore", secrets_dir=None, hide_input_in_errors=True
    )

    database_url: SecretStr
    redis_url: SecretStr
    pepper: SecretStr = Field(min_length=32)
    """Keyed into the hashes of credentials' secrets; not in the database."""
    stripe_key: SecretStr
    provider_url: str | None = None
    """Only set for the sandbox twin; Stripe itself is reached without it."""
    dev_clock: Path | None = None
    facts_max_age_seconds: int = Field(default=60, ge=0, le=3600)
    approval_facts_max_age_seconds: int = Field(default=900, ge=0, le=86400)
    """15 minutes: a payment is refunded elsewhere, or disputed, while an approver reads."""
    events_poll_seconds: int = Field(default=300, ge=5, le=3600)
    refunds_sweep_seconds: int = Field(default=3600, ge=5, le=86400)
    database_pool: int = Field(default=16, ge=2, le=64)
    trusted_hosts: str = "127.0.0.1,localhost,[::1]"
    """Comma-separated names under which this service may be addressed."""
    trusted_proxies: str = "127.0.0.1,::1"
    """Comma-separated addresses of reverse proxies, which are believed who calls them and how (governor.http.forwarded)."""

    calls_per_minute: int = Field(default=1200, ge=0, le=1_000_000)
    """How often one key may call each web process: twenty times a second, all day. 0: as often as it likes."""

    session_idle_seconds: int = Field(default=1800, ge=60, le=86400)
    """How long a person's session lives without being used; 30 minutes as ASVS and NIST ask of what handles money."""
    session_seconds: int = Field(default=43200, ge=300, le=604800)
    """How long it lives at all: a working day."""

    oidc_issuer: str | None = None
    """The OpenID Connect provider that people may sign in at, as it spells itself; this and the next three, or none."""
    oidc_client_id: str | None = None
    oidc_client_secret_file: FilePath | None = None
    oidc_redirect_url: str | None = None
    """Where the provider sends people back to: this installation's /console/sign-in/oidc/callback."""
    oidc_groups_claim: str = "groups"
    oidc_memberships: GroupMemberships = GroupMemberships({})

    webhook_secrets: SecretStr | None = None
    """JSON: for each environment a list of the secrets that its webhooks are signed with."""
    webhook_secrets_file: Path | None = None
    """The same in a file, which may change at any time."""

    audit_key_file: FilePath | None = None
    """Ed25519 private key (PEM) that signs where the audit trail ends; `governor audit keygen` makes one."""

    public_url: str | None = Field(default=None, pattern=r"^https?://[^\s/?#@]+/?$")
    """Where people reach the console: links in messages lead there."""
    endpoint_hosts: str | None = Field(
        default=None, pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)*(,[a-z0-9-]+(\.[a-z0-9-]+)*)*$"
    )
    """Comma-separated names under which endpoints must be; without it they may be anywhere."""
    messages_kept_days: int = Field(default=180, ge=7, le=3650)
    """A week at least: a message is on its way for three days, and people replay one that got lost on a weekend."""
    loopback_endpoints: bool = False
    """Lets messages go to this machine over HTTP, to try them."""
    smtp_host: str | None = None
    smtp_port: int = Field(default=587, ge=1, le=65535)
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    smtp_user: str | None = None
    smtp_password: SecretStr | None = None
    smtp_sender: str | None = Field(default=None, pattern=r"^[!-?A-~]+@[A-Za-z0-9.-]+$")

    @model_validator(mode="after")
    def _refuse_what_is_unsafe(self) -> Self:
        if not self.stripe_key.get_secret_value().startswith(("sk_test_", "rk_test_")):
            raise ValueError("GOVERNOR_STRIPE_KEY must be a test-mode key (sk_test_ or rk_test_)")
        if not self.database_url.get_secret_value().startswith("postgresql+psycopg://"):
            raise ValueError("GOVERNOR_DATABASE_URL must begin with postgresql+psycopg://")
        if self.provider_url is not None and not private_on_the_way(self.provider_url):
            raise ValueError("GOVERNOR_PROVIDER_URL must be https, or of this machine: the key is sent to it")
        if _trusts_anybody(self.redis_url.get_secret_value()):
            raise ValueError("GOVERNOR_REDIS_URL must leave the check of certificates on")
        if self.dev_clock is not None and self.provider_url is None:
            raise ValueError("GOVERNOR_DEV_CLOCK is refused unless the provider is the sandbox")
        if self.loopback_endpoints and self.provider_url is None:
            raise ValueError("GOVERNOR_LOOPBACK_ENDPOINTS is refused unless the provider is the sandbox")
        if self.smtp_host is not None and self.smtp_sender is None:
            raise ValueError("GOVERNOR_SMTP_SENDER is needed with GOVERNOR_SMTP_HOST")
        if self.smtp_security == "none" and self.smtp_host not in {None, "localhost", "127.0.0.1"}:
            raise ValueError("GOVERNOR_SMTP_SECURITY is none only towards this machine")
        self._refuse_half_a_provider()
        # What is wrong with these stops the process now, and not the first webhook.
        self.webhook_secrets_here()
        if self.webhook_secrets_file is not None:
            read_secrets_file(self.webhook_secrets_file)
        return self

    def oidc_client(self) -> Client | None:
        """What the identity provider knows this installation by, if one is set."""
        if self.oidc_client_secret_file is None:
            return None
        return Client(
            issuer=str(self.oidc_issuer),
            client_id=str(self.oidc_client_id),
            client_secret=self.oidc_client_secret_file.read_text(encoding="utf-8").strip(),
            redirect_url=str(self.oidc_redirect_url),
            groups_claim=self.oidc_groups_claim,
        )

    def _refuse_half_a_provider(self) -> None:
        named = (
            self.oidc_issuer,
            self.oidc_client_id,
            self.oidc_client_secret_file,
            self.oidc_redirect_url,
        )
        if any(named) and not all(named):
            raise ValueError(
                "GOVERNOR_OIDC_ISSUER, _CLIENT_ID, _CLIENT_SECRET_FILE and _REDIRECT_URL go together"
            )
        for url in (self.oidc_issuer, self.oidc_redirect_url):
            if url is not None and not private_on_the_way(url):
                raise ValueError("GOVERNOR_OIDC_ISSUER and _REDIRECT_URL must be https, or on this machine")

    def webhook_secrets_here(self) -> Secrets:
        """The secrets that the setting names itself."""
        named = self.webhook_secrets
        return {} if named is None else read_secrets(named.get_secret_value())


def _trusts_anybody(url: str) -> bool:
    """Whether a Redis URL switches off that the server has to prove who it is."""
    asked = {name: value.lower() for name, value in parse_qsl(urlsplit(url).query)}
    return asked.get("ssl_cert_reqs", "required") != "required" or asked.get(
        "ssl_check_hostname", "true"
    ) not in {
        "true",
        "yes",
        "1",
    }
