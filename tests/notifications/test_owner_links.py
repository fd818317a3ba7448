"""The link to the own system: in an owner's mail alone, for the owner on file alone, and nowhere in the database."""

import json
from typing import Any

from sqlalchemy import update

from notifications.compose import Mail, compose
from notifications.delivery import deliver
from notifications.mail import SmtpSender, read_smtp_url
from notifications.owner_links import owner_linker
from notifications.staging import StagingSender
from reporting import tables
from reporting.access.links import let_owner_in
from reporting.access.secret import Secret
from reporting.store.engine import Database
from tests.notifications.builders import BASE_URL, MAIL_FROM, NOON, Clock, a_notice, due_event
from tests.notifications.sending import COUNTY, queue
from tests.notifications.test_owner_notices import add_owned, delinquent, messages, reminder, scan
from tests.services.smtp import SmtpServer

SECRET = Secret(key=b"k" * 32)
OWN = f"{BASE_URL}/owner/{COUNTY}/"


def sent(database: Database, server: SmtpServer, staging: str = "") -> dict[str, Any]:
    """What arrived, by kind."""
    relay = SmtpSender(read_smtp_url(server.url), MAIL_FROM)
    sender = StagingSender(relay, staging) if staging else relay
    deliver(database, [COUNTY], sender, Clock(), own=owner_linker(SECRET, BASE_URL))
    return {one.message["Message-ID"].partition(".")[0].strip("<"): one.message for one in server.received}


def text(message: Any) -> str:
    return str(message.get_body(("plain",)).get_content()).replace("\r\n", "\n")


def test_an_owners_mail_opens_the_own_system_and_others_have_no_link(opened: Database, smtp_server: SmtpServer) -> None:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
    scan(opened, reminder(1), delinquent(1), due_event(1), legal_by_letter=False)
    queue(opened, a_notice(1))
    arrived = sent(opened, smtp_server)
    assert {kind for kind, one in arrived.items() if OWN in text(one)} == {"owner_reminder", "delinquent_owner"}
    path = text(arrived["delinquent_owner"]).partition(OWN)[2].split()[0]
    with opened.transaction(COUNTY) as store:
        assert let_owner_in(store, SECRET, path, NOON)
    assert path not in json.dumps(messages(opened), default=str)


def test_who_owned_it_before_gets_no_link(opened: Database, smtp_server: SmtpServer) -> None:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
    scan(opened, delinquent(1), legal_by_letter=False)
    with opened.transaction(COUNTY) as store:
        store.connection.execute(update(tables.owner_version).values(email="next@owners.example"))
    assert not any(OWN in text(one) for one in sent(opened, smtp_server).values())


def test_a_trial_keeps_the_link_from_whoever_reads_it(opened: Database, smtp_server: SmtpServer) -> None:
    with opened.transaction(COUNTY) as store:
        add_owned(store, 1)
    scan(opened, delinquent(1), legal_by_letter=False)
    arrived = sent(opened, smtp_server, "trial@county.example")
    assert [OWN in text(one) for one in arrived.values()] == [False]


def test_both_links_stand_in_the_footer() -> None:
    mail = Mail(
        recipient="a@owners.example", subject="s", text="Words.\n", html="<p>Words.</p><footer>x</footer>",
        message_id="<m@x>", dated_at=NOON, unsubscribe_url="https://x/u", owner_url="https://x/o?a&b",
    )  # fmt: skip
    message = compose(mail, MAIL_FROM)
    plain, html = (str(message.get_body((kind,)).get_content()) for kind in ("plain", "html"))  # type: ignore[union-attr]
    assert plain.index("https://x/o?a&b") < plain.index("https://x/u")
    assert html.index("https://x/o?a&amp;b") < html.index("https://x/u") < html.index("</footer>")
