"""Configuration: defaults, files for secrets, and every mistake named at once."""

from dataclasses import fields
from ipaddress import ip_network
from pathlib import Path

import pytest

from reporting.config import Config, describe
from reporting.errors import ConfigurationError, PumperError
from reporting.variables import SETTINGS


def test_nothing_set_is_a_working_configuration() -> None:
    config = Config.from_environment({})
    assert config == Config(
        database_url="sqlite:///var/pumper.db",
        migration_database_url="sqlite:///var/pumper.db",
        database_folder=None,
        least_free=50_000_000,
        smtp_url=None,
        smtp_oauth_token_file=None,
        mail_from="pumper@localhost",
        base_url="http://127.0.0.1:8000",
        secret_key=None,
        port=8000,
        bind="127.0.0.1",
        web_concurrency=2,
        log_level="INFO",
        signing_key_file=Path("var/signing.key"),
        oidc_file=None,
        programs=None,
        mail_dir=None,
        mail_only_to=None,
        sandbox=False,
        map_url="https://www.openstreetmap.org/?mlat={lat}&mlon={lon}#map=17/{lat}/{lon}",
        max_upload_bytes=10_000_000,
        max_rows=20_000,
        rows_at_once=2_000,
        mail_rate=600,
        rate_read=1_200,
        rate_write=1_200,
        rate_file=60,
        rate_anonymous=120,
        rate_county_read=6_000,
        rate_county_write=3_000,
        rate_county_file=240,
        rate_county_anonymous=1_200,
        trusted_proxies=(ip_network("127.0.0.1"), ip_network("::1")),
        security_contact=None,
        webhook_allow="",
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
        ("PUMPER_BIND", "localhost"),
        ("PUMPER_BIND", "10.0.0"),
        ("PORT", "65536"),
        ("PORT", "8_000"),
        ("PORT", "٨٠"),
        ("PORT", "80.0"),
        ("WEB_CONCURRENCY", "-1"),
        ("LOG_LEVEL", "loud"),
        ("PUMPER_MAX_UPLOAD_BYTES", "10MB"),
        ("PUMPER_MAX_ROWS", "0"),
        ("PUMPER_RATE_READ", "-1"),
        ("PUMPER_RATE_COUNTY_FILE", "many"),
        ("PUMPER_TRUSTED_PROXIES", "*"),
        ("PUMPER_TRUSTED_PROXIES", "10.0.0.1/24"),
        ("PUMPER_WEBHOOK_ALLOW", "hooks.example.org"),
        ("PUMPER_WEBHOOK_ALLOW", "https://hooks.example.org/path"),
        ("PUMPER_WEBHOOK_ALLOW", "https://hooks.example.org:65536"),
        ("PUMPER_WEBHOOK_ALLOW", "https://a.example.org,,https://b.example.org"),
        ("PUMPER_SECURITY_CONTACT", "security@example.org"),
        ("PUMPER_SECURITY_CONTACT", "http://example.org/report"),
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


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("none", ""),
        ("geo:{lat},{lon}", "geo:{lat},{lon}"),
        ("https://map.example.org/{lat}/{lon}", "https://map.example.org/{lat}/{lon}"),
    ],
)
def test_a_map_is_any_address_with_a_place_in_it(given: str, used: str) -> None:
    assert Config.from_environment({"PUMPER_MAP_URL": given}).map_url == used


@pytest.mark.parametrize("given", ["https://map.example.org/", "ftp://x/{lat}/{lon}", 'geo:{lat},{lon}"', "{lat}{lon}"])
def test_a_map_that_shows_no_place_is_refused(given: str) -> None:
    with pytest.raises(ConfigurationError, match="PUMPER_MAP_URL: must be"):
        Config.from_environment({"PUMPER_MAP_URL": given})
