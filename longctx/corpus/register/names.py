"""Names of places, people and firms in Verrany, joined from parts: thousands of each, none given twice in an issue."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from longctx.corpus.register.pen import Pen, capital

STEMS = """
Ald Ash Aven Bar Bel Bex Birch Bram Bren Brock Cal Carn Chal Cold Corr Crow Dal Dar Dray Dun Eld Elm Fal Far Fen Fir
Frost Gar Gled Gor Grim Had Hal Harr Hart Hazel Hep Hod Holl Hunt Ill Jes Kel Kest Kirr Lam Lan Led Lod Long Lyn Mal Mar
Mell Mid Mor Nar Net Nev Nor Oak Ock Ost Pell Pem Penn Pit Quar Ram Rav Red Rill Ros Rud Sal Sax Sel Ship Skell Stam
Stan Sund Swan Tam Tar Tav Ten Thorn Thur Tor Tru Ull Und Var Vell Wad Wal Wen Wey Whit Wil Win Wol Wys Yar Yel
""".split()
LINKS = ["", "", "", "", "er", "en", "ing"]
TOWN_ENDS = """
bridge brook by combe cote dale den field fleet ford gate ham haven hithe holm hurst ley market mere minster moor mouth
port rick stead stoke stow thorpe ton wade wick wold worth
""".split()
RIVER_ENDS = ["a", "ane", "beck", "burn", "ell", "ene", "esk", "ine", "iss", "ow", "une", "water"]
FAMILY_ENDS = """
ack ander ard aster away by den der ell en er ett field ing iver kin lake land low man mond more nett ney quist rell ric
ridge row rup sen sham ske son ster ston strom ter vale vin ward well wick win wood yer
""".split()
GIVEN = """
Adela Alaric Amira Anders Anneke Ansel Astrid Benno Berit Bram Calla Carsten Celia Conrad Corin Dagny Dario Delphine
Dirk Edda Eamon Elias Elke Emeric Esther Fenna Fergus Flora Frida Gareth Gemma Gerrit Greta Hamid Hanne Hector Hedda
Hollis Ida Idris Ingrid Iris Ivo Jannik Joan Jonas Judith Kamal Karin Kaspar Kerstin Lars Leila Leopold Linnea Lorenz
Lucia Magnus Maren Marius Matilda Mirko Moira Nadia Nevin Nils Noor Odile Olaf Oriel Osric Paloma Pascal Petra Piers
Quentin Ragna Ramona Rasmus Renske Rhys Rosalind Rowan Ruth Samir Saskia Selma Sigrid Silas Solveig Stefan Sunniva
Tamsin Tarik Thea Tobias Torsten Ulrich Ursula Valda Vera Viktor Wendel Willa Winifred Yara Yorick Yusuf Zelda Zeno
""".split()
CLASHES = re.compile(r"(.)\1\1|[^aeiouy]{5}|[aoe][aeou]|(..)\2", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Person:
    given: str
    family: str

    def __str__(self) -> str:
        return f"{self.given} {self.family}"


class Names:
    """Draws names that this issue has not used yet. Two names never begin alike, so that none is taken for another."""

    def __init__(self, pen: Pen) -> None:
        self._pen = pen
        self._used: set[str] = set()
        self._given = iter(self._endless(GIVEN))

    def town(self) -> str:
        before = self._pen.pick(
            ["", "", "", "", "", "", "", "", "", "", "", "", "Upper ", "Nether ", "East ", "Great ", "Port ", "Little "]
        )
        return self._fresh(lambda: before + self._joined(TOWN_ENDS))

    def river(self) -> str:
        return self._fresh(lambda: self._joined(RIVER_ENDS)) + " River"

    def water(self, *kinds: str) -> str:
        """`Kestmere Sound`: one of the kinds of place after a name."""
        name = self._fresh(lambda: self._joined([*RIVER_ENDS, "mouth", "holm", "wick", "haven"]))
        return f"{name} {self._pen.pick(kinds)}"

    def person(self) -> Person:
        return Person(next(self._given), self.family())

    def family(self) -> str:
        return self._fresh(lambda: self._joined(FAMILY_ENDS))

    def firm(self, *trades: str) -> str:
        """A company: `Harrowby Metals Limited`; the trade is one of those given."""
        pen, trade = self._pen, self._pen.pick(trades)
        match pen.below(5):
            case 0:
                return f"{self.family()} & {self.family()} {trade} Limited"
            case 1:
                return f"{self.town()} {trade} {pen.pick(['Company', 'Cooperative', 'Partners'])}"
            case 2:
                return f"{self.family()} Brothers {trade}"
            case 3:
                return f"{self.town()} {trade} plc"
        return f"{self.family()} {trade} {pen.pick(['Limited', 'Group', 'Incorporated', 'Works'])}"

    def coined(self, starts: str, middles: str, ends: str) -> str:
        """A made-up word from one part of each list: for substances, models and ships."""
        pick = self._pen.pick
        return self._fresh(lambda: capital(pick(starts.split()) + pick(middles.split()) + pick(ends.split())))

    def _joined(self, ends: list[str]) -> str:
        while True:
            stem, link, end = self._pen.pick(STEMS), self._pen.pick(LINKS), self._pen.pick(ends)
            if not CLASHES.search(stem + link + end) and not (stem + link).endswith(end[0]):
                return stem + link + end

    def _fresh(self, draw: Callable[[], str]) -> str:
        while True:
            name = draw()
            start = name.split()[-1][:6].lower()
            if start not in self._used:
                self._used.add(start)
                return name

    def _endless(self, names: list[str]) -> Iterator[str]:
        while True:
            yield from self._pen.deal(names, len(names))
