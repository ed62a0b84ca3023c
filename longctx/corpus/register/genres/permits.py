"""Environmental permits: a draft permit to discharge into a river, open for comment. Notices, long."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import stock
from longctx.corpus.register.country import PERMITS, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, items, preamble, signed, table, write


class Plant(NamedTuple):
    plant: str
    makes: str
    trade: tuple[str, ...]


PLANTS = (
    Plant("Paper Mill", "tissue and wrapping paper from waste paper", ("Paper",)),
    Plant("Dairy", "butter, whey powder, and hard cheese", ("Dairies", "Creamery")),
    Plant("Tannery", "sole leather by means of oak bark and, for a tenth of the hides, chromium salts", ("Leather",)),
    Plant("Plating Works", "door fittings of brass and steel, plated with nickel", ("Fittings", "Plating")),
    Plant("Cannery", "cans of herring, mackerel, and peas", ("Canning", "Preserves")),
    Plant("Dye Works", "cotton and wool cloth dyed in the piece", ("Textiles", "Dyeing")),
    Plant("Glue Works", "bone glue, gelatin, and tallow", ("Glue", "Gelatin")),
)
CHANGES = (
    "a settling basin is added, so that the first flush after rain no longer goes straight to the river",
    "the place of discharge moves below the bathing beach, where the current is faster",
    "cooling water, which was mixed with the rest, gets a channel of its own",
    "the limit for summer now begins in April, when the river has been low of late",
    "samples are taken in proportion to the flow and no longer by the clock",
    "a quarter of the water is to be used again within the plant",
    "the storm tank is enlarged to hold the rain of six hours",
    "the sludge is pressed dry and taken away, where it used to be spread on the lawn",
)
REASONS = (
    "a hatchery downstream lost its fry on two mornings in the same week",
    "divers found that the bed was bare for three hundred meters",
    "the town has built its new waterworks nearer than the old",
    "a study of river temperatures showed a rise that nothing else explains",
    "neighbors kept a diary of smells that agreed with the log of the plant",
    "the dilution had been reckoned from a gauge that read too high",
    "the river was entered in the list of waters for salmon last year",
    "mud from the harbor could no longer be dumped at sea because of what was in it",
)
DENIED = (
    (
        "to be judged by yearly instead of monthly averages",
        "fish do not survive a bad month by virtue of a good one",
    ),
    (
        "to take its own samples without a witness",
        "two earlier series of its samples could not be repeated",
    ),
    (
        "to be let off the limits while the boilers are cleaned",
        "cleaning was the cause of both complaints that proved true",
    ),
    (
        "to trade part of its allowance with a plant upstream",
        "that plant is on another river for most of its discharge",
    ),
    (
        "to begin two years later than the draft provides",
        "the equipment is in stock with three suppliers",
    ),
    (
        "to keep the names of its additives secret from the public",
        "they can be read on the drums that stand in the yard",
    ),
    (
        "to count rain that falls on its roofs as dilution",
        "rain comes when the river needs it least",
    ),
)
CONDITIONS = (
    "A fence and a sign with a telephone number stand at the outfall.",
    "Samples are kept cool and reach the laboratory within {hold} hours.",
    "A second pump stands ready and is run for an hour every week.",
    "No wash water from vehicles is let into the drains of the yard.",
    "The keeper of the lock is told by telephone of every upset, whatever the hour.",
    "Tanks of more than {tank} liters stand in a basin that could hold all they contain.",
    "Oil is skimmed off daily and the quantity entered in a book.",
    "A record of chemicals bought and used is shown to an inspector on request.",
    "The river bank is planted with willow and alder over {bank} meters.",
    "Between November and March no sludge is put on the land.",
    "The treatment plant is run by a person with a certificate of the second class.",
    "Every fifth year a test with living water fleas is made at full strength.",
    "Readings that exceed a limit by half are repeated on the following day.",
    "The neighbors within {near} meters get a summary each spring.",
)
SPECIES = (
    "the white-clawed crayfish, which needs clean gravel",
    "the river lamprey, which comes up to spawn in February",
    "a freshwater pearl mussel bed of some four hundred animals",
    "the dipper, three pairs of which nest under the weir",
    "the otter, whose holt lies on the opposite bank",
    "a rare water crowfoot that grows only in that reach",
    "the sea trout, whose smolts leave the river in May",
    "the beaver, brought back to the valley nine years ago",
)
POLLUTANTS = (
    ("Biochemical oxygen demand", 12, 90),
    ("Suspended solids", 10, 80),
    ("Total phosphorus", 1, 9),
    ("Ammonia, as nitrogen", 2, 24),
    ("Oil and grease", 3, 30),
    ("Chloride", 90, 700),
    ("Adsorbable halogens", 1, 6),
    ("Zinc", 1, 5),
    ("Total nitrogen", 8, 60),
    ("Copper", 1, 4),
)

PREAMBLE = {
    "AGY": "{office}, {department}.",
    "ACT": "Notice of draft permit; <request for comments|opportunity for comment>.",
    "SUM": """<The {office} has prepared|The {office} ({short}) proposes to issue> a <draft|> permit under the {law}
        for the {works}, which <makes|produces> {makes} and discharges to the {river} at {place}. <The draft
        would replace|It would take the place of> a permit that <expired|ended> on {expired}. <The main change
        is that|Its chief novelty is that> {change}.""",
    "DATES": """Comments must be <received|in hand> by {deadline}. <A public hearing will be held on {hearing}.|A
        hearing is set for {hearing}.>""",
    "ADD": """<Send comments to|Comments go to> {office}, {address}, <or through|or to> www.rulemaking.gov.vy,
        <marked|citing> {permit}.""",
    "FURINF": "{contact}.",
}
BODY = (
    """
# I. The Facility
{owner} <owns and operates|runs> the {works} at {place}. It <makes|produces> {makes}, <employs|gives work to> {workers}
people, and <draws|takes> {intake:,} cubic meters of water a day from <wells|the river> <above the bridge|> and <the
town's supply|a spring>. <Waste water passes through|Before it is discharged the water goes through> screens, <a
balancing tank|flotation>, and a biological stage <built in|that dates from> {built}; <it enters|the treated water
enters> the river by a pipe of {pipe} centimeters, {below} meters <below|downstream of> the <weir|road bridge>.
^ <The position of the outfall|Outfall 001> is {lat}, {lon}.

<The river|The {river}> is classified for <fishing and bathing|trout and for drinking water after treatment>. Its flow
in a dry <summer|month> is {flow} cubic meters a second, <of which|and of this> the discharge <makes up|is> {percent}
percent. <Upstream there are|Above the plant lie> {upstream!w} other permitted discharges<, the largest of them that of
a town|>; <downstream|below it>, water is taken by {downstream!w} <farms|gardens> and a <fish farm|bathing place>.

# II. Compliance Until Now
Since {since} the company <reported|has reported> {reports} monthly results, <of which {violations!w} exceeded a
limit|with {violations!w} above a limit>. <Fines of|It paid fines of> {fine:,} crowns <were imposed|in all>. <Most of
the excesses|All but one of them> <fell in|came in> <autumn|August and September>, when the <storm tank|balancing
tank> was <full|being cleaned>. {short} <inspected|visited> the plant on {inspected} and <found|noted> a <meter|flow
meter>
that read {meter} percent too low, <a cracked bund|a blocked weir>, and good order <otherwise|in everything else>.

# III. Limits in the Draft
<The limits are|Limits were> derived from <the best technique in use|what the technique of the trade can do> and, where
the river <requires more|needs it>, from its quality. <They apply|They are to apply> at the <end of the pipe|outfall>
before dilution<, in milligrams per liter|>:

@limits

Flow may not exceed {max_flow:,} cubic meters <a|in any> day, acidity must <stay|lie> between pH 6.{ph1} and 8.{ph2},
and the temperature of the river may not rise by more than {kelvin} degrees <across|after> the mixing zone of {zone}
meters. <An average over a month|A monthly average> is formed from at least {samples!w} samples<; a day on which none
was taken counts as an excess|, spread over the working days>.

# IV. What Is Changed, and Why
<Compared with|In comparison to> the <expired|old> permit, <one change stands out|the greatest change is this>:
{change}. {short} <proposes it|thinks it necessary> because {reason}. <The cost is put by|According to> the company
<at|it will cost> {capital:,} crowns at once and {running:,} crowns a year; <an engineer employed by {short}|{short}'s
engineer> <thinks|reckons> that {saving} percent of the latter would be <earned back|saved> <through|by> lower charges
for water.

<The company asked|In its application the company asked> {asked}. {short} <refuses|does not propose> this, because
{denied}. <On other points the draft follows|The draft otherwise agrees with> the application<, which runs to {pages}
pages|>.

# V. Special Conditions
<Besides the limits|In addition to limits>, the draft <contains|imposes> these conditions:

@conditions

The results of monitoring are <reported|sent in> by the {report_day}th of the <following|next> month,
<signed by|over the signature of> a director. <An upset|Any upset> that may <harm|endanger> people or fish is
<reported|to be reported> within {upset} hours by telephone and within five days <in writing|by letter>. <Records are
kept|The company keeps its records> for {records!w} years.

# VI. Protected Species
{short} <consulted|has consulted> the Wildlife Service, <because|since> the reach below the outfall <is home
to|shelters> {species}. <The Service concluded|In its opinion of {opinion_on} the Service found> that the draft is <not
likely to|unlikely to> <harm it|do harm>, <provided|on condition> that work <on the bank|in the river> is done between
{work_months}. <No historic building is touched|The Monuments Board asked only that the old sluice be left standing>.

# VII. Papers
<The administrative record|The record> <holds, among others,|includes> the following:

@documents

<The way to the draft was this|The draft came about in this way>:

@steps

# VIII. Public Hearing and Final Decision
<The hearing|On {hearing} the hearing> will be held in <the gymnasium|the parish hall|the school> of {town} <from|,
beginning at> {hearing_at}. <Speakers have|Each speaker has> {minutes!w} minutes and may <leave|hand in> a written
<statement|text>. <An interpreter will be present|Interpreting is available> if asked for by {interpreter}. {short}
will <decide|issue a final decision> within {decide} days <of|after> the close of comments and <send it to|notify>
<everyone who commented|all who took part>. <A final permit|The permit> <takes effect|becomes effective> {effect_days}
days later, <for|and lasts> {term!w} years, unless <review is sought|an appeal is lodged> before the Environmental
Appeals Panel.

<Whoever thinks|A person who believes> a condition <wrong|inappropriate> must <raise|name> all <reasonably available|>
arguments <now|during the comment period>; <what is not raised cannot be appealed|an appeal can rest on nothing else>.
<Facts that arise later|New facts> <are excepted|may be added>.

# IX. How to Comment
"""
    + stock.COMMENTING
    + stock.COMMON_FOOT
)


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    columns = zip(
        pen.deal(PLANTS, count),
        pen.deal(CHANGES, count),
        pen.deal(REASONS, count),
        pen.deal(DENIED, count),
        pen.deal(SPECIES, count),
        pen.spread(400, 9_600, 50, count),
        pen.spread(60, 480, 5, count),
        strict=True,
    )
    facts = []
    for plant, change, reason, (asked, denied), species, max_flow, zone in columns:
        town = country.names.town()
        facts.append(
            {
                **stock.common(country, PERMITS),
                **plant._asdict(),
                "town": town,
                "works": f"{town} {plant.plant}",
                "owner": country.names.firm(*plant.trade),
                "place": f"{town}, {country.province()} Province",
                "river": country.names.river(),
                "change": change,
                "reason": reason,
                "asked": asked,
                "denied": denied,
                "species": species,
                "max_flow": max_flow,
                "zone": zone,
                **site(country, pen),
                **procedure(country, pen),
                "contact": country.contact(
                    country.person(), pen.pick(["Permit Writer", "Water Permits Section"]), PERMITS
                ),
                "signer": country.person(),
            }
        )
    return facts


def site(country: Country, pen: Pen) -> Facts:
    return {
        "workers": pen.integer(24, 310),
        "intake": pen.integer(500, 11_000, 50),
        "built": pen.integer(country.year - 45, country.year - 9),
        "pipe": pen.integer(20, 90, 5),
        "below": pen.integer(40, 900, 10),
        "lat": f"{pen.integer(48, 57)}°{pen.integer(10, 59)}′{pen.integer(10, 59)}″ N",
        "lon": f"00{pen.integer(2, 9)}°{pen.integer(10, 59)}′{pen.integer(10, 59)}″ W",
        "flow": f"{pen.integer(4, 60) / 10}",
        "percent": pen.integer(2, 14),
        "upstream": pen.integer(2, 6),
        "downstream": pen.integer(3, 9),
        "since": country.year - 5,
        "reports": pen.integer(48, 60),
        "violations": pen.integer(2, 9),
        "fine": pen.integer(1_000, 29_000, 500),
        "inspected": country.on(-pen.integer(60, 240)),
        "meter": pen.integer(4, 19),
        "ph1": pen.integer(0, 8),
        "ph2": pen.integer(1, 9),
        "kelvin": f"{pen.integer(10, 30) / 10}",
        "samples": pen.integer(4, 10),
        "capital": pen.integer(60_000, 900_000, 5_000),
        "running": pen.integer(4_000, 60_000, 500),
        "saving": pen.integer(20, 80),
        "hold": pen.integer(6, 30, 2),
        "tank": pen.integer(200, 1000, 50),
        "bank": pen.integer(40, 400, 10),
        "near": pen.integer(200, 900, 50),
    }


def procedure(country: Country, pen: Pen) -> Facts:
    return {
        "expired": country.on(-pen.integer(90, 500)),
        "deadline": country.on(pen.integer(35, 60)),
        "hearing": country.weekday(pen.integer(20, 33)),
        "hearing_at": pen.pick(["6 p.m.", "6:30 p.m.", "7 p.m.", "7:30 p.m."]),
        "permit": f"VP {pen.integer(10, 99)}–{pen.integer(10_000, 99_999)}",
        "docket": f"OP–{country.year}–{pen.integer(20, 420):04d}",
        "report_day": pen.pick([14, 15, 20, 25, 28]),
        "upset": pen.pick([2, 4, 6, 12, 24]),
        "records": pen.integer(3, 9),
        "opinion_on": country.on(-pen.integer(40, 120)),
        "work_months": pen.pick(["July and October", "August and October", "June and September"]),
        "minutes": pen.integer(3, 9),
        "interpreter": country.on(pen.integer(8, 15)),
        "decide": pen.pick([60, 90, 120]),
        "effect_days": pen.pick([20, 30, 33]),
        "term": pen.integer(4, 8),
        "pages": pen.integer(60, 340),
    }


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    rows = [
        (
            name,
            str(level := pen.integer(low, high)),
            str(round(level * pen.integer(14, 24) / 10)),
            pen.pick(["daily", "weekly", "twice a week"]),
        )
        for name, low, high in pen.deal(POLLUTANTS, 6)
    ]
    parts = {
        "limits": table(
            "Limits of the Draft Permit", ["Substance", "Monthly average", "Highest day", "Sampling"], rows
        ),
        "conditions": items([pen.say(line, facts) for line in pen.deal(CONDITIONS, 7)]),
        "documents": stock.documents(country, pen, facts["docket"]),
        "steps": stock.chronology(country, pen),
    }
    return Sheet(
        kind="NOTICE",
        agency=PERMITS,
        subject=pen.say("Draft <Discharge Permit|Permit to Discharge> for the {works}; {river}", facts),
        heads=[("DEPDOC", pen.say("[{permit}; Docket No. {docket}]", facts))],
        preamble=preamble(pen, PREAMBLE, facts),
        body=write(pen, BODY, facts, parts),
        signature=signed(f"Dated: {country.on(-pen.integer(3, 9))}", facts["signer"], "Director, Office of Permits"),
    )


GENRE = Genre(
    name="permits",
    count=5,
    draw=draw,
    compose=compose,
    names=(
        "the draft permit for the {works}",
        "draft permit {permit} for the {works}",
        "the draft discharge permit of {owner}",
    ),
    asks=(
        Ask(
            "change",
            "{change!c}",
            (
                "What is the main change made by {name}?",
                "In what does {name} chiefly differ from the permit before it?",
            ),
        ),
        Ask(
            "reason", "Because {reason}", ("Why does the Office of Permits think the main change in {name} necessary?",)
        ),
        Ask("asked", "{asked!c}", ("What did the company ask for that {name} does not grant?",)),
        Ask("denied", "Because {denied}", ("On what ground was the company's request refused in {name}?",)),
        Ask("species", "{species!c}", ("What lives in the reach below the outfall, according to {name}?",)),
        Ask(
            "max_flow",
            "{max_flow:,} cubic meters",
            ("What daily flow may not be exceeded under {name}?",),
            numerical=True,
        ),
        Ask("zone", "{zone} meters", ("How long is the mixing zone in {name}?",), numerical=True),
    ),
)
