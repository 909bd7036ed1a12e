"""``GET /v1/account`` and ``GET /v1/balance``: what a key is asked to prove before it is used."""

from collections import Counter

from adapters.sandbox.shelf import Document
from adapters.sandbox.work import Work


def account(work: Work) -> Document:
    """The account behind the key."""
    return {
        "id": work.account.id,
        "object": "account",
        "business_type": None,
        "capabilities": {"card_payments": "active", "transfers": "active"},
        "charges_enabled": True,
        "country": "US",
        "default_currency": "usd",
        "details_submitted": True,
        "email": None,
        "metadata": {},
        "payouts_enabled": True,
        "settings": {"dashboard": {"display_name": "governor sandbox", "timezone": "Etc/UTC"}},
        "type": "standard",
    }


def balance(work: Work) -> Document:
    """The sum of all balance transactions, per currency, in minor units; never in live mode."""
    sums: Counter[str] = Counter(usd=0)
    for line in work.account.balance_transactions.oldest_first():
        sums[line["currency"]] += line["net"]
    amounts = [
        {"amount": amount, "currency": currency, "source_types": {"card": amount}}
        for currency, amount in sums.items()
    ]
    nothing = [{**amount, "amount": 0, "source_types": {"card": 0}} for amount in amounts]
    return {"object": "balance", "available": amounts, "livemode": False, "pending": nothing}
