"""Fisheries: a season is closed or a quota moved. Temporary rules, short."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import stock
from longctx.corpus.register.country import FISHERIES, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, preamble, signed, write


class Measure(NamedTuple):
    headline: str
    does: str
    ban: str


SPECIES = (
    "cod",
    "haddock",
    "herring",
    "mackerel",
    "plaice",
    "queen scallop",
    "spurdog",
    "turbot",
    "hake",
    "Norway lobster",
)
MEASURES = (
    Measure("Closure", "closes the directed fishery for", "retain, possess, or land"),
    Measure("Closure to Trawls", "closes to vessels using trawls the fishery for", "fish by trawl for"),
    Measure("Reduced Landing Limit", "lowers the limit on each landing of", "land more than the reduced limit of"),
    Measure("Closure of the Night Fishery", "closes between sunset and sunrise the fishery for", "take at night"),
)
REASONS = (
    "landings reported by dealers reached nine tenths of the quota three weeks sooner than in any earlier year",
    "samples from the market showed that more than half the fish landed had not yet spawned",
    "observers on board counted more young fish thrown back than fish kept",
    "a shift of the cold current has driven the stock into a strip of water too narrow for so many vessels",
    "an error in adding up the spring landings had hidden that the quota was nearly used up",
    "twice the expected number of vessels moved in after the neighboring area was closed",
    "a parasite that spoils the fillet spreads fastest where the fish are crowded by nets",
    "the survey ship found only one tenth of the two-year-old fish that the quota had assumed",
)
EXCEPTIONS = (
    "vessels under eight meters that fish with handlines and land at their home harbor",
    "fish caught for a hatchery under a permit carried on board",
    "vessels already at sea, which may finish a trip of no more than four days",
    "fish taken by the school ship and given to hospitals",
    "vessels whose observer certifies each haul before it is brought below",
    "residents of the outer islands, for food and not for sale",
    "vessels that sail through with their gear lashed and covered",
    "catches of up to fifty kilograms in pots set for crab",
)
REOPENINGS = (
    "two surveys in a row find a spawning stock above the lower reference point",
    "unused quota of another province is moved here before the end of the autumn",
    "the bycatch of young fish falls below one part in twenty for a month",
    "the dealers' weekly reports show that the estimate was too high by a tenth",
    "the Fisheries Council adopts the pending amendment on mesh size",
    "every vessel in the fleet has been fitted with a tracking device",
    "the scientific committee withdraws its advice at its next session",
    "the parallel closure beyond the boundary is lifted by agreement",
)

PREAMBLE = {
    "AGY": "{office} ({short}), {department}.",
    "ACT": "Temporary rule; {headline}.",
    "SUM": """{short} {does} {species} on {area}. <This action is necessary because|The reason is that> {reason}. <It
        applies to|It binds> all vessels <with|holding> a {species} permit, except as stated below.""",
    "DATES": "Effective 00{hour} hours, local time, {begins}, through {ends}.",
    "FURINF": "{contact}.",
}
BODY = """
{short} manages the {species} fishery on {area} under the <management plan|plan> <prepared|drawn up> by the {council}
and the {law}. <The area|It> is <known|shown on charts> as Statistical Area {statistical}.

The {year} quota for the area <was set at|is> {quota:,} metric tons ({cite}). As of {counted}, {landed:,} metric tons
had been <landed| reported as landed>, <and|while> {days} fishing days <remained|were left>. {reason!c}. <The Regional
Administrator|The Administrator> <therefore|accordingly> {does} {species}: <from the hour given under DATES|during the
period given above>, no person may {ban} {species} <taken|caught> in the area.

The <prohibition|rule> does not <apply|extend> to {exception}. The area <will|may> be reopened early if {reopening}.
<Dealers|Buyers> must <enter|report> every <purchase|sale> within {report} hours.

# Classification
<This action is required by|The action is taken under> 50 CVR {part}.{section} and is exempt from review under Cabinet
Order 41. There is good cause to waive notice and <comment|public procedure>, <because|since> the data <became
available only|were received only> on {data_on} and <delay|any delay> would <allow|lead to> <the quota to be
exceeded|further damage to the stock|catches that could not be undone>. <For the same reason the thirty-day delay in
effectiveness is waived|The usual delay of thirty days is waived for the same reason>.
"""


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    names = country.names
    columns = zip(
        pen.deal(SPECIES, count),
        pen.deal(REASONS, count),
        pen.deal(EXCEPTIONS, count),
        pen.deal(REOPENINGS, count),
        pen.spread(420, 9800, 20, count),
        pen.deal(range(24, 97, 6), count),
        strict=True,
    )
    return [
        {
            **stock.common(country, FISHERIES),
            **pen.pick(MEASURES)._asdict(),
            "species": species,
            "area": "the " + names.water("Bank", "Ridge", "Grounds", "Shelf"),
            "reason": reason,
            "exception": exception,
            "reopening": reopening,
            "quota": quota,
            "landed": quota * pen.integer(88, 97) // 100,
            "report": report,
            "council": f"{pen.pick(['Northern', 'Western', 'Island', 'Southern'])} Fisheries Council",
            "hour": pen.pick(["01", "30"]),
            "begins": country.on(pen.integer(1, 6)),
            "ends": country.on(pen.integer(45, 130)),
            "counted": country.on(-pen.integer(6, 12)),
            "data_on": country.on(-pen.integer(3, 5)),
            "days": pen.integer(28, 120),
            "statistical": f"{pen.integer(411, 699)}{pen.pick('ABCD')}",
            "part": pen.integer(610, 697),
            "section": pen.integer(11, 61),
            "cite": country.cite(pen.integer(150, 240)),
            "contact": country.contact(
                country.person(), pen.pick(["Fishery Policy Analyst", "Fishery Biologist"]), FISHERIES, brief=True
            ),
            "signer": country.person(),
        }
        for species, reason, exception, reopening, quota, report in columns
    ]


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    return Sheet(
        kind="RULE",
        agency=FISHERIES,
        subject=pen.say("Fisheries of the Verranian Zone; {species!c} on {area}; {headline}", facts),
        heads=[
            ("CFR", pen.say("50 CVR Part {part}", facts)),
            ("DEPDOC", f"[Docket No. MFS–{country.year}–{pen.integer(11, 340):04d}]"),
        ],
        preamble=preamble(pen, PREAMBLE, facts),
        body=write(pen, BODY, facts),
        signature=signed(
            f"Dated: {country.on(-1)}", facts["signer"], "Regional Administrator, Marine Fisheries Service"
        ),
    )


GENRE = Genre(
    name="fisheries",
    count=6,
    draw=draw,
    compose=compose,
    names=(
        "the temporary rule on {species} on {area}",
        "the Marine Fisheries Service's action on {species} on {area}",
        "the restriction of the {species} fishery on {area}",
    ),
    asks=(
        Ask(
            "reason",
            "Because {reason}",
            ("Why was {name} necessary?", "What made the Marine Fisheries Service adopt {name}?"),
        ),
        Ask("exception", "{exception!c}", ("To whom or what does {name} not apply?", "What is excepted from {name}?")),
        Ask(
            "reopening",
            "If {reopening}",
            (
                "On what condition may the area be reopened early under {name}?",
                "What could bring {name} to an early end?",
            ),
        ),
        Ask("area", "Statistical Area {statistical}", ("In which statistical area does {name} apply?",)),
        Ask("quota", "{quota:,} metric tons", ("How large was the year's quota before {name}?",), numerical=True),
        Ask(
            "report",
            "{report} hours",
            ("Within how many hours must buyers report purchases under {name}?",),
            numerical=True,
        ),
    ),
)
