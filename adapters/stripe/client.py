"""Our own StripeClient: no retries, no redirects, no proxies, no telemetry, one deadline per call.

`stripe.RequestsClient` cannot keep a deadline and loses the headers of broken replies (STRIPE.md §4), so the
SDK is given this HTTP client instead. Sessions belong to one thread of one process: after a fork each
child opens its own connections.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any

import requests
import stripe

from adapters.stripe.wire import DeadlineAdapter, current_call
from governor.checkpoint import checkpoint
from governor.domain.errors import Forbidden, invalid

if TYPE_CHECKING:
    from collections.abc import Mapping

# The SDK would otherwise write a file into the home folder and report our platform (STRIPE.md §4).
stripe.enable_telemetry = False
# At INFO it logs the provider's message texts and at DEBUG whole bodies; no card datum or address may
# reach a log (DESIGN §3.18).
logging.getLogger("stripe").setLevel(logging.WARNING)

API_VERSION = "2026-10-28.endive"
"""Pinned here and not taken from the SDK: every attempt of a request is word for word the same (invariant 5)."""

MAX_REPLY_BYTES = 1024 * 1024
USER_AGENT = f"Stripe/v1 PythonBindings/{stripe.VERSION} governor"

_TEST_KEY = re.compile(r"(sk|rk)_test_[A-Za-z0-9_]+")
_SHOWN_TO_SERVER = frozenset({"authorization", "content-type", "idempotency-key", "stripe-version"})


class ReplyTooLargeError(Exception):
    """The reply is larger than any that Stripe sends; it was not read to its end."""


class ReplyEncodedError(Exception):
    """The reply is compressed although we asked for plain bytes; it is not unpacked."""


class SecondWriteError(Exception):
    """One attempt is one HTTP call (RELIABILITY E24): a second one in the same call is never made."""


def build_client(secret_key: str, base_url: str | None) -> stripe.StripeClient:
    """A client for one account in test mode.

    Raises:
        Forbidden: `live_mode_refused` for any key but `sk_test_…` and `rk_test_…`; the key is not named.
        Invalid: the base address is no http(s) address.
    """
    if not _TEST_KEY.fullmatch(secret_key):
        raise Forbidden("live_mode_refused", "Only a test key (sk_test_ or rk_test_) is accepted.")
    if base_url is not None and not re.fullmatch(r"https?://[^\s/?#@]+/?", base_url):
        raise invalid("/base_url", "base_url_invalid", "The provider's address is http(s)://host[:port].")
    return stripe.StripeClient(
        secret_key,
        stripe_version=API_VERSION,
        max_network_retries=0,
        http_client=DeadlineClient(),
        base_addresses={"api": base_url.rstrip("/")} if base_url else {},
    )


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:  # noqa: ARG002 - requests' signature
        """A redirect is an answer like any other: followed, a 307 would send the refund elsewhere."""
        return


class DeadlineClient(stripe.HTTPClient):
    """The SDK's transport. Every call happens inside `call_within` and leaves its reply in the `Call`."""

    name = "requests"

    def __init__(self) -> None:
        super().__init__()
        self._own = threading.local()

    def request(  # type: ignore[override]  # the SDK's own client returns bytes as well
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        post_data: Any = None,  # noqa: ANN401 - the SDK's own signature
        **_usage: object,
    ) -> tuple[bytes, int, Mapping[str, str]]:
        """Make exactly one HTTP call.

        Raises:
            stripe.APIConnectionError: there was no whole reply; the cause says why.
        """
        try:
            return self._exchange(method, url, headers or {}, post_data)
        except Exception as error:
            lost = stripe.APIConnectionError("no whole reply")  # type: ignore[no-untyped-call]  # as shipped
            raise lost from error

    def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], post_data: str | None
    ) -> tuple[bytes, int, Mapping[str, str]]:
        call = current_call()
        if method == "post" and call.sent:
            raise SecondWriteError
        shown = {name: value for name, value in headers.items() if name.lower() in _SHOWN_TO_SERVER}
        with self._session().request(
            method,
            url,
            headers={**shown, "User-Agent": USER_AGENT},
            data=post_data,
            timeout=(call.connect_seconds, call.remaining()),
            stream=True,
        ) as response:
            body = _read_whole(response)
        checkpoint("provider.replied")
        # A notice for developers would become a Python warning in the SDK.
        response.headers.pop("Stripe-Notice", None)
        call.status, call.headers = response.status_code, response.headers
        return body, response.status_code, response.headers

    def _session(self) -> requests.Session:
        if getattr(self._own, "process", None) != os.getpid():
            self._own.session, self._own.process = _new_session(), os.getpid()
        session: requests.Session = self._own.session
        return session

    def close(self) -> None:
        """Close the connections of this thread."""
        if getattr(self._own, "process", None) == os.getpid():
            self._own.session.close()


def _new_session() -> requests.Session:
    session = _Session()
    session.trust_env = False  # no proxy and no .netrc decides where a refund goes
    session.max_redirects = 0
    session.verify = stripe.ca_bundle_path
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    # Plain bytes: what is not unpacked cannot be a bomb.
    session.headers.update({"Accept": "application/json", "Accept-Encoding": "identity"})
    session.mount("https://", DeadlineAdapter())
    session.mount("http://", DeadlineAdapter())
    return session


def _read_whole(response: requests.Response) -> bytes:
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise ReplyEncodedError
    body = bytearray()
    for chunk in response.raw.stream(64 * 1024, decode_content=False):
        body += chunk
        if len(body) > MAX_REPLY_BYTES:
            raise ReplyTooLargeError
    return bytes(body)
