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


def order_webhooks(
    folder: DataFolder, sandbox_url: str, url: str, environments: Sequence[str]
) -> dict[str, str]:
    """Have events brought to each environment at `url`, and nowhere that an earlier start has named.

    Returns those that get none, each with what the sandbox said.
    """
    with TwinControl(sandbox_url) as twin:
        twin.forget_events(SANDBOX_KEY)
    write_secret(folder.webhook_secrets, "{}")
    asked = {name: order_webhook(folder, sandbox_url, url, name) for name in environments}
    return {name: refusal for name, refusal in asked.items() if refusal is not None}


def order_webhook(folder: DataFolder, sandbox_url: str, url: str, environment: str) -> str | None:
    """Have events brought to one environment; what the sandbox said when it refuses.

    The web process reads the secrets at each webhook, so that it need not be started again.
    """
    address = f"{url}/webhooks/stripe/{environment}"
    try:
        with TwinControl(sandbox_url) as twin:
            secret = twin.bring_events(SANDBOX_KEY, address, environment, EVENT_TYPES)
    except Unavailable as error:
        return error.detail
    known = {**read_secrets_file(folder.webhook_secrets), environment: [secret]}
    write_secret(folder.webhook_secrets, json.dumps(known, indent=2))
    return None
