"""A county's samples while they are being made: its inventory, its past, and what each holding tank will do next."""

from dataclasses import dataclass, field
from datetime import date

from maker.columns import Row
from maker.dice import Dice
from maker.people import owner
from maker.places import Place, address


@dataclass(frozen=True, kw_only=True)
class Track:
    """Where a metered holding tank stands after its last recorded pumping: the next report goes on from here."""

    tank: Row
    last_on: date
    reading: float
    gallons_per_day: float


@dataclass
class County:
    """The samples of one program, filled in as systems are made."""

    place: Place
    dice: Dice
    inventory: list[Row] = field(default_factory=list)
    history: list[Row] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    _addresses: set[str] = field(default_factory=set)
    _systems: int = 0

    def new_system(self) -> Row:
        """Open a system: number, parcel, place and owner. What it is made of comes from the caller."""
        self._systems += 1
        town = self.dice.pick(self.place.towns)
        street = address(self.dice, town)
        while street in self._addresses:
            street = address(self.dice, town)
        self._addresses.add(street)
        south, north, west, east = self.place.box
        located = self.dice.chance(0.7)
        quarter = f"{self.dice.pick(('NE', 'NW', 'SE', 'SW'))}1/4 {self.dice.pick(('NE', 'NW', 'SE', 'SW'))}1/4"
        return {
            "number": self._systems,
            "parcel_number": self.place.parcel(self.dice, self._systems),
            "site_address": street,
            "municipality": town.name,
            "postcode": town.postcode,
            "legal_description": f"{quarter} S{self.dice.between(1, 36)} {town.section}",
            **owner(
                self.dice, self.place, f"{street}, {town.name.split(' of ')[1]}, WI {town.postcode}", self._systems
            ),
            "latitude": f"{self.dice.real(south, north):.5f}" if located else None,
            "longitude": f"{self.dice.real(west, east):.5f}" if located else None,
            "access_notes": self.dice.pick(ACCESS) if self.dice.chance(0.12) else None,
            "building": "dwelling",
            "use": "year_round",
            "status": "active",
        }

    def permit(self, system: Row, year: int, *, old: bool) -> str:
        """Number a permit: before July 2000 in one of the county's old styles, since then in the present one."""
        number = int(str(system["number"]))
        return self.place.old_permit(self.dice, number) if old else self.place.new_permit(self.dice, number, year)


ACCESS = (
    "Dog; call first",
    "Risers under the deck, left corner",
    "Gate code from owner, day before",
    "Soft drive in spring: 60 ft of hose",
    'Lid marked "A" is the house, "B" the cottage',
)


def system_on_same_parcel(county: County, neighbour: Row) -> Row:
    """Open a second system on a parcel: another permit and house, the same owner, parcel number and description."""
    system = county.new_system()
    shared = (
        "parcel_number",
        "municipality",
        "postcode",
        "legal_description",
        "owner_name",
        "owner_email",
        "owner_phone",
    )
    return system | {name: neighbour[name] for name in shared}
