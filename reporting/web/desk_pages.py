"""The addresses of the county's desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from reporting.web import (
    desk,
    desk_cases,
    desk_due,
    desk_figures_page,
    desk_letters,
    desk_map,
    desk_received,
    desk_report,
    desk_reports,
    desk_reviews,
    desk_settings,
    desk_systems,
    desk_views,
)
from reporting.web.desk_files import addresses_of, file_of
from reporting.web.desk_lists import LISTS

_FILES: Final = {path: file_of(path) for path in LISTS}

PAGES: Final[tuple[tuple[str, str, Callable[..., Any], tuple[str, ...]], ...]] = (
    ("/desk", "desk", desk.show_desk, ("GET",)),
    ("/desk/reviews", "desk_reviews", desk_reviews.show_reviews, ("GET",)),
    ("/desk/reviews/<id:review_id>", "desk_review", desk_reviews.show_one_review, ("GET",)),
    ("/desk/reviews/<id:review_id>", "desk_decide_review", desk_reviews.decide_review, ("POST",)),
    ("/desk/reviews/<id:review_id>/back", "desk_send_back", desk_reviews.send_review_back, ("POST",)),
    ("/desk/systems", "desk_systems", desk_systems.show_systems, ("GET",)),
    ("/desk/systems/<id:system_id>", "desk_system", desk_systems.show_one_system, ("GET",)),
    ("/desk/obligations", "desk_due", desk_due.show_due, ("GET",)),
    ("/desk/cases", "desk_cases", desk_cases.show_cases, ("GET",)),
    ("/desk/cases/<id:case_id>", "desk_case", desk_cases.show_one_case, ("GET",)),
    ("/desk/cases/<id:case_id>", "desk_step_case", desk_cases.step_one_case, ("POST",)),
    ("/desk/cases/proposals/<id:proposal_key>", "desk_open_case", desk_cases.open_proposed, ("POST",)),
    ("/desk/cases/proposals/<id:proposal_key>/dismissal", "desk_dismiss_case", desk_cases.dismiss_proposed, ("POST",)),
    ("/desk/reports/<id:report_id>", "desk_shown_report", desk_reports.show_one_report, ("GET",)),
    ("/desk/reports/<id:report_id>/question", "desk_ask_about", desk_reports.ask_about_report, ("POST",)),
    ("/desk/reports/<id:report_id>/question/closing", "desk_close_question", desk_reports.close_question, ("POST",)),
    ("/desk/reports/<id:report_id>/back", "desk_report_back", desk_reports.send_report_back, ("POST",)),
    ("/desk/report", "desk_report", desk_report.show_report_form, ("GET",)),
    ("/desk/report", "desk_enter_report", desk_report.enter_report, ("POST",)),
    ("/desk/letters", "desk_letters", desk_letters.show_letters, ("GET",)),
    ("/desk/letters", "desk_print_letters", desk_letters.print_letters, ("POST",)),
    ("/desk/letters/<id:run_id>/mailed", "desk_confirm_letters", desk_letters.confirm_letters, ("POST",)),
    ("/desk/letters/<id:run_id>/cancelled", "desk_cancel_letters", desk_letters.cancel_letters, ("POST",)),
    ("/desk/reports", "desk_received", desk_received.show_received, ("GET",)),
    ("/desk/verifications", "desk_questions", desk_received.show_questions, ("GET",)),
    ("/desk/mails", "desk_mails", desk_received.show_mails, ("GET",)),
    ("/desk/mails/pauses", "desk_hold_mails", desk_received.hold_mails, ("POST",)),
    ("/desk/mails/pauses/<id:pause_id>/end", "desk_release_mails", desk_received.release_mails, ("POST",)),
    ("/desk/map", "desk_map", desk_map.show_map, ("GET",)),
    ("/desk/map.json", "desk_map_points", desk_map.show_points, ("GET",)),
    ("/desk/figures", "desk_figures", desk_figures_page.show_figures, ("GET",)),
    ("/desk/views", "desk_save_view", desk_views.save_view, ("POST",)),
    ("/desk/views/<id:view_id>/removal", "desk_remove_view", desk_views.remove_view, ("POST",)),
    *(
        (address, f"desk_{path.replace('-', '_')}_file", _FILES[path], ("GET",))
        for path in LISTS
        for address in addresses_of(path)
    ),
    ("/desk/settings", "desk_settings", desk_settings.show_settings, ("GET",)),
    ("/desk/settings", "desk_set_setting", desk_settings.set_one_setting, ("POST",)),
)
"""As in `reporting.web.pages`."""
