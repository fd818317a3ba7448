"""Invented owners: who they are, how they are reached, and how often an office does not know."""

from maker.columns import Row
from maker.dice import Dice
from maker.places import Place

_GIVEN = [
    "Alma",
    "Bernice",
    "Carl",
    "Chue",
    "Dale",
    "Diane",
    "Earl",
    "Elena",
    "Franklin",
    "Gladys",
    "Harriet",
    "Ignacio",
    "Jean",
    "Kia",
    "Laverne",
    "Lloyd",
    "Marge",
    "Myron",
    "Nancy",
    "Orville",
    "Patrice",
    "Ramón",
    "Roger",
    "Sheng",
    "Susan",
    "Ted",
    "Ursula",
    "Vernon",
    "Wanda",
    "Zoë",
]
_FAMILY = [
    "Anhalt",
    "Bartelt",
    "Brzezinski",
    "Castañeda",
    "Dobberstein",
    "Eickhoff",
    "Frisque",
    "Gerndt",
    "Haupt",
    "Ihlenfeld",
    "Jankowski",
    "Kohlmetz",
    "Lor",
    "Mueller-Voss",
    "Nuñez",
    "O'Rourke",
    "Pflughoeft",
    "Quandt",
    "Rasmussen",
    "Sieracki",
    "Thao",
    "Uttech",
    "Van Handel",
    "Wojcik",
    "Xiong",
    "Yahnke",
    "Zastrow",
]
_ELSEWHERE = (
    "4410 N Kildare Ave, Chicago, IL 60641",
    "1921 Maple St, Evanston, IL 60201",
    "8032 W Burleigh St, Milwaukee, WI 53222",
    "PO Box 118, Naples, FL 34102",
)


def owner_name(dice: Dice) -> str:
    """Make up an owner: a person, a couple written with a comma, a trust, now and then a firm."""
    given, family = dice.pick(_GIVEN), dice.pick(_FAMILY)
    turn = dice.real(0, 1)
    if turn < 0.55:
        return f"{given} {family}"
    if turn < 0.75:
        return f"{family}, {given} & {dice.pick(_GIVEN)}"
    if turn < 0.86:
        return f"{family.upper()} {given.upper()} {dice.pick('ABDEJKLMR')}"
    return f"{family} Family Trust" if turn < 0.96 else f"{family} Farms LLC"


def owner(dice: Dice, place: Place, home: str, number: int) -> Row:
    """Make up an owner's columns; four in ten have no e-mail address on file, some live elsewhere."""
    name = owner_name(dice)
    words = ("".join(c for c in word if c.isascii() and c.isalnum()) for word in name.lower().split())
    mailbox = ".".join(word for word in words if word)
    domain = dice.pick(("example.org", "example.com", "example.net"))
    return {
        "owner_name": name,
        "owner_email": f"{mailbox}{number}@{domain}" if dice.chance(0.6) else None,
        "owner_phone": f"{place.area_code}-555-01{dice.between(0, 99):02}" if dice.chance(0.8) else None,
        "owner_mailing_address": home if dice.chance(0.85) else dice.pick(_ELSEWHERE),
    }
