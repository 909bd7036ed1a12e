"""Settings that are not safe stop a process before it has begun."""

import re

import pytest
from pydantic import ValidationError

from governor.settings import Settings
from tests.builders import settings

DATABASE, REDIS = "postgresql+psycopg://governor@127.0.0.1:1/governor", "redis://127.0.0.1:1"


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("stripe_key", "sk_live_" + "1", "must be a test-mode key"),
        ("stripe_key", "", "must be a test-mode key"),
        ("pepper", "", "at least 32 items"),
        ("pepper", "governor", "at least 32 items"),
        ("database_url", "sqlite:////mnt/nfs/governor.db", "must begin with postgresql+psycopg://"),
        ("provider_url", "http://provider.example", "must be https, or of this machine"),
        ("provider_url", "http://127.0.0.1.example.com:80", "must be https, or of this machine"),
        ("provider_url", "ftp://127.0.0.1", "must be https, or of this machine"),
        ("redis_url", "rediss://redis.example:6379/0?ssl_cert_reqs=none", "check of certificates on"),
        ("redis_url", "rediss://redis.example?ssl_cert_reqs=OPTIONAL", "check of certificates on"),
        ("redis_url", "rediss://redis.example?ssl_check_hostname=False", "check of certificates on"),
        ("dev_clock", "clock", "unless the provider is the sandbox"),
    ],
)
def test_what_is_not_safe_is_refused_in_one_line_without_its_value(
    setting: str, value: str, said: str
) -> None:
    """RELIABILITY §4.10, 190. There is no debugging to be left on and no password to be left as it came."""
    given = {"database_url": DATABASE, "redis_url": REDIS, setting: value}
    with pytest.raises(ValidationError, match=re.escape(said)) as refused:
        settings(**given)
    assert refused.value.error_count() == 1
    assert not value or value not in str(refused.value)
    assert not {name for name in Settings.model_fields if "debug" in name or "default_password" in name}


@pytest.mark.parametrize(
    "redis_url",
    [
        "rediss://redis.example:6379/0",
        "rediss://redis.example?ssl_cert_reqs=required&ssl_check_hostname=true",
    ],
)
def test_a_server_that_has_to_prove_itself_is_taken(redis_url: str) -> None:
    assert settings(DATABASE, redis_url, provider_url="https://provider.example").redis_url
