"""The addresses of a county's administration: inventory files, users, keys, the log, the program, an owner's code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from reporting.web import desk_import, desk_keys, desk_log, desk_program, desk_users, desk_way_in

PAGES: Final[tuple[tuple[str, str, Callable[..., Any], tuple[str, ...]], ...]] = (
    ("/desk/import", "desk_import", desk_import.show_import_form, ("GET",)),
    ("/desk/import", "desk_take_import", desk_import.take_import, ("POST",)),
    ("/desk/imports/<id:import_id>", "desk_imported", desk_import.show_import, ("GET",)),
    ("/desk/imports/<id:import_id>/rejected.csv", "desk_import_rejected", desk_import.rejected_of_import, ("GET",)),
    ("/desk/users", "desk_users", desk_users.show_users, ("GET",)),
    ("/desk/users", "desk_invite", desk_users.invite_user, ("POST",)),
    ("/desk/users/<id:person_id>", "desk_give_role", desk_users.give_user_role, ("POST",)),
    ("/desk/users/<id:person_id>/removal", "desk_take_role", desk_users.take_user_role, ("POST",)),
    ("/desk/users/<id:person_id>/sessions", "desk_end_sessions", desk_users.end_user_sessions, ("POST",)),
    ("/desk/invitations/<id:invitation_id>", "desk_withdraw_invitation", desk_users.withdraw_invitation, ("POST",)),
    ("/desk/keys", "desk_keys", desk_keys.show_keys, ("GET",)),
    ("/desk/keys", "desk_make_key", desk_keys.make_key, ("POST",)),
    ("/desk/keys/<id:key_id>/rotation", "desk_rotate_key", desk_keys.rotate_one_key, ("POST",)),
    ("/desk/keys/<id:key_id>/end", "desk_end_key", desk_keys.end_one_key, ("POST",)),
    ("/desk/log", "desk_log", desk_log.show_log, ("GET",)),
    ("/desk/log/<id:seq>", "desk_log_entry", desk_log.show_entry, ("GET",)),
    ("/desk/log/<id:seq>/receipt.json", "desk_log_receipt", desk_log.receipt_of_entry, ("GET",)),
    ("/desk/program", "desk_program", desk_program.show_desk_program, ("GET",)),
    ("/what-is-asked/<slug:county>/program", "program_in_full", desk_program.show_public_program, ("GET",)),
    ("/desk/systems/<id:system_id>/way-in", "desk_owner_code", desk_way_in.show_owner_code, ("GET",)),
    ("/desk/systems/<id:system_id>/way-in", "desk_make_owner_code", desk_way_in.make_owner_code, ("POST",)),
    (
        "/desk/systems/<id:system_id>/way-in/withdrawal",
        "desk_withdraw_owner_code",
        desk_way_in.withdraw_owner_code,
        ("POST",),
    ),
    ("/office", "office_users", desk_users.show_colleagues, ("GET",)),
    ("/office", "office_invite", desk_users.invite_a_colleague, ("POST",)),
    ("/office/people/<id:person_id>", "office_give_role", desk_users.give_colleague_role, ("POST",)),
    ("/office/people/<id:person_id>/removal", "office_take_role", desk_users.take_colleague_role, ("POST",)),
    ("/office/people/<id:person_id>/sessions", "office_end_sessions", desk_users.end_colleague_sessions, ("POST",)),
    ("/office/invitations/<id:invitation_id>", "office_withdraw", desk_users.withdraw_colleague, ("POST",)),
    ("/office/keys", "office_keys", desk_keys.show_my_keys, ("GET",)),
    ("/office/keys", "office_make_key", desk_keys.make_my_key, ("POST",)),
    ("/office/keys/<id:key_id>/rotation", "office_rotate_key", desk_keys.rotate_my_own_key, ("POST",)),
    ("/office/keys/<id:key_id>/end", "office_end_key", desk_keys.end_my_key, ("POST",)),
)
"""As in `reporting.web.pages`."""
