"""What the provider signs, true and false: RELIABILITY §5.2 T45."""

import base64
import hmac
import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey

from adapters.oidc.provider import OidcProvider
from tests.adapters.oidc import Clock, come_back, moved, refused, with_, without
from tests.adapters.oidc import clock as clock
from tests.adapters.oidc import idp as idp
from tests.adapters.oidc import provider as provider
from tests.fakes.idp import CLIENT_ID, Claims, Idp, rsa_key


def test_the_truth_is_believed(idp: Idp, provider: OidcProvider) -> None:
    idp.groups = ["refunds", "staff"]
    identity = come_back(idp, provider)
    assert (identity.issuer, identity.subject) == (idp.issuer, "sub-ada")
    assert (identity.username, identity.name, identity.groups) == ("ada", "Ada L.", ("refunds", "staff"))
    assert identity.proved_at is not None
    assert come_back(idp, provider).trip != identity.trip
    assert idp.asked == {"/.well-known/openid-configuration": 1, "/keys": 1, "/token": 2}


@pytest.mark.parametrize(
    "lie",
    [
        pytest.param(with_(iss="https://idp.example"), id="another issuer"),
        pytest.param(without("iss"), id="no issuer"),
        pytest.param(with_(aud="another-client"), id="another audience"),
        pytest.param(with_(aud=[CLIENT_ID, "another-client"]), id="others' audience, too"),
        pytest.param(without("aud"), id="no audience"),
        pytest.param(with_(azp="another-client"), id="given to another"),
        pytest.param(with_(nonce="another"), id="another nonce"),
        pytest.param(without("nonce"), id="no nonce"),
        pytest.param(moved("exp", -1000), id="expired"),
        pytest.param(without("exp"), id="never expires"),
        pytest.param(with_(exp=1e400), id="never expires, in other words"),
        pytest.param(lambda claims: claims.update(nbf=claims["iat"] + 1000), id="not yet valid"),
        pytest.param(moved("iat", 1000), id="from the future"),
        pytest.param(without("sub"), id="nobody"),
        pytest.param(with_(sub=""), id="nobody, in other words"),
        pytest.param(with_(sub="x" * 256), id="a name too long"),
        pytest.param(with_(sub="ad\x00a"), id="a name that hides something"),
        pytest.param(with_(sub=["sub-ada"]), id="a list of names"),
    ],
)
def test_a_token_that_says_what_is_not_so_is_refused(
    idp: Idp, provider: OidcProvider, lie: Callable[[Claims], None]
) -> None:
    idp.change = lie
    refused(idp, provider)
    idp.change = lambda _claims: None
    assert come_back(idp, provider).subject == "sub-ada"


def _unsigned(claims: Claims) -> str:
    return f"{_part({'alg': 'none', 'typ': 'JWT'})}.{_part(claims)}."


def _signed_with_what_everybody_knows(idp: Idp) -> Callable[[Claims], str]:
    """The public key taken for a shared secret."""

    def sign(claims: Claims) -> str:
        body = f"{_part({'alg': 'HS256', 'kid': 'first'})}.{_part(claims)}"
        seal = hmac.digest(idp.key.as_pem(private=False), body.encode(), "sha256")
        return f"{body}.{base64.urlsafe_b64encode(seal).decode().rstrip('=')}"

    return sign


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _signed_by_another(claims: Claims) -> str:
    return jwt.encode({"alg": "RS256", "kid": "first"}, claims, rsa_key("another"))


def _signed_by_the_key_in_it(claims: Claims) -> str:
    mine = rsa_key("mine")
    header = {"alg": "RS256", "jwk": mine.as_dict(private=False)}
    return jwt.encode(header, claims, mine)


def test_a_token_that_the_provider_has_not_signed_is_refused(idp: Idp, provider: OidcProvider) -> None:
    lies: list[Callable[[Claims], str]] = [
        _unsigned,
        _signed_with_what_everybody_knows(idp),
        _signed_by_another,
        _signed_by_the_key_in_it,
        lambda claims: idp.signed(claims)[:-8] + "AAAAAAAA",
        lambda _claims: "not a token",
        lambda _claims: "",
    ]
    for lie in lies:
        idp.sign = lie
        refused(idp, provider)
    assert idp.asked["/keys"] == 1, "a wrong token makes us read the keys at will"


def test_a_new_key_of_the_provider_is_read_and_an_old_one_forgotten(
    idp: Idp, provider: OidcProvider, clock: Clock
) -> None:
    come_back(idp, provider)
    old, new = idp.key, ECKey.generate_key("P-256", {"kid": "second"})
    idp.published = [new]
    idp.sign = lambda claims: jwt.encode({"alg": "ES256", "kid": "second"}, claims, new)
    refused(idp, provider)
    clock.ahead = timedelta(seconds=61)
    assert come_back(idp, provider).subject == "sub-ada"
    idp.sign = lambda claims: jwt.encode({"alg": "RS256", "kid": "first"}, claims, old)
    refused(idp, provider)


def test_a_shared_secret_among_the_keys_is_no_key(idp: Idp, provider: OidcProvider) -> None:
    secret = OctKey.generate_key(256, {"kid": "shared"})
    idp.broken = lambda path: (
        (200, json.dumps({"keys": [idp.key.as_dict(private=False), secret.as_dict()]}).encode())
        if path == "/keys"
        else None
    )
    assert come_back(idp, provider).subject == "sub-ada"
    idp.sign = lambda claims: jwt.encode({"alg": "HS256", "kid": "shared"}, claims, secret, ["HS256"])
    refused(idp, provider)
