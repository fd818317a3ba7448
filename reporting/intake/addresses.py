"""Wisconsin site addresses in the form in which they are compared. Pure.

Own, because general parsers misread what is common here: county trunk highways with letters for names (`4521 CTH BB`)
and fire numbers (`N5555`, `W123N4567`).
"""

from __future__ import annotations

import re
import unicodedata

from reporting.intake.sheet import INVISIBLE

_WORD = re.compile(r"[^\W_]+")
_INITIAL_POINT = re.compile(r"(?<![^\W_])([^\W_])\.")  # C.T.H., N.
_STATE_AND_ZIP = re.compile(r"(?<![ ,])[ ,]++(?:WI|WIS|WISCONSIN)\.?[ ,]++[0-9]{5}(?:-[0-9]{4})?\s*+$")
_FIRE = re.compile(r"([NSEW])[ -]?([0-9]{2,5}[A-Z]?)(?:[ -]?([NSEW])[ -]?([0-9]{2,5}[A-Z]?))?(?= |$)")
_HOUSE_NUMBER = re.compile(r"[NSEW]?[0-9]++(?:[NSEW][0-9]++)?[A-Z]?")

# The state's kinds of highway in all spellings; the designation that follows is kept.
_ROAD_WORD = r"(?:(?:TRUNK|TRK|TR) (?:HIGHWAY|HWY)|TRUNK|TRK|TR|HIGHWAY|HWY|HY|ROAD|RD|ROUTE|RTE)"
_SECOND_WORD = r"(?: (?:HIGHWAY|HWY|ROAD|RD))?"
_COUNTY_WORD, _STATE_WORD = r"(?:COUNTY|CNTY|CTY|CO)", r"(?:STATE|ST|WISCONSIN|WIS|WI)"
_LETTERS, _NUMBER = r"(?=[A-Z]{1,3}\b)", r"(?=[0-9]{1,3}[A-Z]?\b)"
_HIGHWAYS = (
    (re.compile(rf"\b(?:{_COUNTY_WORD} {_ROAD_WORD}{_SECOND_WORD}|CTHY?|CTY|CNTY) {_LETTERS}"), "COUNTY ROAD "),
    (re.compile(r"\bCOUNTY (?=([A-Z])\1?\b)"), "COUNTY ROAD "),
    (re.compile(rf"\b(?:{_STATE_WORD} {_ROAD_WORD}{_SECOND_WORD}|STH|WIS|WI) {_NUMBER}"), "STATE ROAD "),
    (re.compile(rf"\b(?:(?:US|U S) (?:{_ROAD_WORD} )?|USH ){_NUMBER}"), "US HIGHWAY "),
)
_DIRECTIONS = {
    "NORTH": "N", "SOUTH": "S", "EAST": "E", "WEST": "W",
    "NORTHEAST": "NE", "NORTHWEST": "NW", "SOUTHEAST": "SE", "SOUTHWEST": "SW",
}  # fmt: skip
_STREETS = {
    "AV": "AVENUE", "AVE": "AVENUE", "AVEN": "AVENUE", "BCH": "BEACH", "BLVD": "BOULEVARD", "BND": "BEND",
    "CIR": "CIRCLE", "CR": "CIRCLE", "CT": "COURT", "CTS": "COURTS", "CV": "COVE", "DR": "DRIVE", "DRV": "DRIVE",
    "EST": "ESTATES", "ESTS": "ESTATES", "HBR": "HARBOR", "HL": "HILL", "HLS": "HILLS", "HTS": "HEIGHTS",
    "HWY": "HIGHWAY", "HY": "HIGHWAY", "IS": "ISLAND", "LA": "LANE", "LK": "LAKE", "LN": "LANE", "LNDG": "LANDING",
    "MDW": "MEADOW", "MDWS": "MEADOWS", "PKWY": "PARKWAY", "PKY": "PARKWAY", "PL": "PLACE", "PT": "POINT",
    "RD": "ROAD", "RDG": "RIDGE", "RTE": "ROUTE", "SHR": "SHORE", "SHRS": "SHORES", "SQ": "SQUARE", "TER": "TERRACE",
    "TERR": "TERRACE", "TRL": "TRAIL", "TR": "TRAIL", "VLY": "VALLEY", "VW": "VIEW", "WY": "WAY", "XING": "CROSSING",
}  # fmt: skip
_UNITS = {"APT": "UNIT", "APARTMENT": "UNIT", "STE": "UNIT", "SUITE": "UNIT", "RM": "UNIT", "ROOM": "UNIT"}


_COMPASS = frozenset(_DIRECTIONS) | frozenset(_DIRECTIONS.values())


def normalize_address(text: str) -> str:
    """A site address in capitals, without punctuation, with one spelling for what has several.

    `n 5555 Cty. Hwy. BB` → `N5555 COUNTY ROAD BB`; `123 West Main St. #4, Cedarburg, WI 53012` → `123 W MAIN STREET
    UNIT 4 CEDARBURG`. For comparing only: it may join addresses that differ (a match is scored and shown to somebody).
    """
    upper = unicodedata.normalize("NFKC", INVISIBLE.sub("", text[:1_000])).upper()
    upper = _STATE_AND_ZIP.sub("", upper)
    upper = _INITIAL_POINT.sub(r"\1", upper.replace("&", " AND ").replace("#", " UNIT ").replace("'", ""))
    line = _join_fire_number(" ".join(_WORD.findall(upper)))
    for pattern, kind in _HIGHWAYS:
        line = pattern.sub(kind, line)
    words = line.split(" ")
    spelled = [_spell(words, index) for index in range(len(words))]
    once = [word for index, word in enumerate(spelled) if word != "UNIT" or spelled[index - 1 : index] != ["UNIT"]]
    return " ".join(once)


def _join_fire_number(line: str) -> str:
    """A fire number at the start of an address in one piece: `W 123 N 4567` → `W123N4567`."""
    found = _FIRE.match(line)
    return "".join(part or "" for part in found.groups()) + line[found.end() :] if found else line


def _spell(words: list[str], index: int) -> str:
    word, before = words[index], words[max(0, index - 2) : index]
    if before in (["COUNTY", "ROAD"], ["STATE", "ROAD"]):  # a highway's own letters are no abbreviation
        return word
    if word == "ST":  # Saint before a name right after the number, Street elsewhere
        starts_name = not before or before[-1] in _COMPASS or _HOUSE_NUMBER.fullmatch(before[-1])
        return "SAINT" if starts_name and index + 1 < len(words) else "STREET"
    return _DIRECTIONS.get(word) or _STREETS.get(word) or _UNITS.get(word) or word
