"""`pumper scan` and `pumper deliver`: what has come due or late becomes notices, and notices are sent."""

from __future__ import annotations

import datetime as dt
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from zoneinfo import ZoneInfo

import click

from notifications.delivery import DeliveryCounts
from notifications.delivery import deliver as deliver_queued
from notifications.folder import FolderSender
from notifications.mail import SmtpSender, read_smtp_url
from notifications.outbox import MessageState
from notifications.outcomes import Sender
from notifications.owner_links import owner_linker
from notifications.planning import Plan, plan_mails
from notifications.queueing import QueueCounts, queue_notices
from notifications.staging import StagingSender
from notifications.unsubscribe import linker
from notifications.weekly import queue_weekly
from reporting.access.secret import Secret
from reporting.cli.common import opened
from reporting.cli.words import JSON, day_option, moment, print_json
from reporting.config import Config
from reporting.errors import ConfigurationError
from reporting.histories import county_program
from reporting.store.engine import Database
from reporting.store.log import SERVICE_LOG
from reporting.store.monthly import keep_month
from reporting.sweep import SweepCounts, sweep, tell_licences
from schemas.calendar import COUNTY_TIME_ZONE, local_date
from schemas.loader import shipped_program, shipped_slugs


def tenants() -> tuple[str, ...]:
    """Whose mails go, in turn: what lets people in is first."""
    return (SERVICE_LOG, *shipped_slugs())


@dataclass(frozen=True, kw_only=True)
class Scan:
    """What one scan of one county did."""

    sweep: SweepCounts
    queued: QueueCounts

    def as_json(self) -> dict[str, object]:
        """The counts as plain JSON values."""
        found = {"county": self.sweep.county, "assessed": self.sweep.assessed, "postponed": self.sweep.postponed}
        events = {"standings": dict(self.sweep.standings), "events": dict(self.sweep.events)}
        return {**found, **events, "messages": dict(self.queued.messages), "skipped": dict(self.queued.skipped)}


def scan_county(
    database: Database, county: str, today: dt.date, now: dt.datetime, base_url: str, map_url: str = ""
) -> Scan:
    """Judge what is due to be judged on `today`, and queue the notices that follow.

    map_url: a map's address with `{lat}` and `{lon}`, for links to tanks.
    """
    swept = sweep(database, county, today, now)
    with database.transaction(county) as store:
        program = county_program(store, county, on=today)
        tell_licences(store, program, today, now)
        keep_month(store, today)
        queued = queue_notices(store, program, today, now, base_url, map_url)
        queued += queue_weekly(store, program, today, now, base_url)
    return Scan(sweep=swept, queued=queued)


def county_today(county: str, now: dt.datetime) -> dt.date:
    """The county's local date."""
    return local_date(now, shipped_program(county).timezone)


@click.command()
@click.option("--as-of", "as_of", callback=day_option, help="The day judged (default: the county's today).")
@JSON
def scan(as_of: dt.date | None, as_json: bool) -> None:
    """Find what has come due or late, and queue the notices; repeat it as often as you like."""
    now = moment()
    with opened() as (settings, database):
        scans = [
            scan_county(database, slug, as_of or county_today(slug, now), now, settings.base_url, settings.map_url)
            for slug in shipped_slugs()
        ]
    if as_json:
        print_json([s.as_json() for s in scans])
        return
    for one in scans:
        click.echo(scan_line(one))


def scan_line(one: Scan) -> str:
    """One county's scan in a line."""
    messages = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in sorted(one.queued.messages.items()))
    messages += f" ({one.queued.lines} duties in digests)" if one.queued.lines else ""
    skipped = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in sorted(one.queued.skipped.items()))
    events = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in sorted(one.sweep.events.items()))
    line = f"{one.sweep.county}: {one.sweep.assessed} systems judged; new: {events or 'nothing'}"
    return f"{line}; notices queued: {messages or 'none'}" + (f"; not sent: {skipped}" if skipped else "")


def sender_of(config: Config) -> Sender:
    """Where mail goes: a folder of .eml files when one is configured, else the mail server; in staging to one address.

    Raises `ConfigurationError`.
    """
    sender: Sender
    if config.mail_dir is not None:
        config.mail_dir.mkdir(parents=True, exist_ok=True)
        sender = FolderSender(config.mail_dir, config.mail_from)
    elif config.smtp_url is None:
        raise ConfigurationError("There is no mail server: set SMTP_URL, or PUMPER_MAIL_DIR for .eml files.")
    else:
        sender = SmtpSender(read_smtp_url(config.smtp_url, config.smtp_oauth_token_file), config.mail_from)
    return StagingSender(sender, config.mail_only_to) if config.mail_only_to else sender


def deliver_all(
    config: Config,
    database: Database,
    now: Callable[[], dt.datetime] = moment,
    stopping: Callable[[], bool] = lambda: False,
) -> DeliveryCounts:
    """Send what every county has queued, to where mail goes, at the configured rate (a folder needs none)."""
    rate = config.mail_rate if config.mail_dir is None else 0
    sender = sender_of(config)
    secret = Secret.of(config)
    link, own = linker(secret, config.base_url), owner_linker(secret, config.base_url)
    return deliver_queued(
        database, tenants(), sender, now, rate_per_minute=rate or None, stopping=stopping, link=link, own=own
    )


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would go out today and why the rest would not; send nothing.")
@JSON
def deliver(dry_run: bool, as_json: bool) -> None:
    """Send what is queued, each notice once, however often and side by side this runs.

    With --dry-run, what would go by the end of the county's day of what is queued now (run `pumper scan` first).
    """
    if dry_run:
        show_plans(as_json)
        return
    with opened() as (settings, database):
        counts = deliver_all(settings, database)
    if as_json:
        print_json(counts_json(counts))
    else:
        click.echo(counts_line(counts))
        for trouble in counts.troubles:
            click.echo(f"  {trouble.county}: {trouble.kind} {trouble.id}: {trouble.state}: {trouble.text}")
    if counts.failed or counts.uncertain or counts.unreachable:
        sys.exit(1)


def show_plans(as_json: bool) -> None:
    """What every county would send today, and the others by reason; nothing is sent or changed."""
    now, plans = moment(), []
    with opened() as (_, database):
        for tenant in tenants():
            zone = COUNTY_TIME_ZONE if tenant == SERVICE_LOG else shipped_program(tenant).timezone
            end = dt.datetime.combine(local_date(now, zone) + dt.timedelta(days=1), dt.time(0), ZoneInfo(zone))
            with database.reading(tenant) as store:
                plans.append(plan_mails(store, now, end))
    if as_json:
        print_json([plan.as_json() for plan in plans])
        return
    for plan in plans:
        click.echo(plan_line(plan))
        for one in plan.going:
            again = " (again: it may have arrived)" if one.state == MessageState.UNCERTAIN else ""
            click.echo(f"  {one.kind:<20} {one.recipient}{again}")


def plan_line(plan: Plan) -> str:
    """One county's plan in a line."""
    staying = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in plan.staying.items())
    return f"{plan.county}: {len(plan.going)} would go today" + (f"; not: {staying}" if staying else "")


def counts_json(counts: DeliveryCounts) -> dict[str, object]:
    """What a delivery did, as plain JSON values."""
    names = ("sent", "failed", "uncertain", "waiting", "cancelled", "lost", "unreachable", "still_queued", "held")
    troubles = [asdict(trouble) for trouble in counts.troubles]
    return {**{name: getattr(counts, name) for name in names}, "troubles": troubles}


def counts_line(counts: DeliveryCounts) -> str:
    """What a delivery did, in a line."""
    said = Counter({k: v for k, v in counts_json(counts).items() if isinstance(v, int) and v})
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in said.items()) or "nothing to send"
