"""Configuration: defaults, files for secrets, and every mistake named at once."""

from dataclasses import fields
from pathlib import Path

import pytest

from reporting.config import SETTINGS, Config, describe
from reporting.errors import ConfigurationError, PumperError


def test_nothing_set_is_a_working_configuration() -> None:
    config = Config.from_environment({})
    assert config == Config(
        database_url="sqlite:///var/pumper.db",
        migration_database_url="sqlite:///var/pumper.db",
        smtp_url=None,
        mail_from="pumper@localhost",
        base_url="http://127.0.0.1:8000",
        secret_key=None,
        port=8000,
        web_concurrency=2,
        log_level="INFO",
        signing_key_file=Path("var/signing.key"),
        mail_dir=None,
        max_upload_bytes=10_000_000,
        max_rows=20_000,
        rows_at_once=2_000,
        mail_rate=600,
    )


def test_every_setting_has_its_field_and_its_line() -> None:
    assert len(fields(Config)) == len(SETTINGS)
    assert [line.setting for line in describe({})] == list(SETTINGS)
    assert all(line.is_default and line.setting.meaning.endswith(".") for line in describe({}))


def test_what_is_set_is_taken() -> None:
    config = Config.from_environment(
        {
            "DATABASE_URL": " postgres://app:secret@db/pumper ",
            "MIGRATION_DATABASE_URL": "postgresql://owner@db/pumper",
            "SMTP_URL": "smtp+starttls://u:p@mail.example.org:587",
            "MAIL_FROM": "Reports <reports@example.org>",
            "BASE_URL": "https://reports.example.org/septic/",
            "SECRET_KEY": "k" * 32,
            "PORT": "80",
            "LOG_LEVEL": "debug",
            "PUMPER_MAIL_DIR": "var/mail",
            "PUMPER_MAX_ROWS": "5",
            "WEB_CONCURRENCY": "",
            "UNRELATED": "x",
        }
    )
    assert (config.database_url, config.migration_database_url) == (
        "postgres://app:secret@db/pumper",
        "postgresql://owner@db/pumper",
    )
    assert (config.smtp_url, config.mail_from) == (
        "smtp+starttls://u:p@mail.example.org:587",
        "Reports <reports@example.org>",
    )
    assert (config.base_url, config.port, config.log_level) == ("https://reports.example.org/septic", 80, "DEBUG")
    assert (config.mail_dir, config.max_rows, config.web_concurrency) == (Path("var/mail"), 5, 2)


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("s" * 40 + "\n")
    assert Config.from_environment({"SECRET_KEY_FILE": str(tmp_path / "key")}).secret_key == "s" * 40


def test_what_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    environ = {
        "SECRET_KEY_FILE": str(tmp_path / "no"),
        "PORT_FILE": str(tmp_path / "empty"),
        "MAIL_FROM_FILE": str(tmp_path / "binary"),
        "DATABASE_URL": "sqlite:///a.db",
        "DATABASE_URL_FILE": str(tmp_path / "x"),
    }
    with pytest.raises(ConfigurationError) as caught:
        Config.from_environment(environ)
    for name in ("SECRET_KEY_FILE", "PORT_FILE", "MAIL_FROM_FILE", "DATABASE_URL and DATABASE_URL_FILE"):
        assert name in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://x"),
        ("MIGRATION_DATABASE_URL", "pumper.db"),
        ("SMTP_URL", "mail.example.org"),
        ("SMTP_URL", "smtp://"),
        ("MAIL_FROM", "nobody"),
        ("MAIL_FROM", "a@x.org; b@y.org"),
        ("MAIL_FROM", "a@x.org\nBcc: b@y.org"),
        ("BASE_URL", "reports.example.org"),
        ("BASE_URL", "https://reports.example.org/?a=b"),
        ("SECRET_KEY", "short"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "8_000"),
        ("PORT", "٨٠"),
        ("PORT", "80.0"),
        ("WEB_CONCURRENCY", "-1"),
        ("LOG_LEVEL", "loud"),
        ("PUMPER_MAX_UPLOAD_BYTES", "10MB"),
        ("PUMPER_MAX_ROWS", "0"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{name}: must "):
        Config.from_environment({name: value})


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(ConfigurationError) as caught:
        Config.from_environment({"PORT": "x", "LOG_LEVEL": "y"})
    assert "PORT" in str(caught.value)
    assert "LOG_LEVEL" in str(caught.value)


def test_secrets_are_not_shown() -> None:
    environ = {
        "DATABASE_URL": "postgresql://app:hush@db/pumper",
        "SMTP_URL": "smtps://u:hu/sh@mail",
        "MIGRATION_DATABASE_URL": "postgresql://owner@/pumper?host=db&password=hush",
        "SECRET_KEY": "hush" * 10,
    }
    shown = {line.setting.name: line.shown for line in describe(environ)}
    assert shown["DATABASE_URL"] == "postgresql://app:***@db/pumper"
    assert "hush" not in repr(shown) + repr(Config.from_environment(environ))
    assert "hu/sh" not in repr(shown)
    assert shown["SECRET_KEY"] == "***"


def kinds_below(kind: type[PumperError]) -> list[type[PumperError]]:
    return [kind, *(one for below in kind.__subclasses__() for one in kinds_below(below))]


def test_every_error_has_its_sentence() -> None:
    messages = [kind("Detail.").message for kind in kinds_below(PumperError) if kind.__module__ == "reporting.errors"]
    assert len(messages) == len(set(messages)) > 10
    assert all(message.endswith(".") for message in messages)
    assert str(ConfigurationError("Detail.")) == "The configuration cannot be used. Detail."
    assert str(ConfigurationError()) == "The configuration cannot be used."
