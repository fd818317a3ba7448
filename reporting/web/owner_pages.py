"""The addresses of the owner's pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from reporting.web import owner, owner_forms, owner_papers, owner_statement

PAGES: Final[tuple[tuple[str, str, Callable[..., Any], tuple[str, ...]], ...]] = (
    ("/my-system", "my_system", owner.show_own_system, ("GET",)),
    ("/my-system/notice", "my_notice", owner_forms.show_notice_form, ("GET",)),
    ("/my-system/notice", "my_notice_told", owner_forms.tell_own_notice, ("POST",)),
    ("/my-system/contractor", "my_contractor", owner_forms.show_contractor_form, ("GET",)),
    ("/my-system/contractor", "my_contractor_named", owner_forms.name_contractor, ("POST",)),
    ("/my-system/statement", "my_statement", owner_statement.show_statement_form, ("GET",)),
    ("/my-system/statement", "my_statement_filed", owner_statement.file_own_statement, ("POST",)),
    ("/my-system/contact", "my_contact", owner_forms.show_contact_form, ("GET",)),
    ("/my-system/contact", "my_contact_changed", owner_forms.change_own_contact, ("POST",)),
    ("/my-system/mail", "my_mail_chosen", owner_forms.choose_own_mail, ("POST",)),
    ("/my-system/standing.pdf", "my_standing_pdf", owner_papers.own_standing_certificate, ("GET",)),
)
"""As in `reporting.web.pages`."""
