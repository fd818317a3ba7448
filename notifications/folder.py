"""A sender that writes each message into a folder as an .eml file: for the demo, and to look at before going live."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from notifications.compose import Mail, MailRefused, compose
from notifications.outcomes import Outcome, Permanent, Sent, Unreachable


class FolderSender:
    """Writes `<left half of the Message-ID>.eml`, whole or not at all; the same message again is the same file."""

    def __init__(self, folder: Path, mail_from: str) -> None:
        self._folder = folder
        self._mail_from = mail_from

    @property
    def mail_from(self) -> str:
        """The sender's address of every mail."""
        return self._mail_from

    def send(self, mail: Mail) -> Outcome:
        """Write one file. A folder that cannot be written to is a relay out of reach."""
        try:
            content = compose(mail, self._mail_from).as_bytes()
        except MailRefused as error:
            return Permanent(text=str(error))
        name = re.sub(r"[^A-Za-z0-9._-]", "_", mail.message_id.strip("<>").partition("@")[0]).lstrip(".")
        try:
            self._write(self._folder / f"{name}.eml", content)
        except OSError as error:
            return Unreachable(text=f"The folder for mails cannot be written to: {error.strerror}.")
        return Sent(text=f"{name}.eml")

    def _write(self, path: Path, content: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=self._folder, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is open."""
