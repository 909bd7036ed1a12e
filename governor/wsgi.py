"""What the web server loads: the surfaces over the application, built from this process's settings."""

from __future__ import annotations

import hashlib
import hmac

from governor.api.app import create_app
from governor.bootstrap import build
from governor.logging import configure
from governor.settings import Settings

configure()
_settings = Settings()
application = create_app(
    build(_settings),
    trusted_hosts=_settings.trusted_hosts.split(","),
    cursor_key=hmac.new(
        _settings.pepper.get_secret_value().encode(), b"list cursors", hashlib.sha256
    ).digest(),
)
