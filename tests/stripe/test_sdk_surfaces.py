"""What the SDK can raise, listed by hand: a class it gains must be looked at before it is trusted."""

from __future__ import annotations

import stripe
from stripe import oauth_error

from adapters.stripe.outcomes import ROWS

NAMED_IN_THE_TABLE = """APIConnectionError APIError AuthenticationError CardError IdempotencyError
    InvalidRequestError PermissionError RateLimitError""".split()

NEVER_A_PROOF = {
    "bases": "StripeErrorWithParamCode OAuthError",
    "webhooks": "SignatureVerificationError",
    "OAuth, row 28": """InvalidClientError InvalidGrantError InvalidRequestError InvalidScopeError
        UnsupportedGrantTypeError UnsupportedResponseTypeError""",
    "v2 only": """AlreadyCanceledError BlockedByStripeError CannotProceedError CapabilityNotEnabledError
        ControlledByAlternateResourceError FeatureNotEnabledError FinancialAccountNotOpenError
        FxQuoteNeedsRefreshError InsufficientFundsError InvalidPaymentMethodError InvalidPayoutMethodError
        InvalidVaultedCredentialError NotCancelableError QuotaExceededError RecipientNotNotifiableError
        TemporarySessionExpiredError VerificationAttemptFailedError VerificationExpiredError
        VerificationNotInitiatedError""",
}


def _all(kind: type[stripe.StripeError]) -> set[type[stripe.StripeError]]:
    return {kind}.union(*(_all(child) for child in kind.__subclasses__()))


def test_every_exception_of_the_sdk_is_known_here() -> None:
    known = {f"stripe._error.{name}" for name in ["StripeError", *NAMED_IN_THE_TABLE]}
    for names in NEVER_A_PROOF.values():
        known |= {f"stripe._error.{name}" for name in names.split()}
        known |= {f"stripe.oauth_error.{name}" for name in names.split()}
    found = {f"{kind.__module__}.{kind.__name__}" for kind in _all(stripe.StripeError)}
    assert issubclass(oauth_error.OAuthError, stripe.StripeError)
    assert found - known == set()


def test_the_table_names_the_classes_it_should() -> None:
    named = {row.surface.__name__ for row in ROWS if issubclass(row.surface, stripe.StripeError)}
    assert named == set(NAMED_IN_THE_TABLE)
    assert {row.surface for row in ROWS if row.surface.__name__ in named} == {
        getattr(stripe, name) for name in named
    }
