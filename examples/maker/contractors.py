"""The invented haulers, plumbers and inspectors, and the licences their people hold."""

from dataclasses import dataclass
from datetime import date

from maker.columns import Row


@dataclass(frozen=True, kw_only=True)
class Business:
    """A company that services tanks; `ref` opens its ticket numbers, `disposal` is where its loads go."""

    name: str
    ref: str
    address: str
    email: str
    phone: str
    counties: tuple[str, ...]
    disposal: str = ""


@dataclass(frozen=True, kw_only=True)
class Licence:
    """A credential of one person, who works for a business."""

    number: str
    kind: str
    holder: str
    business: Business
    expires_on: date


KETTLE = Business(
    name="Kettle Moraine Septic LLC",
    ref="KM",
    address="N4820 County Road I, Saukville, WI 53080",
    email="office@kettle-septic.example.com",
    phone="262-555-0110",
    counties=("ozaukee", "lake-beulah"),
    disposal="Saukville treatment plant",
)
LAKESHORE = Business(
    name="Lakeshore Pumping Co.",
    ref="LP",
    address="1140 Lake Dr, Port Washington, WI 53074",
    email="dispatch@lakeshore-pumping.example.net",
    phone="262-555-0114",
    counties=("ozaukee",),
    disposal="Port Washington treatment plant",
)
CEDAR = Business(
    name="Cedar Creek Plumbing & POWTS, Inc.",
    ref="CC",
    address="W63N610 Hanover Ave, Cedarburg, WI 53012",
    email="service@cedarcreek-powts.example.org",
    phone="262-555-0118",
    counties=("ozaukee",),
)
PLOVER = Business(
    name="Plover River Septic Service",
    ref="PR",
    address="5512 County Road Y, Stevens Point, WI 54482",
    email="ploverriver@septic.example.com",
    phone="715-555-0121",
    counties=("portage",),
    disposal="Stevens Point treatment plant",
)
AMHERST = Business(
    name="Amherst Pumpers Inc.",
    ref="AP",
    address="9604 County Road KK, Amherst, WI 54406",
    email="amherst-pumpers@example.net",
    phone="715-555-0124",
    counties=("portage",),
    disposal="Field 7, Town of Lanark (land application)",
)
SANDS = Business(
    name="Golden Sands Plumbing",
    ref="GS",
    address="2203 Post Rd, Plover, WI 54467",
    email="goldensands@plumbing.example.org",
    phone="715-555-0127",
    counties=("portage", "winnebago"),
)
FOX = Business(
    name="Fox Valley Liquid Waste LLC",
    ref="FV",
    address="2877 County Road GG, Neenah, WI 54956",
    email="reports@foxvalley-liquid.example.com",
    phone="920-555-0131",
    counties=("winnebago", "portage"),
    disposal="Grand Chute treatment plant",
)
OMRO = Business(
    name="Omro Septic & Excavating",
    ref="OS",
    address="6640 State Road 21, Omro, WI 54963",
    email="omroseptic@example.com",
    phone="920-555-0134",
    counties=("winnebago",),
    disposal="Omro treatment plant",
)
BUTTE = Business(
    name="Butte Landing Sanitary",
    ref="BL",
    address="5390 Main St, Winneconne, WI 54986",
    email="butte-landing@example.net",
    phone="920-555-0137",
    counties=("winnebago",),
    disposal="Winneconne lagoon",
)
LAKECOUNTRY = Business(
    name="Lake Country Septic Cooperative",
    ref="LC",
    address="N8840 Stringers Bridge Rd, East Troy, WI 53120",
    email="coop@lakecountry-septic.example.org",
    phone="262-555-0141",
    counties=("lake-beulah",),
    disposal="East Troy treatment plant",
)
EASTTROY = Business(
    name="East Troy Tank & Drain",
    ref="ET",
    address="2155 Energy Dr, East Troy, WI 53120",
    email="tankanddrain@example.com",
    phone="262-555-0144",
    counties=("lake-beulah",),
    disposal="East Troy treatment plant",
)
WOLF = Business(
    name="Wolf River Inspections",
    ref="WR",
    address="311 River St, Winneconne, WI 54986",
    email="inspect@wolfriver.example.org",
    phone="920-555-0147",
    counties=("portage", "winnebago"),
)


def _licence(number: str, kind: str, holder: str, business: Business, expires_on: str) -> Licence:
    return Licence(
        number=number, kind=kind, holder=holder, business=business, expires_on=date.fromisoformat(expires_on)
    )


#: Septage operators pump; the others inspect. Of all of them only 00857 had run out by AS_OF.
LICENCES = (
    _licence("00412", "septage_operator", "Dale Krueger", KETTLE, "2027-09-30"),
    _licence("00413", "septage_operator", "Mai Vang", KETTLE, "2028-09-30"),
    _licence("PM-2207", "powts_maintainer", "Dale Krueger", KETTLE, "2028-06-30"),
    _licence("00518", "septage_operator", "Ron Buchholtz", LAKESHORE, "2027-09-30"),
    _licence("MP-224513", "master_plumber", "Greta Halvorsen", CEDAR, "2029-03-31"),
    _licence("PI-1044", "powts_inspector", "Greta Halvorsen", CEDAR, "2028-06-30"),
    _licence("00731", "septage_operator", "Stan Glodowski", PLOVER, "2027-09-30"),
    _licence("00732", "septage_operator", "Amy Glodowski", PLOVER, "2028-09-30"),
    _licence("PM-2216", "powts_maintainer", "Amy Glodowski", PLOVER, "2028-06-30"),
    _licence("MP-231902", "master_plumber", "Stan Glodowski", PLOVER, "2029-03-31"),
    _licence("00764", "septage_operator", "Pao Xiong", AMHERST, "2026-09-30"),
    _licence("MP-231877", "master_plumber", "Neil Trzebiatowski", SANDS, "2029-03-31"),
    _licence("PM-2210", "powts_maintainer", "Neil Trzebiatowski", SANDS, "2027-06-30"),
    _licence("00855", "septage_operator", "Curt Oestreich", FOX, "2027-09-30"),
    _licence("00856", "septage_operator", "Lena Oestreich", FOX, "2028-09-30"),
    _licence("00857", "septage_operator", "Gus Oestreich", FOX, "2026-03-31"),
    _licence("PM-2231", "powts_maintainer", "Curt Oestreich", FOX, "2028-06-30"),
    _licence("00871", "septage_operator", "Howard Pankow", OMRO, "2027-09-30"),
    _licence("00879", "septage_operator", "Vern Schaller", BUTTE, "2028-09-30"),
    _licence("00934", "septage_operator", "Jim Wagner", LAKECOUNTRY, "2027-09-30"),
    _licence("00935", "septage_operator", "Rosa Delgado", LAKECOUNTRY, "2028-09-30"),
    _licence("PI-1181", "powts_inspector", "Rosa Delgado", LAKECOUNTRY, "2028-06-30"),
    _licence("00947", "septage_operator", "Bill Kearney", EASTTROY, "2027-09-30"),
    _licence("PI-1092", "powts_inspector", "Ingrid Sabel", WOLF, "2028-06-30"),
    _licence("PM-2245", "powts_maintainer", "Ingrid Sabel", WOLF, "2028-06-30"),
)

_BY_NUMBER = {licence.number: licence for licence in LICENCES}


def licence(number: str) -> Licence:
    """Find a licence by its number; KeyError where no sample contractor holds it."""
    return _BY_NUMBER[number]


def rows() -> list[Row]:
    """Write contractors.csv: a row a licence."""
    return [
        {
            "license_number": held.number,
            "credential_kind": held.kind,
            "business_name": held.business.name,
            "email": held.business.email,
            "phone": held.business.phone,
            "address": held.business.address,
            "expires_on": held.expires_on,
            "counties": ";".join(held.business.counties),
        }
        for held in LICENCES
    ]
