"""Where the sample systems stand: towns, roads, and each county's own numbers of addresses, parcels and permits."""

from collections.abc import Callable
from dataclasses import dataclass

from maker.dice import Dice


@dataclass(frozen=True, kw_only=True)
class Town:
    """A municipality: its postcode, township and range for legal descriptions, and the roads of its addresses."""

    name: str
    postcode: str
    section: str
    roads: tuple[str, ...]
    fire: str


@dataclass(frozen=True, kw_only=True)
class Place:
    """A county (or district) as the samples need it. `box` is south, north, west, east in degrees."""

    slug: str
    area_code: str
    towns: tuple[Town, ...]
    box: tuple[float, float, float, float]
    parcel: Callable[[Dice, int], str]
    old_permit: Callable[[Dice, int], str]
    new_permit: Callable[[Dice, int, int], str]
    operators: tuple[str, ...]
    inspectors: tuple[str, ...]


def address(dice: Dice, town: Town) -> str:
    """Make up an address by the town's pattern; `{n}`, `{w}`, `{g}` stand for numbers of the usual sizes."""
    numbers = {
        "n": dice.between(1000, 9899),
        "w": dice.between(1000, 9899),
        "g": dice.between(50, 68),
        "b": dice.between(100, 1299),
    }
    pattern = dice.pick(town.fire.split("|"))
    return pattern.format(road=dice.pick(town.roads), **numbers)


def _town(name: str, postcode: str, section: str, fire: str, roads: str) -> Town:
    return Town(name=name, postcode=postcode, section=section, fire=fire, roads=tuple(roads.split(", ")))


OZAUKEE = Place(
    slug="ozaukee",
    area_code="262",
    box=(43.21, 43.52, -88.03, -87.89),
    towns=(
        _town(
            "City of Cedarburg",
            "53012",
            "T10N R21E",
            "W{g}N{b} {road}",
            "Washington Ave, Hanover Ave, Evergreen Blvd, Portland Rd, Wauwatosa Rd",
        ),
        _town(
            "Town of Cedarburg",
            "53012",
            "T10N R21E",
            "N{n} {road}|W{w} {road}|{n} {road}",
            "Hawthorne Dr, Pleasant Valley Rd, County Road NN, Horns Corners Rd, Covered Bridge Rd, Cedar Creek Rd",
        ),
        _town(
            "Town of Grafton",
            "53024",
            "T10N R22E",
            "{b} {road}|{n} {road}",
            "Port Washington Rd, Lakefield Rd, County Road C, Terminal Rd, Ulao Rd",
        ),
        _town(
            "Town of Saukville",
            "53080",
            "T11N R21E",
            "N{n} {road}|W{w} {road}",
            "County Road K, County Road I, Cold Springs Rd, Hillcrest Rd, Blueberry Rd, Center Rd",
        ),
        _town(
            "Town of Fredonia",
            "53021",
            "T12N R21E",
            "N{n} {road}|W{w} {road}",
            "County Road A, Waubeka Rd, Kohler Dr, Hickory Grove Rd, River Park Rd",
        ),
        _town(
            "Town of Belgium",
            "53004",
            "T12N R22E",
            "N{n} {road}|{b} {road}",
            "County Road K, Sauk Trail Rd, Lake Church Rd, Jay Rd, Cedar Beach Rd",
        ),
        _town(
            "City of Mequon",
            "53097",
            "T9N R21E",
            "{n} N {road}|{n} W {road}",
            "Granville Rd, Farmdale Rd, Bonniwell Rd, Swan Rd, Pioneer Rd",
        ),
    ),
    parcel=lambda dice, n: f"{dice.between(1, 14):02}-{dice.between(1, 60):03}-{n % 36 + 1:02}-{n:03}.00",
    old_permit=lambda dice, n: dice.pick([f"SP-{1000 + n}", f"SP {3000 + n}", f"{dice.between(74, 99)}-{4000 + n}"]),
    new_permit=lambda dice, n, year: f"OZ-{year}-{n:04}",
    operators=("00412", "00413", "00518"),
    inspectors=("PI-1044", "MP-224513", "PM-2207"),
)

PORTAGE = Place(
    slug="portage",
    area_code="715",
    box=(44.26, 44.67, -89.83, -89.26),
    towns=(
        _town(
            "Town of Hull",
            "54482",
            "T24N R8E",
            "{n} {road}",
            "Jordan Rd, County Road X, Torun Rd, North Second Dr, Wilshire Blvd",
        ),
        _town(
            "Town of Plover",
            "54467",
            "T23N R8E",
            "{n} {road}",
            "County Road B, Kennedy Ave, River Dr, Lake Pacawa Rd, Eisenhower Ave",
        ),
        _town(
            "Town of Amherst",
            "54406",
            "T23N R10E",
            "{n} {road}",
            "Tomorrow River Rd, County Road KK, Buchholz Rd, Lake Emily Rd",
        ),
        _town(
            "Town of New Hope",
            "54407",
            "T25N R10E",
            "{n} {road}",
            "County Road Z, Sunset Lake Rd, Trout Creek Rd, Budsberg Rd",
        ),
        _town(
            "Town of Sharon",
            "54482",
            "T25N R9E",
            "{n} {road}",
            "State Highway 66, County Road K, Ellis Rd, Bear Lake Rd",
        ),
        _town("Town of Almond", "54909", "T21N R9E", "{n} {road}", "County Road D, Ninth St, Taft Rd, Cottonville Ln"),
        _town("Town of Lanark", "54406", "T22N R10E", "{n} {road}", "County Road TT, Otto Rd, Spring Lake Rd"),
    ),
    parcel=lambda dice, n: (
        f"0{dice.between(10, 36)}24{dice.between(6, 10):02}{dice.between(10, 36)}-{dice.between(1, 16):02}.{n:03}"
    ),
    old_permit=lambda dice, n: dice.pick([f"P-{dice.between(71, 99)}-{n:03}", f"{20000 + n}", f"No. {9000 + n}"]),
    new_permit=lambda dice, n, year: f"{year}-{n:04}",
    operators=("00731", "00732", "00764"),
    inspectors=("PI-1092", "MP-231877", "PM-2210"),
)

WINNEBAGO = Place(
    slug="winnebago",
    area_code="920",
    box=(43.91, 44.22, -88.88, -88.42),
    towns=(
        _town(
            "Town of Algoma",
            "54904",
            "T18N R16E",
            "{n} {road}",
            "Oakwood Rd, Leonard Point Rd, Omro Rd, Honey Creek Rd",
        ),
        _town(
            "Town of Omro",
            "54963",
            "T18N R15E",
            "{n} {road}",
            "State Road 21, Rivermoor Rd, County Road FF, Sand Pit Rd",
        ),
        _town(
            "Town of Winneconne",
            "54986",
            "T19N R15E",
            "{n} {road}",
            "County Road B, Lasley Point Rd, Clark Point Rd, Welsh Rd",
        ),
        _town(
            "Town of Wolf River",
            "54940",
            "T20N R14E",
            "{n} {road}",
            "County Road H, Wolf River Rd, Lakeview Ln, Zittau Rd",
        ),
        _town(
            "Town of Black Wolf",
            "54902",
            "T17N R17E",
            "{n} {road}",
            "County Road R, Black Wolf Point Rd, Fisk Ave, Nekimi Ave",
        ),
        _town(
            "Town of Vinland",
            "54956",
            "T19N R17E",
            "{n} {road}",
            "County Road GG, Brooks Rd, Grandview Rd, Breezewood Ln",
        ),
        _town("Town of Utica", "54964", "T17N R15E", "{n} {road}", "County Road K, Brown Rd, Knott Rd, Zoar Rd"),
    ),
    parcel=lambda dice, n: dice.pick(
        [
            f"{dice.between(2, 30):03}{n:04}",
            f"{dice.between(2, 30):03}-{n:04}",
            f"{dice.between(2, 30):03}-{n:04}-{dice.between(1, 9):02}",
        ]
    ),
    old_permit=lambda dice, n: dice.pick([f"W {4000 + n}", f"SAN-{dice.between(1972, 1999)}-{n:03}", f"{30000 + n}/W"]),
    new_permit=lambda dice, n, year: f"W{year % 100:02}-{n:04}",
    operators=("00855", "00856", "00871"),
    inspectors=("PI-1092", "PM-2245", "PM-2231"),
)

LAKE_BEULAH = Place(
    slug="lake-beulah",
    area_code="262",
    box=(42.811, 42.838, -88.401, -88.357),
    towns=(
        _town(
            "Town of East Troy",
            "53120",
            "T4N R18E",
            "N{n} {road}|W{w} {road}",
            "East Shore Rd, South Shore Dr, Beulah Heights Rd, Stringers Bridge Rd, Wilmers Point Ln, Army Lake Rd",
        ),
        _town("Town of Troy", "53120", "T4N R17E", "N{n} {road}", "County Road J, Bluff Rd, St Peters Rd"),
    ),
    parcel=lambda dice, n: dice.pick(
        [f"N LB {n:05}", f"P ET{dice.between(1, 9)}{n:05}", f"NBH {n:05}", f"P ET {n:05}A"]
    ),
    old_permit=lambda dice, n: dice.pick([f"LB-{dice.between(72, 99)}-{n:02}", f"Wal {20000 + n}", f"#{5000 + n}"]),
    new_permit=lambda dice, n, year: f"64-{year}-{n:03}",
    operators=("00934", "00935"),
    inspectors=("PI-1181",),
)
