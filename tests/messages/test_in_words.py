"""Slack and e-mail: the same messages in words, with a link that decides nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.outbound.mail import MailCourier, MailServer
from governor.domain.deliveries import DeliveryState
from governor.domain.endpoints import EndpointKind
from governor.domain.messages import Message
from governor.domain.wording import Words
from governor.ports.couriers import Letter
from tests.builders import World, close, fresh_key
from tests.certificates import Authority
from tests.fakes.provider import FakeProvider
from tests.mail_server import MailServerHere
from tests.messages.steps import deliveries, draft
from tests.receiver import Receiver
from tests.unit.test_endpoints import NOW
from workers import messenger

PUBLIC_URL = "https://governor.example"


def test_slack_is_told_in_words_with_a_link_to_where_people_decide(world: World, receiver: Receiver) -> None:
    world.limit(5000, approval_above=1000)
    made = world.app.messages.endpoints.create(
        world.operator,
        draft(receiver.url, "refund_request.held", kind=EndpointKind.SLACK),
        fresh_key("slack"),
    )
    payment = world.payment(customer="cus_ann")
    request = world.request(world.caller(), payment, 1500, note="Ann lives in Elm Street", case="zd-4711")
    messenger.run_once(world.app)
    (call,) = receiver.calls
    assert set(call.json) == {"text"}
    text = call.json["text"]
    assert text.startswith(f"*Refund {request.id} of 15.00 USD waits for approval*\n")
    assert f"{PUBLIC_URL}/console/e/test/holds/{request.hold}\n" in text
    assert payment in text
    for hidden in ("cus_ann", "Elm Street", "zd-4711", "gvk_", "whsec_"):
        assert hidden not in text
    assert "webhook-signature" not in call.headers
    assert deliveries(world, made.endpoint)[0].state is DeliveryState.DELIVERED


def test_e_mail_goes_to_its_addresses_in_words_and_under_one_id(new_world: Callable[..., World]) -> None:
    world = new_world(provider=FakeProvider())
    with MailServerHere() as server:
        close(world.app)
        world.app = world.another_process(
            smtp_host="127.0.0.1",
            smtp_port=server.port,
            smtp_security="none",
            smtp_sender="governor@governor.example",
        )
        world.limit(5000)
        to = ("eve@example.com", "adam@example.org")
        wanted = draft(None, "refund_request.queued", kind=EndpointKind.EMAIL, to=to)
        made = world.app.messages.endpoints.create(world.operator, wanted, fresh_key("mail"))
        assert made.endpoint.place == "example.com, example.org"
        request = world.request(world.caller(), world.payment(customer="cus_ann"), 1500)
        messenger.run_once(world.app)
        (mail,) = server.mails
        (delivery,) = deliveries(world, made.endpoint)
        world.app.messages.endpoints.replay(
            world.operator, made.endpoint.id, delivery.message, fresh_key("again")
        )
        messenger.run_once(world.app)
    assert (mail.sender, mail.recipients) == ("governor@governor.example", to)
    assert mail.message["Subject"] == f"[governor] Refund {request.id} of 15.00 USD is on its way"
    assert mail.message["Message-ID"] == f"<{delivery.message}@governor.example>"
    assert [one.message["Message-ID"] for one in server.mails] == [mail.message["Message-ID"]] * 2
    assert mail.message["Auto-Submitted"] == "auto-generated"
    said = str(mail.message)
    assert "cus_ann" not in said
    assert "http" not in said, "there is no link without an address to link to"
    with world.app.engine.connect() as connection:
        kept = str(connection.exec_driver_sql("SELECT to_jsonb(e) FROM endpoints e").all())
        kept += str(connection.exec_driver_sql("SELECT to_jsonb(a) FROM audit a").all())
    assert "eve@" not in kept


def letter() -> Letter:
    message = Message("test", "msg_1", 1, "endpoint.tested", "ep_1", NOW)
    return Letter(message, Words("Endpoint ep_1", "Only a test.\n"), "eve@example.com", ())


def courier(server: MailServerHere, authority: Authority | None = None, seconds: float = 20.0) -> MailCourier:
    security = "none" if authority is None else "starttls"
    tls = {} if authority is None else {"tls": authority.trusted}
    return MailCourier(
        MailServer("localhost", server.port, "governor@governor.example", security, seconds=seconds, **tls)  # type: ignore[arg-type]  # two words of three
    )


def test_mail_is_handed_in_under_tls_to_a_server_of_the_right_name(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with MailServerHere(tls=authority.server_for("localhost")) as server:
        assert courier(server, authority)(letter()).error is None
        assert [mail.secure for mail in server.mails] == [True]
    with MailServerHere(tls=authority.server_for("other.example.com")) as server:
        assert courier(server, authority)(letter()).error == "tls_failed"
        assert server.mails == []
    with MailServerHere() as server:
        assert courier(server, authority)(letter()).error == "mail_refused", "TLS is not left out"
        assert server.mails == []


@pytest.mark.parametrize(
    ("refuses", "status", "error"),
    [
        ({"MAIL": "550 not from you"}, 550, "mail_refused"),
        ({"RCPT": "550 nobody of that name"}, None, "recipients_refused"),
        ({"DATA": "451 later"}, 451, "mail_refused"),
        ({"QUIT": "500 no"}, None, None),
    ],
)
def test_what_a_mail_server_refuses_is_a_word_in_the_receipt(
    refuses: dict[str, str], status: int | None, error: str | None
) -> None:
    with MailServerHere(refuses=refuses) as server:
        receipt = courier(server)(letter())
    assert (receipt.status, receipt.error, receipt.gone) == (status, error, False)


def test_a_mail_server_that_is_away_or_says_nothing_is_not_waited_for() -> None:
    with MailServerHere(greets=False) as server:
        assert courier(server, seconds=0.5)(letter()).error == "timed_out"
    assert courier(server)(letter()).error == "connection_failed"
