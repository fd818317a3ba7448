"""Who may see which pages: their names (`web.<name>`) by the scope that the endpoints ask for which they show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reporting.store.roles import Role, Scope

_DESK: Final = {
    Scope.SYSTEMS_READ: "desk desk_systems desk_system desk_due desk_cases desk_case desk_letters desk_settings",
    Scope.REVIEWS_READ: "desk_reviews desk_review",
    Scope.REVIEWS_WRITE: "desk_decide_review desk_send_back desk_report_back",
    Scope.REPORTS_READ: "desk_shown_report",
    Scope.CASES_WRITE: "desk_step_case desk_open_case desk_dismiss_case",
    Scope.REPORTS_WRITE: "desk_report desk_enter_report",
    Scope.FACTS_WRITE: "desk_print_letters desk_confirm_letters desk_cancel_letters desk_ask_about desk_close_question",
    Scope.SETTINGS_WRITE: "desk_set_setting",
}
_OWNER: Final = {
    Scope.SYSTEMS_READ: "my_system my_notice my_contractor my_statement my_contact my_standing_pdf",
    Scope.OWN_WRITE: "my_notice_told my_contractor_named my_statement_filed my_contact_changed my_mail_chosen",
}
"""About the one system of the session: they name none."""

_HAULER: Final = {
    Scope.SYSTEMS_READ: "my_work",
    Scope.REPORTS_READ: "service_log show_sent my_reports my_report",
    Scope.REPORTS_WRITE: "find_to_report report_other send_other report_here send_here show_amend amend void "
    "my_files show_file_form take_file",
}
"""About the business's own reports and the systems that name it; of other systems what anybody may see."""

PAGES: Final[Mapping[Role, Mapping[Scope, str]]] = {Role.COUNTY: _DESK, Role.CONTRACTOR: _HAULER, Role.OWNER: _OWNER}
"""By the one role that they are for."""
