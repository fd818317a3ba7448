"""The exceptions of the service: one tree, for what the caller cannot have meant or the machine cannot do.

Bad data in a report is never one of these: it is an `Issue`. The docstring of a class is its message; what is
particular to one case comes after it.
"""

from __future__ import annotations


class PumperError(Exception):
    """The service could not do what was asked."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail)
        self.detail = detail

    @property
    def message(self) -> str:
        """The general sentence, without the particulars: safe to show to anybody."""
        return " ".join((type(self).__doc__ or "").split())

    def __str__(self) -> str:
        return f"{self.message} {self.detail}".rstrip()


class ConfigurationError(PumperError):
    """The configuration cannot be used."""


class StoreError(PumperError):
    """The database could not do what was asked."""


class DatabaseUnavailable(StoreError):
    """The database cannot be reached; try again shortly."""


class DatabaseBusy(DatabaseUnavailable):
    """The database is busy with other work; try again shortly."""


class QueryTooSlow(StoreError):
    """The database took too long over this question; ask for less at once."""


class StorageFull(StoreError):
    """The database has no room left; nothing was stored."""


class MigrationFailed(StoreError):
    """The database could not be brought up to date."""


class CopyFailed(StoreError):
    """Not everything could be copied; nothing was."""


class CountyMissing(StoreError):
    """This needs a transaction of one county."""


class RecordNotFound(StoreError):
    """There is no such record."""


class ReportEnded(PumperError):
    """This report was amended or voided before; only the one that stands can be changed."""


class SubmissionEnded(PumperError):
    """This submission was undone before, or was refused: there is nothing of it to take back."""


class ReasonMissing(PumperError):
    """Say why: an amendment or a void needs its reason."""


class AlreadyDecided(PumperError):
    """Somebody has decided this review before; undo it by moving the report."""


class DecisionRefused(PumperError):
    """This cannot be decided so."""


class KeyNotAllowed(PumperError):
    """Such a key cannot be made."""


class TooManyKeys(KeyNotAllowed):
    """This holder has as many live keys as it may."""


class AccessRefused(PumperError):
    """This cannot be given or taken so."""


class BadCursor(PumperError):
    """The cursor is not one that this list gave out."""


class RecordError(PumperError):
    """The record cannot be kept as it must be."""


class EntryNotAllowed(RecordError):
    """This entry cannot be written down in the log."""


class SigningKeyUnusable(RecordError):
    """The signing key cannot be used."""


class ReceiptUnreadable(RecordError):
    """This is not a receipt of this service."""


class CheckpointUnreadable(RecordError):
    """This is not a checkpoint of this service."""


class ExportRefused(RecordError):
    """The log cannot be exported there."""


class BackupRefused(RecordError):
    """The backup cannot be made there."""


class RestoreRefused(RecordError):
    """The backup was not restored."""


class MoveRefused(RecordError):
    """The database was not moved."""


class RetentionRefused(RecordError):
    """That may not be destroyed, or not so."""
