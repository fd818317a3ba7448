"""Who may see which pages: their names (`web.<name>`) by the scope that the endpoints ask for which they show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reporting.store.roles import Role, Scope

_DESK: Final = {
    Scope.SYSTEMS_READ: "desk desk_systems desk_system desk_due desk_cases desk_case desk_letters desk_settings "
    "desk_mails desk_map desk_map_points desk_figures desk_save_view desk_remove_view desk_systems_file "
    "desk_obligations_file desk_cases_file desk_mails_file desk_print_runs_file",
    Scope.REVIEWS_READ: "desk_reviews desk_review desk_reviews_file",
    Scope.REVIEWS_WRITE: "desk_decide_review desk_send_back desk_report_back",
    Scope.REPORTS_READ: "desk_shown_report desk_received desk_questions desk_reports_file desk_verifications_file",
    Scope.CASES_WRITE: "desk_step_case desk_open_case desk_dismiss_case",
    Scope.REPORTS_WRITE: "desk_report desk_enter_report",
    Scope.FACTS_WRITE: "desk_print_letters desk_confirm_letters desk_cancel_letters desk_ask_about desk_close_question",
    Scope.SETTINGS_WRITE: "desk_set_setting desk_hold_mails desk_release_mails",
}
_ADMINISTRATION: Final = {
    Scope.SYSTEMS_READ: "desk_program",
    Scope.FACTS_WRITE: "desk_import desk_take_import desk_imported desk_import_rejected desk_owner_code "
    "desk_make_owner_code desk_withdraw_owner_code",
    Scope.PEOPLE_MANAGE: "desk_users desk_invite desk_give_role desk_take_role desk_end_sessions "
    "desk_withdraw_invitation",
    Scope.KEYS_MANAGE: "desk_keys desk_make_key desk_rotate_key desk_end_key",
    Scope.RECORD_READ: "desk_log desk_log_entry desk_log_receipt",
}
_OWNER: Final = {
    Scope.SYSTEMS_READ: "my_system my_notice my_contractor my_statement my_contact my_standing_pdf",
    Scope.OWN_WRITE: "my_notice_told my_contractor_named my_statement_filed my_contact_changed my_mail_chosen",
}
"""About the one system of the session: they name none."""

_HAULER: Final = {
    Scope.SYSTEMS_READ: "my_work",
    Scope.REPORTS_READ: "service_log show_sent my_reports my_report",
    Scope.REPORTS_WRITE: "show_waiting show_who find_to_report report_other send_other report_here send_here "
    "show_amend amend void my_files show_file_form take_file",
}
"""About the business's own reports and the systems that name it; of other systems what anybody may see."""

_OFFICE: Final = {
    Scope.PEOPLE_MANAGE: "office_users office_invite office_give_role office_take_role office_end_sessions "
    "office_withdraw",
    Scope.KEYS_MANAGE: "office_keys office_make_key office_rotate_key office_end_key",
}


def _together(*parts: Mapping[Scope, str]) -> dict[Scope, str]:
    return {scope: " ".join(part[scope] for part in parts if scope in part) for part in parts for scope in part}


PAGES: Final[Mapping[Role, Mapping[Scope, str]]] = {
    Role.COUNTY: _together(_DESK, _ADMINISTRATION),
    Role.CONTRACTOR: _together(_HAULER, _OFFICE),
    Role.OWNER: _OWNER,
}
"""By the one role that they are for."""
