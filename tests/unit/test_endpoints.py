"""What may be an endpoint's address, and which addresses are connected to. RELIABILITY §4.7, 148 and 149; T20."""

from datetime import UTC, datetime, timedelta

import pytest

from governor.domain.addresses import reachable
from governor.domain.deliveries import MOST_TRIES, next_try_at
from governor.domain.endpoints import (
    Disabled,
    Endpoint,
    EndpointKind,
    Reach,
    WebAddress,
    mailboxes,
    message_types,
    web_address,
)
from governor.domain.errors import Invalid
from governor.domain.messages import TEST, Telling

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/",
        "file:///etc/passwd",
        "gopher://hooks.example.com/",
        "https://user:pw@hooks.example.com/",
        "https://user@hooks.example.com/",
        *(f"https://hooks.example.com:{port}/" for port in (22, 25, 80, 6379, 5432, 0, 65536, 8000)),
        "https://hooks.example.com:/",
        "https://hooks.example.com:443:443/",
        "https://127.0.0.1/",
        "https://0/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://0x7f.0x1/",
        "https://1.2.3.0x4/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/",
        "https://localhost/",
        "https://localhost./",
        "https://hooks.example.com./",
        "https://[fd00::1]/",
        "https://[fe80::1%25lo]/",
        "https://[64:ff9b::7f00:1]/",
        "https://8.8.8.8/",
        "https:///hook",
        "https://hooks_example.com/",
        "https://-hooks.example.com/",
        "https://höoks.example.com/",
        "https://hooks.example.com/a b",
        "https://hooks.example.com/\r\nX: y",
        "https://hooks.example.com\\@127.0.0.1/",
        "https://hooks.example.com/#fragment",
        "https://" + "a" * 64 + ".example.com/",
        "https://hooks.example.com/" + "a" * 2048,
        "//hooks.example.com/",
        "",
    ],
)
def test_a_url_that_is_not_plainly_somebody_elses_web_server_is_refused(url: str) -> None:
    for loopback in (False, True):
        with pytest.raises(Invalid) as refused:
            web_address(url, Reach(loopback=loopback))
        assert refused.value.errors[0].code == "url_refused"
        assert url not in str(refused.value) or not url


def test_a_url_is_taken_apart_as_it_will_be_called() -> None:
    assert web_address("https://Hooks.Example.com", Reach()) == WebAddress(
        "https", "hooks.example.com", 443, "/"
    )
    assert web_address("https://hooks.example.com:8443/a/b?c=d", Reach()) == WebAddress(
        "https", "hooks.example.com", 8443, "/a/b?c=d"
    )


def test_this_machine_is_reached_over_http_and_only_where_that_is_allowed() -> None:
    for url in ("http://127.0.0.1:9000/hook", "http://localhost:9000/hook"):
        assert web_address(url, Reach(loopback=True)) == WebAddress("http", "127.0.0.1", 9000, "/hook")
        with pytest.raises(Invalid):
            web_address(url, Reach())


def test_where_names_are_given_an_endpoint_is_at_or_below_one_of_them() -> None:
    reach = Reach(hosts=("slack.com", "hooks.example.com"))
    for allowed in ("https://hooks.slack.com/x", "https://slack.com/x", "https://hooks.example.com/"):
        assert web_address(allowed, reach).scheme == "https"
    for other in ("https://example.com/", "https://notslack.com/", "https://slack.com.example.org/"):
        with pytest.raises(Invalid):
            web_address(other, reach)


@pytest.mark.parametrize(
    "address",
    """
    127.0.0.1 127.1.2.3 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1
    100.127.255.254 100.100.100.200 168.63.129.16 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1
    224.0.0.1 240.0.0.1 255.255.255.255 ::1 :: ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b::808:808
    2002:7f00:1:: 2001:0:808:808:: 2001:db8::1 fe80::1 fe80::1%lo fec0::1 fd00::1 fd00:ec2::254 ff02::1 100::1 3fff::1
    2606:4700::1%eth0 example.com 8.8.8 08.8.8.8 0x8.8.8.8
    """.split(),
)
def test_no_address_of_ours_or_of_nobody_is_connected_to(address: str) -> None:
    assert not reachable(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "104.16.0.1", "2606:4700::6810:1", "2a00:1450::1"])
def test_an_address_of_the_public_internet_is(address: str) -> None:
    assert reachable(address)


def test_mail_goes_to_a_few_addresses_and_to_nothing_else() -> None:
    assert mailboxes(("eve@example.com", "o'neil+x@mail.example.co")) == (
        "eve@example.com",
        "o'neil+x@mail.example.co",
    )
    for wrong in (
        (),
        ("eve",),
        ("eve@localhost",),
        ("eve@example.com\r\nBcc: all@example.com",),
        ("Eve <eve@example.com>",),
        ("eve@example.com,adam@example.com",),
        ("a" * 65 + "@example.com",),
        tuple(f"p{n}@example.com" for n in range(11)),
    ):
        with pytest.raises(Invalid):
            mailboxes(wrong)


def test_types_are_known_ones() -> None:
    assert message_types(("limit.changed", "freeze.began", "limit.changed")) == (
        "freeze.began",
        "limit.changed",
    )
    with pytest.raises(Invalid):
        message_types(("refund_request.heldd",))


def endpoint(*types: str, **fields: object) -> Endpoint:
    given = {"description": None, "created_at": NOW, "told_since": NOW, **fields}
    return Endpoint("test", "ep_1", EndpointKind.WEBHOOK, "hooks.example.com", types, **given)  # type: ignore[arg-type]  # fields of tests


def test_an_endpoint_wants_its_types_from_its_beginning_on() -> None:
    held = Telling("refund_request.held", "rr_1")
    assert endpoint().wants(held, NOW)
    assert endpoint("refund_request.held").wants(held, NOW)
    assert not endpoint("limit.changed").wants(held, NOW)
    assert not endpoint().wants(held, NOW - timedelta(seconds=1))
    assert not endpoint(disabled_at=NOW, disabled_reason=Disabled.GONE).wants(held, NOW)
    assert not endpoint(deleted_at=NOW).wants(held, NOW)
    assert endpoint("limit.changed").wants(Telling(TEST, "ep_1"), NOW)
    assert not endpoint().wants(Telling(TEST, "ep_2"), NOW)


def test_waits_grow_for_three_days_and_differ_from_message_to_message() -> None:
    waits = [next_try_at(NOW, "msg_1", tries) for tries in range(1, MOST_TRIES)]
    assert all(one is not None for one in waits)
    seconds = [(one - NOW).total_seconds() for one in waits if one is not None]
    assert seconds == sorted(seconds)
    assert timedelta(days=3) < timedelta(seconds=sum(seconds)) < timedelta(days=4)
    assert next_try_at(NOW, "msg_1", MOST_TRIES) is None
    assert len({next_try_at(NOW, f"msg_{n}", 3) for n in range(50)}) > 40
    assert next_try_at(NOW, "msg_1", 1) == next_try_at(NOW, "msg_1", 1)
