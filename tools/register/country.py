"""The fictional country Verrany: departments that all issues share; dates, places and people drawn from the seed."""

from __future__ import annotations

import datetime
from dataclasses import asdict, dataclass

from tools.register.names import Names, Person
from tools.register.pen import Pen
from tools.register.prose import Facts, read

CAPITAL = "Ostrey"
MONTHS = (
    "January February March April May June July August September October November December".split()  # no locale
)
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


@dataclass(frozen=True, slots=True)
class Agency:
    """One entry of agencies.toml. department == name for an independent agency."""

    department: str
    name: str
    short: str
    domain: str
    street: str
    bilcod: str
    law: str
    title: int

    @property
    def full(self) -> str:
        """The name as under AGENCY:."""
        return self.name if self.name == self.department else f"{self.name} ({self.short}), {self.department}"


class Country:
    """Everything that one issue's documents share. `date` is the day of the issue, a weekday."""

    def __init__(self, seed: int, version: int) -> None:
        self.seed, self.version = seed, version
        pen = self.pen("country")
        self.names = Names(pen)
        self.provinces = [self.names.town().split()[-1] for _ in range(9)]
        self.date = datetime.date(pen.integer(2027, 2043), 1, 1) + datetime.timedelta(days=pen.integer(60, 330))
        while self.date.weekday() > 4:
            self.date += datetime.timedelta(days=1)
        self.volume = self.date.year - 1957
        self.page = pen.integer(18_000, 61_000)
        self._pen = pen

    def pen(self, *name: object) -> Pen:
        """Return a pen with its own random stream, so that a change in one document does not change the others."""
        return Pen("verrany-register", self.version, self.seed, *name)

    @property
    def year(self) -> int:
        return self.date.year

    def on(self, days: int) -> str:
        """Return `May 17, 2029`: the day so many days after the issue (before, if negative), moved off weekends."""
        return written(self.workday(days))

    def weekday(self, days: int) -> str:
        """Return `Thursday, May 17, 2029`."""
        day = self.workday(days)
        return f"{WEEKDAYS[day.weekday()]}, {written(day)}"

    def workday(self, days: int) -> datetime.date:
        day = self.date + datetime.timedelta(days=days)
        while day.weekday() > 4:
            day += datetime.timedelta(days=1)
        return day

    def agency(self, key: str) -> Agency:
        return Agency(**read("agencies")[key])

    def common(self, key: str) -> Facts:
        """Return the facts about the agency and the issue that every document has."""
        agency = self.agency(key)
        named = {"bureau": key, "agency": agency.full, "office": agency.name, "site": f"www.{agency.domain}"}
        issue = {"year": self.year, "volume": self.volume, "issue_page": self.page}
        return {**asdict(agency), **named, **issue, "address": self.address(agency)}

    def province(self) -> str:
        return self._pen.pick(self.provinces)

    def place(self) -> str:
        """Return a new town, such as `Kestmere, Aldholm Province`."""
        return f"{self.names.town()}, {self.province()} Province"

    def phone(self) -> str:
        pen = self._pen
        return f"0{pen.integer(311, 989)}–{pen.integer(200, 999)}–{pen.integer(100, 999)}"

    def cite(self, days: int) -> str:
        """Return a page of the issue so many days ago, such as `71 VR 20418`."""
        back = (self.date - self.workday(-days)).days
        year = self.workday(-days).year
        page = self.page - back * 160 if year == self.year else self._pen.integer(19_000, 64_000)
        return f"{year - 1957} VR {max(page, 400) + self._pen.below(120)}"

    def contact(self, person: Person, post: str, agency: Agency, brief: bool = False) -> str:
        """Return `Maren Harrow, Fee Analyst, Tariff Board, 140 Customs House Square, Room 3–117, Ostrey 1004; ...`."""
        pen = self._pen
        if brief:
            return f"{person}, {post}, telephone {self.phone()}; email {mail(person, agency)}"
        room = f"Room {pen.integer(1, 8)}–{pen.integer(101, 480)}"
        ways = [f"telephone {self.phone()}", f"email {mail(person, agency)}"]
        if pen.chance(40):
            ways.append(f"facsimile {self.phone()}")
        place = f"{self.address(agency)}, {room}" if pen.chance(50) else f"{room}, {self.address(agency)}"
        return f"{person}, {post}, {agency.name}, {place}; {'; '.join(ways)}"

    def address(self, agency: Agency) -> str:
        """Return the address of an agency, the same in all its documents."""
        pen = self.pen("address", agency.domain)
        return f"{pen.integer(11, 990)} {agency.street}, {CAPITAL} {pen.integer(1001, 1048)}"


def mail(person: Person, agency: Agency) -> str:
    return f"{person.given[0]}.{person.family}@{agency.domain}".lower()


def written(day: datetime.date) -> str:
    return f"{MONTHS[day.month - 1]} {day.day}, {day.year}"
