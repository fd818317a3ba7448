"""The servers that the tests stand on do what the tests take for granted."""

import os
import smtplib
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from tests.services.postgres import PostgresServer
from tests.services.smtp import SmtpServer

ROOT = Path(__file__).resolve().parents[1]


def connect(url: str) -> psycopg.Connection:
    return psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False))


def note(*recipients: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "county@example.org", ", ".join(recipients), "Nuñez: §16.08"
    message.set_content("Pump by 2 July.\n")
    return message


def test_databases_start_empty_and_apart(postgres_server: PostgresServer) -> None:
    first, second = postgres_server.new_database(), postgres_server.new_database()
    with connect(first.owner_url) as connection:
        connection.execute("CREATE TABLE system (permit_number text)")
    with connect(second.owner_url) as connection:
        assert connection.execute("SELECT to_regclass('system')").fetchone() == (None,)
    postgres_server.drop(first.name)
    postgres_server.drop(second.name)


def test_a_copy_holds_what_its_template_held(postgres_server: PostgresServer) -> None:
    template = postgres_server.new_database()
    with connect(template.owner_url) as connection:
        connection.execute("CREATE TABLE county AS SELECT 'ozaukee' AS slug")
    postgres_server.freeze(template)
    copy = postgres_server.new_database(template.name)
    with connect(copy.owner_url) as connection:
        assert connection.execute("SELECT slug FROM county").fetchall() == [("ozaukee",)]
    postgres_server.drop(copy.name)
    postgres_server.drop(template.name)


def test_row_security_binds_the_application_role(postgres_server: PostgresServer) -> None:
    database = postgres_server.new_database()
    with connect(database.owner_url) as connection:
        connection.execute("CREATE TABLE report (county text)")
        connection.execute("INSERT INTO report VALUES ('ozaukee'), ('portage')")
        connection.execute("ALTER TABLE report ENABLE ROW LEVEL SECURITY")
        connection.execute("CREATE POLICY own ON report USING (county = current_setting('app.county', true))")
        connection.execute(f'GRANT SELECT ON report TO "{postgres_server.app_role}"')
    with connect(database.app_url) as connection:
        connection.execute("SELECT set_config('app.county', 'portage', true)")
        assert connection.execute("SELECT county FROM report").fetchall() == [("portage",)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("CREATE TABLE mine (n int)")
    postgres_server.drop(database.name)


def test_mail_is_kept_with_its_envelope(smtp_server: SmtpServer) -> None:
    with smtplib.SMTP(smtp_server.host, smtp_server.port, timeout=10) as client:
        client.send_message(note("owner@example.org"), from_addr="bounces@example.org")
    (mail,) = smtp_server.received
    assert (mail.mail_from, mail.recipients) == ("bounces@example.org", ("owner@example.org",))
    assert mail.message["Subject"] == "Nuñez: §16.08"
    assert mail.message.get_content() == "Pump by 2 July.\r\n"


def test_one_recipient_is_refused_and_the_other_served(smtp_server: SmtpServer) -> None:
    smtp_server.mailbox.answer("gone@example.org", "550 5.1.1 No such mailbox")
    with smtplib.SMTP(smtp_server.host, smtp_server.port, timeout=10) as client:
        refused = client.send_message(note("owner@example.org", "gone@example.org"))
    assert refused == {"gone@example.org": (550, b"5.1.1 No such mailbox")}
    assert [mail.recipients for mail in smtp_server.received] == [("owner@example.org",)]


def test_a_busy_mailbox_takes_the_third_try(smtp_server: SmtpServer) -> None:
    smtp_server.mailbox.answer("owner@example.org", "451 4.3.0 Try later", stage="data", times=2)
    codes = []
    for _ in range(3):
        with smtplib.SMTP(smtp_server.host, smtp_server.port, timeout=10) as client:
            try:
                client.send_message(note("owner@example.org"))
            except smtplib.SMTPDataError as error:
                codes.append(error.smtp_code)
    assert codes == [451, 451]
    assert len(smtp_server.received) == 1


@pytest.mark.parametrize(("ci", "outcome", "code"), [("true", "1 failed", 1), ("", "1 skipped", 0)])
def test_a_missing_service_is_skipped_at_a_desk_and_fails_in_ci(
    ci: str, outcome: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_it.py").write_text("def test_it(postgres_server):\n    raise AssertionError('not reached')\n")
    environment = os.environ | {
        "CI": ci,
        "TEST_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
        "PYTHONPATH": str(ROOT),
    }
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == code, run.stdout
    assert outcome in run.stdout
    assert "PostgreSQL: TEST_DATABASE_URL cannot be used" in run.stdout
