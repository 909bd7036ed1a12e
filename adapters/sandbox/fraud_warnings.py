"""Early fraud warnings: the cardholder's bank says that a charge may be fraudulent."""

from adapters.sandbox import documents, events, lists
from adapters.sandbox.shelf import Document
from adapters.sandbox.work import Work


def give(work: Work, charge_id: str) -> Document:
    """The bank warns of a charge."""
    warning = documents.fraud_warning(work.account.charges[charge_id], now=work.now)
    work.account.fraud_warnings.put(warning["id"], warning)
    events.announce(work, "radar.early_fraud_warning.created", warning)
    return warning


def listed(work: Work, sent: Document) -> Document:
    """``GET /v1/radar/early_fraud_warnings``, newest first, by ``charge``, ``payment_intent`` and ``created``."""
    wanted = {name: sent[name] for name in ("charge", "payment_intent") if name in sent}
    found = work.account.fraud_warnings.newest_first()
    rows = (row for row in found if all(row[name] == value for name, value in wanted.items()))
    return lists.page(rows, sent, "/v1/radar/early_fraud_warnings")
