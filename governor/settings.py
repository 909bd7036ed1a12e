"""Everything that comes from outside the code, in one frozen object. Names begin with GOVERNOR_."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, FilePath, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

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
    events_poll_seconds: int = Field(default=300, ge=5, le=3600)
    refunds_sweep_seconds: int = Field(default=3600, ge=5, le=86400)
    database_pool: int = Field(default=16, ge=2, le=64)
    trusted_hosts: str = "127.0.0.1,localhost,[::1]"
    """Comma-separated names under which this service may be addressed."""

    session_idle_seconds: int = Field(default=1800, ge=60, le=86400)
    """How long a person's session lives without being used; 30 minutes as ASVS and NIST ask of what handles money."""
    session_seconds: int = Field(default=43200, ge=300, le=604800)
    """How long it lives at all: a working day."""

    webhook_secrets: SecretStr | None = None
    """JSON: for each environment a list of the secrets that its webhooks are signed with."""
    webhook_secrets_file: Path | None = None
    """The same in a file, which may change at any time."""

    audit_key_file: FilePath | None = None
    """Ed25519 private key (PEM) that signs where the audit trail ends; `governor audit keygen` makes one."""

    public_url: str | None = Field(default=None, pattern=r"^https?://[^\s/?#@]+/?$")
    """Where people reach the console: links in messages lead there."""
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
        if self.dev_clock is not None and self.provider_url is None:
            raise ValueError("GOVERNOR_DEV_CLOCK is refused unless the provider is the sandbox")
        if self.loopback_endpoints and self.provider_url is None:
            raise ValueError("GOVERNOR_LOOPBACK_ENDPOINTS is refused unless the provider is the sandbox")
        if self.smtp_host is not None and self.smtp_sender is None:
            raise ValueError("GOVERNOR_SMTP_SENDER is needed with GOVERNOR_SMTP_HOST")
        if self.smtp_security == "none" and self.smtp_host not in {None, "localhost", "127.0.0.1"}:
            raise ValueError("GOVERNOR_SMTP_SECURITY is none only towards this machine")
        # What is wrong with these stops the process now, and not the first webhook.
        self.webhook_secrets_here()
        if self.webhook_secrets_file is not None:
            read_secrets_file(self.webhook_secrets_file)
        return self

    def webhook_secrets_here(self) -> Secrets:
        """The secrets that the setting names itself."""
        named = self.webhook_secrets
        return {} if named is None else read_secrets(named.get_secret_value())
