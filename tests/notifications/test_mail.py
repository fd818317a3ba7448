"""The SMTP sender against real servers: what each way of ending means."""

import ssl
from base64 import b64decode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from ipaddress import ip_address
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP as SmtpProtocol
from aiosmtpd.smtp import AuthResult, Envelope, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from notifications.compose import MailRefused, compose
from notifications.folder import FolderSender
from notifications.mail import Relay, SmtpSender, read_smtp_url
from notifications.outcomes import Outcome, Permanent, Sent, Temporary, Uncertain, Unreachable
from reporting.errors import ConfigurationError
from tests.notifications.breaking_sink import Break, BreakingSink
from tests.notifications.builders import BASE_URL, KETTLE_MAIL, MAIL_FROM, OFFICE, a_mail
from tests.services.smtp import SmtpServer, _AnyPort


def sender_to(url: str, **options: float) -> SmtpSender:
    return SmtpSender(read_smtp_url(url), MAIL_FROM, **options)  # type: ignore[arg-type]


def test_a_message_arrives_as_it_was_written(smtp_server: SmtpServer) -> None:
    with sender_to(smtp_server.url) as sender:
        assert isinstance(sender.send(a_mail(reply_to=OFFICE)), Sent)
    (mail,) = smtp_server.received
    message = mail.message
    assert (mail.mail_from, mail.recipients) == ("reporting@ozaukee.example", (KETTLE_MAIL,))
    assert {name: message[name] for name in ("From", "To", "Reply-To", "Subject", "Message-ID", "Auto-Submitted")} == {
        "From": MAIL_FROM,
        "To": KETTLE_MAIL,
        "Reply-To": OFFICE,
        "Subject": "Nuñez: § 16.08",
        "Message-ID": "<receipt.abc@reports.example.org>",
        "Auto-Submitted": "auto-generated",
    }
    assert message["Date"].datetime == datetime(2026, 7, 13, 17, 0, tzinfo=UTC)
    plain, html = message.iter_parts()
    assert plain.get_content() == "Pump by 2 July.\r\n.a line that begins with a dot\r\n"
    assert html.get_content_type() == "text/html"
    assert message["List-Unsubscribe"] is None


def test_a_reminder_can_be_unsubscribed_from_with_one_click() -> None:
    url = f"{BASE_URL}/unsubscribe/" + "k" * 120
    message = message_from_bytes(compose(a_mail(unsubscribe_url=url), MAIL_FROM).as_bytes(), policy=policy.default)
    assert message["List-Unsubscribe"] == f"<{url}>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r", "\0"])
@pytest.mark.parametrize("header", ["subject", "recipient", "message_id", "reply_to", "unsubscribe_url"])
def test_no_value_can_begin_a_header_of_its_own(header: str, ending: str) -> None:
    with pytest.raises(MailRefused):
        compose(a_mail(**{header: f"a@b.example{ending}Bcc: all@example.org"}), MAIL_FROM)


@pytest.mark.parametrize("field", ["a@x.example; b@y.example", "a@x.example, b@y.example", "Jo <a@x.example>", "", "a"])
def test_a_message_has_one_recipient(field: str, smtp_server: SmtpServer) -> None:
    with sender_to(smtp_server.url) as sender:
        assert sender.send(a_mail(recipient=field)) == Permanent(text="Not exactly one plain mail address.")
    assert smtp_server.received == []


@pytest.mark.parametrize(
    ("where", "outcome"),
    [
        (Break.CONNECT, Unreachable),
        (Break.BUSY, Unreachable),
        (Break.EHLO, Unreachable),
        (Break.MAIL, Temporary),
        (Break.RCPT, Temporary),
        (Break.DATA, Temporary),
        (Break.UNANSWERED, Uncertain),
        (Break.AFTER, Uncertain),
        (Break.RCPT_450, Temporary),
        (Break.END_451, Temporary),
    ],
)
def test_how_far_it_got_says_what_it_means(where: Break, outcome: type[Outcome], sink: BreakingSink) -> None:
    breaks = iter([where])
    sink.plan = lambda: next(breaks, None)
    with sender_to(sink.url) as sender:
        assert type(sender.send(a_mail())) is outcome
        assert isinstance(sender.send(a_mail(recipient="next@example.org")), Sent)
    assert [recipient for recipient, _ in sink.kept] == [*[KETTLE_MAIL] * (where is Break.AFTER), "next@example.org"]


def test_a_connection_lost_in_the_body_is_no_delivery(sink: BreakingSink) -> None:
    breaks = iter([Break.MID_BODY])
    sink.plan = lambda: next(breaks, None)
    with sender_to(sink.url) as sender:
        # Small bodies fit into the socket's buffer: the loss is then seen at the end only, and counts as uncertain.
        assert isinstance(sender.send(a_mail(text="x" * 70 + "\n" + ("y" * 70 + "\n") * 60_000)), Temporary | Uncertain)
    assert sink.kept == []


def test_a_server_that_never_answers_the_end_leaves_it_uncertain(sink: BreakingSink) -> None:
    with sender_to(sink.url, end_limit_s=0.2) as sender:
        assert isinstance(sender.send(a_mail()), Sent)
        with sink.lock:  # the relay has the whole message and cannot go on
            assert isinstance(sender.send(a_mail()), Uncertain)


@pytest.mark.parametrize(
    ("reply", "stage", "bad_address"),
    [
        ("550 5.1.1 gone", "rcpt", "5.1.1"),
        ("550 5.2.1 disabled", "rcpt", "5.2.1"),
        ("550 5.1.10 takes no mail", "rcpt", "5.1.10"),
        ("550 5.1.11 other", "rcpt", ""),
        ("550 5.7.1 relaying denied", "rcpt", ""),
        ("550 no such user", "rcpt", ""),
        ("554 5.1.1 no", "data", ""),
    ],
)
def test_a_refusal_for_good_is_permanent_and_the_next_one_goes(
    reply: str, stage: str, bad_address: str, smtp_server: SmtpServer
) -> None:
    smtp_server.mailbox.answer("gone@example.org", reply, stage=stage)  # type: ignore[arg-type]
    with sender_to(smtp_server.url) as sender:
        outcome = sender.send(a_mail(recipient="gone@example.org"))
        assert isinstance(outcome, Permanent)
        assert reply[4:] in outcome.text
        assert outcome.bad_address == bad_address
        assert isinstance(sender.send(a_mail()), Sent)


def test_one_connection_serves_many_and_a_closed_one_is_opened_again(sink: BreakingSink) -> None:
    with sender_to(sink.url, messages_per_connection=3) as sender:
        for number in range(7):
            assert isinstance(sender.send(a_mail(recipient=f"r{number}@example.org")), Sent)
    assert (sink.sessions, len(sink.kept)) == (3, 7)


def test_a_connection_that_died_between_messages_costs_no_attempt(sink: BreakingSink) -> None:
    with sender_to(sink.url) as sender:
        assert isinstance(sender.send(a_mail()), Sent)
        assert sender._connection is not None
        assert sender._connection.sock is not None
        sender._connection.sock.shutdown(2)
        assert isinstance(sender.send(a_mail()), Sent)
    assert (sink.sessions, len(sink.kept)) == (2, 2)


def test_nobody_listening_is_out_of_reach() -> None:
    with sender_to("smtp://127.0.0.1:1") as sender:
        assert isinstance(sender.send(a_mail()), Unreachable)


class _Keeper:
    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    async def handle_DATA(  # noqa: N802, RUF100 - aiosmtpd looks for this name
        self, server: SmtpProtocol, session: Session, envelope: Envelope
    ) -> str:
        assert session.ssl is not None
        assert isinstance(envelope.content, bytes)
        self.bodies.append(envelope.content)
        return "250 ok"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "relay")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "relay.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + built.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def guarded_relay(certificate: Path) -> Iterator[tuple[Controller, _Keeper]]:
    """A server that wants STARTTLS and a password."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def check(server: object, session: object, envelope: object, mechanism: str, data: object) -> AuthResult:
        return AuthResult(success=(data.login, data.password) == (b"pumper", b"p@ss"))  # type: ignore[attr-defined]

    keeper = _Keeper()
    controller = _AnyPort(
        keeper,
        hostname="127.0.0.1",
        port=0,
        tls_context=context,
        require_starttls=True,
        authenticator=check,
        auth_required=True,
    )
    controller.start()
    yield controller, keeper
    controller.stop()


@pytest.mark.needs_smtp
def test_starttls_and_password(guarded_relay: tuple[Controller, _Keeper], certificate: Path) -> None:
    controller, keeper = guarded_relay
    # aiosmtpd falls silent after a wrong password: the limit is short for that.
    trusting = ssl.create_default_context(cafile=str(certificate))
    for password, outcome in (("p%40ss", Sent), ("wrong", Unreachable)):
        relay = read_smtp_url(f"smtp+starttls://pumper:{password}@127.0.0.1:{controller.port}")
        with SmtpSender(relay, MAIL_FROM, tls_context=trusting, command_limit_s=2) as sender:
            assert type(sender.send(a_mail())) is outcome
    assert len(keeper.bodies) == 1


class _TokenKeeper(_Keeper):
    """Takes XOAUTH2 with the token that is good now, and says no with a challenge, as the large providers do."""

    def __init__(self) -> None:
        super().__init__()
        self.good, self.tried = "first", list[str]()
        self.at_no: Callable[[], None] = lambda: None
        self.connections = 0

    async def auth_XOAUTH2(self, server: SmtpProtocol, args: list[str]) -> AuthResult:  # noqa: N802, RUF100
        self.tried.append(b64decode(args[1]).decode())
        if self.tried[-1] == f"user=pumper@county.example\x01auth=Bearer {self.good}\x01\x01":
            self.connections += 1
            return AuthResult(success=True, auth_data=b"pumper")
        self.at_no()
        await server.push("334 eyJzdGF0dXMiOiI0MDEifQ==")
        assert (await server._reader.readline()) == b"\r\n"  # the empty answer that ends a challenge
        await server.push("535 5.7.8 bad token")
        return AuthResult(success=False, handled=True)


@pytest.fixture
def token_relay(certificate: Path) -> Iterator[tuple[str, _TokenKeeper]]:
    """A server that wants STARTTLS and a token."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    keeper = _TokenKeeper()
    controller = _AnyPort(
        keeper, hostname="127.0.0.1", port=0, tls_context=context, require_starttls=True, auth_required=True
    )
    controller.start()
    yield f"smtp+starttls://pumper%40county.example@127.0.0.1:{controller.port}", keeper
    controller.stop()


@pytest.mark.needs_smtp
def test_a_token_lets_in_once_for_many_messages(
    token_relay: tuple[str, _TokenKeeper], certificate: Path, tmp_path: Path
) -> None:
    url, keeper = token_relay
    token, trusting = tmp_path / "token", ssl.create_default_context(cafile=str(certificate))
    token.write_text("first\n")
    with SmtpSender(read_smtp_url(url, token), MAIL_FROM, tls_context=trusting, command_limit_s=5) as sender:
        assert [type(sender.send(a_mail())) for _ in range(3)] == [Sent] * 3
    assert (len(keeper.bodies), keeper.connections, len(keeper.tried)) == (3, 1, 1)


@pytest.mark.needs_smtp
def test_a_token_renewed_meanwhile_is_read_again(
    token_relay: tuple[str, _TokenKeeper], certificate: Path, tmp_path: Path
) -> None:
    url, keeper = token_relay
    token, trusting = tmp_path / "token", ssl.create_default_context(cafile=str(certificate))
    token.write_text("old")
    keeper.at_no = lambda: token.write_text("first") and None
    relay = read_smtp_url(url, token)
    with SmtpSender(relay, MAIL_FROM, tls_context=trusting, command_limit_s=5) as sender:
        assert type(sender.send(a_mail())) is Sent
    assert [one.count("Bearer old") for one in keeper.tried] == [1, 0]
    # One that stays bad is tried once, and the message keeps its attempt.
    keeper.good, keeper.at_no = "another", lambda: None
    with SmtpSender(relay, MAIL_FROM, tls_context=trusting, command_limit_s=5) as sender:
        outcome = sender.send(a_mail())
    assert isinstance(outcome, Unreachable)
    assert "535" in outcome.text
    assert "first" not in outcome.text
    assert len(keeper.tried) == 3


@pytest.mark.needs_smtp
@pytest.mark.parametrize("content", [None, "", "two\nlines", "caf\u00e9"])
def test_without_a_token_nothing_is_sent(
    token_relay: tuple[str, _TokenKeeper], certificate: Path, tmp_path: Path, content: str | None
) -> None:
    url, keeper = token_relay
    token, trusting = tmp_path / "token", ssl.create_default_context(cafile=str(certificate))
    if content is not None:
        token.write_text(content, encoding="utf-8")
    with SmtpSender(read_smtp_url(url, token), MAIL_FROM, tls_context=trusting, command_limit_s=5) as sender:
        outcome = sender.send(a_mail())
    assert isinstance(outcome, Unreachable)
    assert "SMTP_OAUTH_TOKEN_FILE" in outcome.text
    assert keeper.tried == []


def test_no_token_goes_to_a_server_that_offers_no_encryption(smtp_server: SmtpServer, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("first")
    url = smtp_server.url.replace("smtp://", "smtp+starttls://pumper@")
    with SmtpSender(read_smtp_url(url, tmp_path / "token"), MAIL_FROM, command_limit_s=5) as sender:
        assert isinstance(sender.send(a_mail()), Unreachable)
    assert smtp_server.received == []


@pytest.mark.parametrize(
    "url",
    [
        "smtp+starttls://relay",
        "smtp+starttls://u:p@relay",
        "smtp://u@relay?starttls=never",
        "smtp://u@relay?starttls=offered",
    ],
)
def test_a_token_needs_its_user_and_encryption(url: str) -> None:
    with pytest.raises(ConfigurationError, match="SMTP_OAUTH_TOKEN_FILE"):
        read_smtp_url(url, Path("token"))


@pytest.mark.needs_smtp
def test_a_certificate_that_nobody_vouches_for_is_not_talked_to(guarded_relay: tuple[Controller, _Keeper]) -> None:
    controller, keeper = guarded_relay
    with sender_to(f"smtp://127.0.0.1:{controller.port}") as sender:
        assert isinstance(sender.send(a_mail()), Unreachable)
    assert keeper.bodies == []


@pytest.mark.parametrize(
    ("url", "relay"),
    [
        ("smtp://relay", Relay(host="relay", port=25, tls="offered")),
        ("smtp://relay:2525?starttls=never", Relay(host="relay", port=2525, tls="never")),
        ("smtp://u:p%3A1@relay", Relay(host="relay", port=587, tls="required", user="u", password="p:1")),
        ("smtp://u:p@127.0.0.1:25", Relay(host="127.0.0.1", port=25, tls="offered", user="u", password="p")),
        ("smtp+starttls://relay", Relay(host="relay", port=587, tls="required")),
        ("smtps://relay", Relay(host="relay", port=465, tls="implicit")),
    ],
)
def test_addresses_of_relays(url: str, relay: Relay) -> None:
    assert read_smtp_url(url) == relay


@pytest.mark.parametrize("url", ["", "http://relay", "smtp://", "smtp://relay:abc", "smtp://relay?starttls=maybe"])
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(ConfigurationError):
        read_smtp_url(url)


def test_a_password_is_not_shown() -> None:
    assert "secret" not in repr(read_smtp_url("smtps://u:secret@relay"))


def test_a_folder_keeps_whole_messages_and_each_once(tmp_path: Path) -> None:
    folder = tmp_path / "mail"
    with FolderSender(folder, MAIL_FROM) as sender:
        for _ in range(2):
            assert sender.send(a_mail()) == Sent(text="receipt.abc.eml")
        assert isinstance(sender.send(a_mail(recipient="a@b; c@d")), Permanent)
    (file,) = folder.iterdir()
    assert message_from_bytes(file.read_bytes(), policy=policy.default)["Subject"] == "Nuñez: § 16.08"


def test_a_folder_that_cannot_be_written_to_is_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with FolderSender(tmp_path / "file" / "mail", MAIL_FROM) as sender:
        assert isinstance(sender.send(a_mail()), Unreachable)


@pytest.mark.parametrize("name", ["<../../etc/x@h>", "<.hidden@h>", "<a/b@h>"])
def test_a_message_id_names_no_other_folder(name: str, tmp_path: Path) -> None:
    with FolderSender(tmp_path / "mail", MAIL_FROM) as sender:
        assert isinstance(sender.send(a_mail(message_id=name)), Sent)
    assert [path.parent for path in tmp_path.rglob("*.eml")] == [tmp_path / "mail"]
