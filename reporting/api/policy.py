"""Who may call what: one line an endpoint. An endpoint without a line cannot be registered, and nobody else may."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from reporting.api.policy_pages import PAGES
from reporting.api.problems import Problem, absent
from reporting.store.roles import KEY_ROLES, Principal, Role, Scope
from schemas.loader import shipped_slugs

_CHALLENGE: Final = 'Bearer realm="pumper"'
_NAMED: Final = {
    Role.CONTRACTOR: "a contractor's",
    Role.COUNTY: "the county's own",
    Role.ADMIN: "an administrator's",
    Role.OWNER: "an owner's for the one system",
}


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Which keys and sessions may call an endpoint, and whether it may be called without one.

    ignores_key: the answer is the same for everybody, so that no key is looked at. scope: what the key or the person's
    roles must allow; who may do what is in `reporting.store.roles`. signed_in: for people's sessions, not for keys.
    """

    roles: frozenset[Role] = field(default_factory=frozenset)
    public: bool = False
    ignores_key: bool = False
    scope: Scope | None = None
    signed_in: bool = False

    def needing(self, scope: Scope) -> Policy:
        """The same for callers with a scope."""
        return replace(self, scope=scope)

    @property
    def words(self) -> str:
        """For the document: who may."""
        if self.ignores_key:
            return "Anybody, without a key."
        if self.signed_in:
            return "Whoever is signed in; not with a key."
        keys = ", ".join(_NAMED[role] for role in Role if role in self.roles)
        scope = f", with the scope {self.scope}" if self.scope else ""
        return f"{'Anybody; more is shown with a key' if self.public else 'With a key or signed in'}: {keys}{scope}."


_STAFF: Final = frozenset({Role.COUNTY, Role.ADMIN})

EVERYBODY: Final = Policy(public=True, ignores_key=True)
PUBLIC_AND_KEYS: Final = Policy(roles=frozenset(KEY_ROLES), public=True)
KEYS: Final = Policy(roles=frozenset(KEY_ROLES))
KEYS_AND_OWNERS: Final = Policy(roles=frozenset(Role))
STAFF: Final = Policy(roles=_STAFF)
STAFF_AND_OWNERS: Final = Policy(roles=_STAFF | {Role.OWNER})
ADMINS: Final = Policy(roles=frozenset({Role.ADMIN}))
CONTRACTORS: Final = Policy(roles=frozenset({Role.CONTRACTOR}))
PAGE: Final = Policy(roles=frozenset(Role), public=True, scope=Scope.SYSTEMS_READ)
SIGNED_IN: Final = Policy(roles=frozenset(Role), signed_in=True)

POLICIES: Final[Mapping[str, Policy]] = {
    "service.healthz": EVERYBODY,
    "service.readyz": EVERYBODY,
    "service.openapi": EVERYBODY,
    "service.docs": EVERYBODY,
    "service.docs_shapes": EVERYBODY,
    "service.security_txt": EVERYBODY,
    "web.home": PAGE,
    "web.look_up": PAGE,
    "web.show_system": PAGE,
    "web.show_way_in": PAGE,
    "web.what_is_asked": PAGE,
    "web.what_county_asks": PAGE,
    "web.program_in_full": PAGE,
    "web.asset": EVERYBODY,
    "web.serve_worker": EVERYBODY,
    **{
        f"web.{name}": Policy(roles=frozenset({role}), scope=scope)
        for role, by_scope in PAGES.items()
        for scope, names in by_scope.items()
        for name in names.split()
    },
    "programs.list_programs": EVERYBODY,
    "programs.show_program": EVERYBODY,
    "programs.report_schema": EVERYBODY,
    "reports.submit_report": KEYS.needing(Scope.REPORTS_WRITE),
    "reports.show_report": KEYS.needing(Scope.REPORTS_READ),
    "reports.amend_report": KEYS.needing(Scope.REPORTS_WRITE),
    "reports.void_report": KEYS.needing(Scope.REPORTS_WRITE),
    "reports.show_receipt": KEYS.needing(Scope.REPORTS_READ),
    "copies.copy_page": KEYS.needing(Scope.REPORTS_READ),
    "copies.copy_text": KEYS.needing(Scope.REPORTS_READ),
    "repudiation.repudiate_report": CONTRACTORS.needing(Scope.REPORTS_WRITE),
    "log.show_checkpoint": EVERYBODY,
    "log.show_keys": EVERYBODY,
    "submissions.submit_file": KEYS.needing(Scope.REPORTS_WRITE),
    "submissions.show_submission": KEYS.needing(Scope.REPORTS_READ),
    "submissions.rejected_rows": KEYS.needing(Scope.REPORTS_READ),
    "submissions.undo_submission": KEYS.needing(Scope.REPORTS_WRITE),
    "headings.show_headings": KEYS.needing(Scope.REPORTS_READ),
    "headings.teach_headings": KEYS.needing(Scope.REPORTS_WRITE),
    "reviews.list_reviews": STAFF.needing(Scope.REVIEWS_READ),
    "reviews.show_review": STAFF.needing(Scope.REVIEWS_READ),
    "reviews.resolve_review": STAFF.needing(Scope.REVIEWS_WRITE),
    "reviews.forget_review": STAFF.needing(Scope.REVIEWS_WRITE),
    "reviews.place_report": STAFF.needing(Scope.REVIEWS_WRITE),
    "systems.list_systems": KEYS.needing(Scope.SYSTEMS_READ),
    "systems.show_system": KEYS_AND_OWNERS.needing(Scope.SYSTEMS_READ),
    "systems.show_system_status": KEYS_AND_OWNERS.needing(Scope.SYSTEMS_READ),
    "systems.standing_certificate": STAFF_AND_OWNERS.needing(Scope.SYSTEMS_READ),
    "systems.find_status": PUBLIC_AND_KEYS.needing(Scope.SYSTEMS_READ),
    "merges.merge_system": STAFF.needing(Scope.REVIEWS_WRITE),
    "merges.unmerge_system": STAFF.needing(Scope.REVIEWS_WRITE),
    "obligations.list_obligations": KEYS.needing(Scope.SYSTEMS_READ),
    "obligations.obligations_csv": KEYS.needing(Scope.SYSTEMS_READ),
    "obligations.obligations_geojson": KEYS.needing(Scope.SYSTEMS_READ),
    "obligations.list_my_due": CONTRACTORS.needing(Scope.SYSTEMS_READ),
    "obligations.my_due_csv": CONTRACTORS.needing(Scope.SYSTEMS_READ),
    "records.show_records": KEYS_AND_OWNERS.needing(Scope.SYSTEMS_READ),
    "records.records_csv": KEYS_AND_OWNERS.needing(Scope.SYSTEMS_READ),
    "records.records_pdf": KEYS_AND_OWNERS.needing(Scope.SYSTEMS_READ),
    "records.service_log_csv": CONTRACTORS.needing(Scope.REPORTS_READ),
    "records.show_summary": STAFF.needing(Scope.SYSTEMS_READ),
    "records.summary_csv": STAFF.needing(Scope.SYSTEMS_READ),
    "cases.list_cases": STAFF.needing(Scope.SYSTEMS_READ),
    "cases.cases_csv": STAFF.needing(Scope.SYSTEMS_READ),
    "cases.show_case": STAFF.needing(Scope.SYSTEMS_READ),
    "cases.list_proposals": STAFF.needing(Scope.SYSTEMS_READ),
    "cases.show_permit_hold": STAFF.needing(Scope.SYSTEMS_READ),
    "cases.dismiss_proposal": STAFF.needing(Scope.CASES_WRITE),
    **{
        f"enforcement.{of}_sheet{form}": STAFF.needing(Scope.SYSTEMS_READ)
        for of in ("case", "system")
        for form in ("", "_text", "_pdf")
    },
    "cases.new_case": STAFF.needing(Scope.CASES_WRITE),
    "cases.further_step": STAFF.needing(Scope.CASES_WRITE),
    "settings.show_settings": STAFF.needing(Scope.SYSTEMS_READ),
    "settings.change_setting": STAFF.needing(Scope.SETTINGS_WRITE),
    "facts.import_inventory": STAFF.needing(Scope.FACTS_WRITE),
    "facts.owner_notice": STAFF.needing(Scope.FACTS_WRITE),
    "facts.designation": STAFF.needing(Scope.FACTS_WRITE),
    "facts.contract": STAFF.needing(Scope.FACTS_WRITE),
    "facts.document": STAFF.needing(Scope.FACTS_WRITE),
    "meters.show_meters": KEYS_AND_OWNERS.needing(Scope.SYSTEMS_READ),
    "meters.meters_csv": KEYS_AND_OWNERS.needing(Scope.SYSTEMS_READ),
    "periods.list_periods": STAFF.needing(Scope.SYSTEMS_READ),
    "periods.periods_csv": STAFF.needing(Scope.SYSTEMS_READ),
    "verifications.list_verifications": KEYS.needing(Scope.REPORTS_READ),
    "verifications.show_verification": KEYS.needing(Scope.REPORTS_READ),
    "verifications.ask_verification": STAFF.needing(Scope.FACTS_WRITE),
    "verifications.answer_verification": KEYS.needing(Scope.REPORTS_WRITE),
    "verifications.close_verification": STAFF.needing(Scope.FACTS_WRITE),
    "facts.statement": STAFF.needing(Scope.FACTS_WRITE),
    "exports.reports_csv": STAFF.needing(Scope.RECORD_READ),
    "facts.meter_reading": KEYS.needing(Scope.REPORTS_WRITE),
    "letters.list_letters": STAFF.needing(Scope.SYSTEMS_READ),
    "letters.list_runs": STAFF.needing(Scope.SYSTEMS_READ),
    "letters.make_print_run": STAFF.needing(Scope.FACTS_WRITE),
    "letters.run_pdf": STAFF.needing(Scope.SYSTEMS_READ),
    "letters.confirm_print_run": STAFF.needing(Scope.FACTS_WRITE),
    "letters.cancel_print_run": STAFF.needing(Scope.FACTS_WRITE),
    "letters.correct_print_run": STAFF.needing(Scope.FACTS_WRITE),
    "letters.mailing_proof_pdf": STAFF.needing(Scope.SYSTEMS_READ),
    "letters.mailing_proof_csv": STAFF.needing(Scope.SYSTEMS_READ),
    "district.list_pumping_windows": STAFF.needing(Scope.SYSTEMS_READ),
    "district.set_pumping_window": STAFF.needing(Scope.FACTS_WRITE),
    "district.call_off_pumping_window": STAFF.needing(Scope.FACTS_WRITE),
    "district.show_year": STAFF.needing(Scope.SYSTEMS_READ),
    "district.list_owner_mailings": STAFF.needing(Scope.SYSTEMS_READ),
    "district.file_owner_mailing": STAFF.needing(Scope.FACTS_WRITE),
    "district.correct_owner_mailing": STAFF.needing(Scope.FACTS_WRITE),
    "district.answer_owner_mailing": STAFF.needing(Scope.FACTS_WRITE),
    "district.list_window_deferrals": STAFF.needing(Scope.SYSTEMS_READ),
    "district.file_window_deferral": STAFF.needing(Scope.FACTS_WRITE),
    "exemptions.list_certificates": STAFF.needing(Scope.SYSTEMS_READ),
    "exemptions.apply_for_certificate": STAFF.needing(Scope.FACTS_WRITE),
    "exemptions.complete_certificate": STAFF.needing(Scope.FACTS_WRITE),
    "exemptions.grant_certificate": STAFF.needing(Scope.CASES_WRITE),
    "exemptions.refuse_certificate": STAFF.needing(Scope.CASES_WRITE),
    "exemptions.end_certificate": STAFF.needing(Scope.CASES_WRITE),
    "exemptions.report_certificate_change": STAFF.needing(Scope.FACTS_WRITE),
    "fees.list_fees": STAFF.needing(Scope.SYSTEMS_READ),
    "fees.fees_csv": STAFF.needing(Scope.SYSTEMS_READ),
    "fees.show_statement": STAFF.needing(Scope.SYSTEMS_READ),
    "fees.charge_fee": STAFF.needing(Scope.FACTS_WRITE),
    "fees.file_payments": STAFF.needing(Scope.FACTS_WRITE),
    "fees.waive_fee": STAFF.needing(Scope.CASES_WRITE),
    "fees.refund_fee": STAFF.needing(Scope.CASES_WRITE),
    "fee_rolls.make_roll": STAFF.needing(Scope.SETTINGS_WRITE),
    "fee_rolls.show_roll": STAFF.needing(Scope.SYSTEMS_READ),
    "fee_rolls.roll_csv": STAFF.needing(Scope.SYSTEMS_READ),
    "fee_rolls.roll_xlsx": STAFF.needing(Scope.SYSTEMS_READ),
    "mailing.show_mail": STAFF.needing(Scope.SYSTEMS_READ),
    "mailing.list_mail_pauses": STAFF.needing(Scope.SYSTEMS_READ),
    "mailing.pause_county_mail": STAFF.needing(Scope.SETTINGS_WRITE),
    "mailing.resume_county_mail": STAFF.needing(Scope.SETTINGS_WRITE),
    "mailing.list_mail_suppressions": STAFF.needing(Scope.SYSTEMS_READ),
    "metrics.show_metrics": ADMINS.needing(Scope.SYSTEMS_READ),
    "unsubscribe.show_unsubscribe": EVERYBODY,
    "unsubscribe.unsubscribe": EVERYBODY,
    "keys.list_county_keys": STAFF.needing(Scope.KEYS_MANAGE),
    "keys.create_county_key": STAFF.needing(Scope.KEYS_MANAGE),
    "keys.revoke_county_key": STAFF.needing(Scope.KEYS_MANAGE),
    "keys.rotate_county_key": STAFF.needing(Scope.KEYS_MANAGE),
    "keys.rotate_my_key": CONTRACTORS.needing(Scope.KEYS_MANAGE),
    "keys.list_my_keys": CONTRACTORS.needing(Scope.KEYS_MANAGE),
    "keys.create_my_key": CONTRACTORS.needing(Scope.KEYS_MANAGE),
    "keys.revoke_my_key": CONTRACTORS.needing(Scope.KEYS_MANAGE),
    "feeds.my_due_ics": CONTRACTORS.needing(Scope.SYSTEMS_READ),
    "feeds.feed": EVERYBODY,  # its token is in the address, and opens nothing else
    **{
        f"webhooks.{does}_{whose}_{what}": policy.needing(Scope.KEYS_MANAGE)
        for whose, policy in (("county", STAFF), ("my", CONTRACTORS))
        for what, names in (("webhooks", "list"), ("webhook", "add remove rotate test enable"), ("deliveries", "list"))
        for does in names.split()
    },
    "signin.show_signin": EVERYBODY,
    "signin.sign_in_by_password": EVERYBODY,
    "signin.send_link": EVERYBODY,
    "signin.show_link": EVERYBODY,
    "signin.use_sent_link": EVERYBODY,
    "signin.show_owner_link": EVERYBODY,
    "signin.use_owner_link": EVERYBODY,
    "ways_in.mail_owner_link": EVERYBODY,
    "ways_in.use_owner_code": EVERYBODY,
    "oidc.go_to_provider": EVERYBODY,
    "oidc.come_back": EVERYBODY,
    "invitations.show_invitation": EVERYBODY,
    "invitations.accept_invitation": EVERYBODY,
    "invitations.list_county_invitations": STAFF.needing(Scope.PEOPLE_MANAGE),
    "invitations.invite_somebody": STAFF.needing(Scope.PEOPLE_MANAGE),
    "invitations.withdraw_county_invitation": STAFF.needing(Scope.PEOPLE_MANAGE),
    "invitations.list_my_invitations": CONTRACTORS.needing(Scope.PEOPLE_MANAGE),
    "invitations.invite_colleague": CONTRACTORS.needing(Scope.PEOPLE_MANAGE),
    "invitations.withdraw_my_invitation": CONTRACTORS.needing(Scope.PEOPLE_MANAGE),
    "sessions.show_session": SIGNED_IN,
    "sessions.end_this_session": SIGNED_IN,
    "sessions.sign_out": SIGNED_IN,
    "sessions.list_own_sessions": SIGNED_IN,
    "sessions.end_own_sessions": SIGNED_IN,
    "sessions.end_own_session": SIGNED_IN,
    "staff.list_staff": STAFF.needing(Scope.PEOPLE_MANAGE),
    "staff.give_staff_role": STAFF.needing(Scope.PEOPLE_MANAGE),
    "staff.take_staff_role": STAFF.needing(Scope.PEOPLE_MANAGE),
    "staff.end_staff_sessions": STAFF.needing(Scope.PEOPLE_MANAGE),
    "staff.list_people": CONTRACTORS.needing(Scope.PEOPLE_MANAGE),
    "staff.give_role": CONTRACTORS.needing(Scope.PEOPLE_MANAGE),
    "staff.take_role": CONTRACTORS.needing(Scope.PEOPLE_MANAGE),
    "staff.end_sessions_of_colleague": CONTRACTORS.needing(Scope.PEOPLE_MANAGE),
}


def decide(policy: Policy, principal: Principal | None, county: str | None) -> None:
    """Let a call through or raise its problem: 401 without a key, 404 outside of the key's county, 403 for the rest."""
    if policy.ignores_key:
        if county is not None and county not in shipped_slugs():
            raise absent()
        return
    if principal is None and not policy.public:
        raise no_key()
    if county is not None and not (county in shipped_slugs() and _within(principal, county)):
        raise absent()
    if principal is not None and not permits(policy, principal):
        raise _forbidden(policy, principal)


def permits(policy: Policy, principal: Principal) -> bool:
    """Whether role and scopes of a caller are those that an endpoint is for."""
    if policy.signed_in:
        return principal.session is not None
    if principal.role not in policy.roles:
        return False
    if policy.scope is None:
        # A page for everybody knows who is signed in; any other line without a scope is for keys, as it always was.
        return policy.public or principal.session is None
    return policy.scope in principal.scopes


def _forbidden(policy: Policy, principal: Principal) -> Problem:
    challenge = f'{_CHALLENGE}, error="insufficient_scope"'
    if policy.signed_in:
        detail = "This is for people who are signed in, not for keys."
    elif principal.role not in policy.roles:
        detail = "Your sign-in is not for that." if principal.session else "This key is not for that."
    else:
        whose = "Your role does" if principal.session else "This key does"
        detail = f"{whose} not allow that: it takes the scope {policy.scope}."
        challenge += f', scope="{policy.scope}"' if policy.scope else ""
    return Problem(403, "forbidden", detail, headers={"WWW-Authenticate": challenge})


def _within(principal: Principal | None, county: str) -> bool:
    """Whether the county lies within the credential; without one, only what is public is shown anyway."""
    return principal is None or principal.county is None or principal.county == county


def no_key() -> Problem:
    """A call that needs a key and has none (RFC 6750, section 3)."""
    detail = "Send your key as `Authorization: Bearer KEY`, or sign in."
    return Problem(401, "no-key", detail, headers={"WWW-Authenticate": _CHALLENGE})


def bad_key() -> Problem:
    """A key that is mistyped, unknown, revoked or expired, all alike."""
    headers = {"WWW-Authenticate": f'{_CHALLENGE}, error="invalid_token"'}
    return Problem(401, "bad-key", "The key is not known, was revoked or has expired.", headers=headers)


def no_session() -> Problem:
    """A session that is unknown, ended or has run out, all alike."""
    detail = "You are not signed in any more: sign in again."
    return Problem(401, "no-session", detail, headers={"WWW-Authenticate": _CHALLENGE})
