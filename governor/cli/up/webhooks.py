"""The sandbox's webhooks for the environments of a data folder: ordered here, their secrets kept for the web process."""

from __future__ import annotations

import json
from collections.abc import Sequence

from governor.cli.twin import TwinControl
from governor.cli.up.data_folder import DataFolder, write_secret
from governor.cli.up.stack import SANDBOX_KEY
from governor.domain.errors import Unavailable
from governor.ports.provider import EVENT_TYPES
from governor.webhook_secrets import read_secrets_file


def order_webhooks(folder: DataFolder, sandbox_url: str, url: str, environments: Sequence[str]) -> list[str]:
    """Have events brought to each environment at `url`, and nowhere that an earlier start has named.

    Returns those that get none because the sandbox has too many endpoints, as Stripe has.
    """
    with TwinControl(sandbox_url) as twin:
        twin.forget_events(SANDBOX_KEY)
    write_secret(folder.webhook_secrets, "{}")
    return [name for name in environments if not order_webhook(folder, sandbox_url, url, name)]


def order_webhook(folder: DataFolder, sandbox_url: str, url: str, environment: str) -> bool:
    """Have events brought to one environment; False when the sandbox refuses.

    The web process reads the secrets at each webhook, so that it need not be started again.
    """
    address = f"{url}/webhooks/stripe/{environment}"
    try:
        with TwinControl(sandbox_url) as twin:
            secret = twin.bring_events(SANDBOX_KEY, address, environment, EVENT_TYPES)
    except Unavailable:
        return False
    known = {**read_secrets_file(folder.webhook_secrets), environment: [secret]}
    write_secret(folder.webhook_secrets, json.dumps(known, indent=2))
    return True
