"""Stripe's refusals, word for word as recorded (recordings/INDEX.md) where a recording exists."""

from adapters.sandbox.shelf import Document

INVALID = "invalid_request_error"


class Refusal(Exception):
    """Stripe's "no" to one call.

    Whether it is saved under the idempotency key depends on when it is raised, not on what it says:
    before execution it is not saved, during execution it is (STRIPE.md §3).
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = INVALID,
        code: str | None = None,
        param: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}
        self.error: Document = {"message": message, "type": kind}
        if code is not None:
            self.error["code"] = code
            self.error["doc_url"] = f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}"
        if param is not None:
            self.error["param"] = param

    @property
    def body(self) -> Document:
        """The error object as it goes over the wire."""
        return {"error": self.error}


def invalid_key(shown: str) -> Refusal:
    """401 without code; the answer has no ``Request-Id`` either (INDEX.md, 6)."""
    message = f"Invalid API Key provided: {shown}"
    return Refusal(401, message, headers={"WWW-Authenticate": 'Bearer realm="Stripe"'})


def no_key() -> Refusal:
    """401 for a call without credentials."""
    message = "You did not provide an API key. Use the Authorization header with a Bearer test key."
    return Refusal(401, message, headers={"WWW-Authenticate": 'Bearer realm="Stripe"'})


def wrong_account(account: str) -> Refusal:
    """403 for ``Stripe-Account``: the twin has no connected accounts."""
    message = (
        f"The provided key does not have access to account '{account}'"
        " (or that account does not exist). Application access may have been revoked."
    )
    return Refusal(403, message, code="account_invalid")


def forbidden() -> Refusal:
    """403 of a restricted key; no code is recorded for it (INDEX.md, 4)."""
    return Refusal(403, "The provided key does not have the required permissions for this endpoint.")


def unknown_url(method: str, path: str) -> Refusal:
    """404 for an address that is not served."""
    return Refusal(404, f"Unrecognized request URL ({method}: {path}).")


def missing(kind: str, identifier: str, *, param: str, status: int = 404) -> Refusal:
    """``resource_missing``: nothing of that id in this account."""
    return Refusal(status, f"No such {kind}: '{identifier}'", code="resource_missing", param=param)


def rate_limited() -> Refusal:
    """429 before anything ran, with the header that tells it from a lock (STRIPE.md §6)."""
    message = (
        "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits."
    )
    return Refusal(429, message, code="rate_limit", headers={"Stripe-Rate-Limited-Reason": "endpoint-rate"})


def locked() -> Refusal:
    """429 ``lock_timeout``: another write holds the object; it has no reason header and may be retried."""
    message = (
        "This object cannot be accessed right now because another API request or Stripe process is"
        " currently accessing it. If you see this error intermittently, retry the request. If you see this"
        " error frequently and are making multiple concurrent requests to a single object, make your"
        " requests serially or at a lower rate."
    )
    return Refusal(429, message, code="lock_timeout", headers={"Stripe-Should-Retry": "true"})


def key_in_use(key: str) -> Refusal:
    """409: a call with this key is under way (STRIPE.md §3)."""
    message = (
        f"There is currently another in-progress request using this Idempotent Key: {key}."
        " Please try again later."
    )
    return Refusal(409, message, kind="idempotency_error", code="idempotency_key_in_use")


def other_parameters(key: str) -> Refusal:
    """400 ``idempotency_error`` without code: the key was first used with other parameters."""
    message = (
        "Keys for idempotent requests can only be used with the same parameters they were first used with."
        f" Try using a key other than '{key}' if you meant to execute a different request."
    )
    return Refusal(400, message, kind="idempotency_error")


def other_endpoint(key: str, path: str, first_path: str) -> Refusal:
    """400 ``idempotency_error`` without code: the key was first used on another endpoint."""
    message = (
        "Keys for idempotent requests can only be used for the same endpoint they were first used for"
        f" ('{path}' vs '{first_path}'). Try using a key other than '{key}' if you meant to execute"
        " a different request."
    )
    return Refusal(400, message, kind="idempotency_error")


def backend_failed() -> Refusal:
    """500 ``api_error``: Stripe does not say whether anything happened (STRIPE.md §2b, row 24)."""
    message = (
        "Error while communicating with one of our backends.  Sorry about that!  We have been notified of"
        " the problem.  If you have any questions, we can help at https://support.stripe.com/."
    )
    return Refusal(500, message, kind="api_error")
