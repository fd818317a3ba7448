"""When a septic tank was last serviced, drawn so that most are in order and some are due, late or unknown."""

from dataclasses import dataclass
from datetime import date, timedelta

from maker.dice import AS_OF, LAST_SERVICE, Dice, months_before, working


@dataclass(frozen=True, kw_only=True)
class Service:
    """A tank's past: last service and the one before; `recorded` says that reports of them are in the history file."""

    last_on: date | None
    before_on: date | None
    recorded: bool

    @property
    def baseline_on(self) -> date | None:
        """The service that only the inventory knows: what came before the reports on file."""
        return self.before_on if self.recorded else self.last_on


def plan_service(dice: Dice, months: int, installed_on: date | None, recorded: float) -> Service:
    """Draw a past for a tank serviced every so many months; `recorded` is the share with reports on file.

    Of those serviced, some 82 in 100 come due more than 60 days after AS_OF, 9 within 60 days, 9 are overdue.
    A tank newer than its drawn service has had none yet.
    """
    turn = dice.real(0, 1)
    if turn < 0.82:
        due_on = dice.day(AS_OF + timedelta(days=62), AS_OF + timedelta(days=30 * months - 20))
    elif turn < 0.91:
        due_on = dice.day(AS_OF + timedelta(days=2), AS_OF + timedelta(days=58))
    else:
        due_on = dice.day(AS_OF - timedelta(days=700), AS_OF - timedelta(days=8))
    last_on = min(working(months_before(due_on, months)), LAST_SERVICE)
    if installed_on is not None and last_on <= installed_on:
        return Service(last_on=None, before_on=None, recorded=False)
    before_on: date | None = working(months_before(last_on, months) + timedelta(days=dice.between(-50, 10)))
    if before_on is not None and ((installed_on is not None and before_on <= installed_on) or dice.chance(0.25)):
        before_on = None
    return Service(last_on=last_on, before_on=before_on, recorded=dice.chance(recorded))
