"""What `governor up` says when everything answers: to a person, and to a program that waits for a file."""

import json
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from governor.cli.up.data_folder import Demo, write_secret
from governor.cli.up.demo import PAYMENTS
from governor.cli.up.stack import Stack
from governor.domain.money import Money
from governor.http.money_display import amount_display

READY_SECONDS: Final = 120.0
"""How long something may take until it answers. A crowded machine needs long; whoever sees in the log why it cannot, may end it before."""
NO_DEMO = Demo({}, [])
PAYMENTS_SHOWN = 5
"""Enough to try things on, two of them large enough to ask for approval; the ready file has them all."""


def answers(url: str) -> bool:
    """Whether GET gives 200 within two seconds. No proxy of the environment is asked: this is our own machine."""
    parts = urlsplit(url)
    connection = HTTPConnection(str(parts.hostname), parts.port, timeout=2)
    try:
        connection.request("GET", parts.path)
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def for_a_program(stack: Stack, demo: Demo, ready_file: Path) -> None:
    """Writes the ready file, whole or not at all, readable by its owner: it holds keys."""
    ready = {
        "url": stack.url,
        "sandbox_url": stack.sandbox_url,
        "database_url": stack.database_url,
        "redis_url": stack.redis_url,
        "environment": "test",
        "keys": demo.keys,
        "payments": demo.payments,
        "passwords": demo.passwords,
    }
    write_secret(ready_file, json.dumps(ready, indent=2) + "\n")


def for_a_person(stack: Stack, demo: Demo) -> str:
    """The addresses, who can sign in, the demo's keys, and a line to try."""
    lines = [
        "",
        "governor is ready. Ctrl-C stops it; what it holds stays.",
        "",
        f"  console           {stack.url}/console",
        f"  API               {stack.url}/api/v1  (described at {stack.url}/api/docs)",
        f"  provider sandbox  {stack.sandbox_url}",
    ]
    if demo.passwords:
        lines += ["", "  sign in to the console as (login, password):"]
        people = zip(demo.keys, demo.passwords.items(), strict=False)
        lines += [f"    {role:<12}{login:<8}{password}" for role, (login, password) in people]
    if demo.keys:
        lines += ["", "  keys of the demo environment `test`:"]
        lines += [f"    {role:<12}{key}" for role, key in demo.keys.items()]
    if demo.payments:
        lines += ["", "  payments to refund, in the console or by the API:"]
        lines += [
            f"    {payment}  {amount_display(Money(minor, currency))}"
            for payment, (currency, minor) in zip(demo.payments[:PAYMENTS_SHOWN], PAYMENTS, strict=False)
        ]
    if demo.payments and "agent" in demo.keys:
        lines += ["", "  ask for a refund:", "", _curl(stack.url, demo)]
    return "\n".join([*lines, ""])


def _curl(url: str, demo: Demo) -> str:
    """One refund request of an agent, ready to paste."""
    body = json.dumps({"payment": demo.payments[0], "amount": 500, "currency": "usd"})
    return (
        f"    curl -si {url}/api/v1/refund-requests -H 'Authorization: Bearer {demo.keys['agent']}' \\\n"
        f"      -H 'Content-Type: application/json' -H 'Idempotency-Key: first-try-1' -d '{body}'"
    )
