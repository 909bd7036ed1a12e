"""What the web server loads: the surfaces over the application, built from this process's settings."""

from __future__ import annotations

import hashlib
import hmac
import time
from functools import partial

from governor.api.app import create_app
from governor.bootstrap import build
from governor.console.app import create_console
from governor.domain.processes import ProcessKind
from governor.heart import Heart, LivingApplication
from governor.http.forwarded import Forwarded
from governor.http.front import Front
from governor.http.quota import Quota
from governor.logging import configure
from governor.settings import Settings

configure()
_settings = Settings()
_hosts = _settings.trusted_hosts.split(",")


def _derived(purpose: bytes) -> bytes:
    """A key for one purpose, which all web processes of an installation have."""
    return hmac.new(_settings.pepper.get_secret_value().encode(), purpose, hashlib.sha256).digest()


_app = build(_settings)
_quota = Quota(_settings.calls_per_minute, time.monotonic) if _settings.calls_per_minute else None
_surfaces = Front(
    api=create_app(_app, trusted_hosts=_hosts, cursor_key=_derived(b"list cursors"), quota=_quota),
    console=create_console(_app, trusted_hosts=_hosts, key=_derived(b"console")),
)
application = LivingApplication(
    Forwarded(_surfaces, frozenset(_settings.trusted_proxies.split(","))),
    Heart(partial(_app.oversight.alive, ProcessKind.WEB)),
)
