"""Broadcasting: a petition to allot a channel to a town. Proposed rules, short."""

from __future__ import annotations

from longctx.corpus.register import stock
from longctx.corpus.register.country import WAVES, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, preamble, signed, table, write

GROUNDS = (
    "the town has grown by a third since the tannery became a university",
    "the mountain shuts out every station that now claims to serve the valley",
    "the only local station fell silent after its mast was struck by lightning",
    "fishermen depend on weather bulletins that reach them too late",
    "a third of the residents speak a language in which nothing is broadcast",
    "the ferry terminal brings thousands of travelers who hear no local warnings",
    "the newspaper closed and nothing now reports the council's sittings",
    "the town lies outside the contour of the siren network of the dam",
)
SITES = (
    "to keep clear of the landing path of an airfield",
    "to protect the receivers of a radio observatory",
    "because the nearer hill is a listed burial ground",
    "to avoid overlap with a station of the same channel across the strait",
    "so that the signal does not disturb a hospital's telemetry",
    "because the intervening land is a firing range",
    "to stay out of the flyway of wintering geese",
    "since the rock nearer to the town will not hold a ground system",
)
PLEDGES = (
    "to read the tide tables aloud every morning and evening",
    "to set aside an hour a day for the schools",
    "to build a studio that the public can see into from the street",
    "to carry no advertising on Sundays",
    "to lend its mast to the fire brigade free of charge",
    "to train two apprentices a year",
    "to keep a record of every program for seven years",
    "to broadcast the sittings of the council in full",
)
RIVALS = (
    "move the allotment of a dormant station in the next province",
    "give the channel to the district capital instead",
    "reserve the channel for an educational licensee",
    "split the hours between two applicants",
    "leave the channel empty until digital service begins",
    "lower the power and allot it to three villages at once",
    "exchange it for a lower channel that carries farther",
    "join the service with an existing relay",
)

PREAMBLE = {
    "AGY": "{office}.",
    "ACT": "Proposed rule.",
    "SUM": """The Authority <requests|seeks> comment on a petition filed by {petitioner}, proposing to <amend|change>
        the Table of Allotments by <allotting|adding> Channel {channel}{klass} at {town}, <as its <first|second>
        local service|for local service>. <The ground given is|The petitioner argues> that {ground}.""",
    "DATES": "Comments must be filed <by|on or before> {deadline}, and reply comments <by|on or before> {replies}.",
    "ADD": """<Secretary, {office}|{office}, Registry>, {address}. <In addition|Besides>, parties should serve counsel
        for the petitioner: {counsel}, {firm}, Ostrey.""",
    "FURINF": "{contact}.",
}
BODY = """
This is a <synopsis|summary> of the Authority's Notice of Proposed Rule Making, MB Docket No. {docket}, adopted
{adopted}<|, and released a day later>. The <full text|text> is <available|kept> at {site}. <The
petitioner|{petitioner!c}> <states|says> that {ground}, and pledges, if the channel is <granted|allotted>, {pledge}. <A
staff engineering analysis|Our engineers' analysis> <indicates|shows> that Channel {channel}{klass} can be allotted to
{town} <consistent with|under> the minimum distance separations with a site restriction of {restriction} kilometers
{bearing} of the <community|town>, {site_reason}.

{rival_name!c} has <already|> <announced|filed> a counterproposal to {rival}. <It will be considered if it is
<perfected|completed> by the comment date|The counterproposal and the petition exclude each other>. <Interested
parties|Parties> should <address|say> <whether|if> {town}, with {people:,} residents, <is a community for allotment
purposes|has the marks of a community, such as a post office and a council of its own>.

# Proposed Amendment
<For the reasons stated|Accordingly>, the Authority proposes to amend 47 CVR part 73, § 73.202(b), Table of Allotments:

@table
"""


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    names = country.names
    columns = zip(
        pen.deal(GROUNDS, count),
        pen.deal(SITES, count),
        pen.deal(PLEDGES, count),
        pen.deal(RIVALS, count),
        pen.spread(221, 300, 1, count),
        pen.spread(12, 148, 1, count),
        pen.spread(1900, 38900, 7, count),
        strict=True,
    )
    return [
        {
            **stock.common(country, WAVES),
            "ground": ground,
            "site_reason": reason,
            "pledge": pledge,
            "rival": rival,
            "channel": channel,
            "klass": pen.pick(["A", "B", "C1", "C2", "C3"]),
            "restriction": f"{restriction / 10}",
            "people": people,
            "bearing": pen.pick(["north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"]),
            "petitioner": names.firm("Broadcasting", "Radio", "Community Media"),
            "rival_name": names.firm("Wireless", "Sound", "Stations"),
            "town": names.town(),
            "province": country.province(),
            "deadline": country.on(45),
            "replies": country.on(60),
            "counsel": names.person(),
            "firm": f"{names.family()} & {names.family()}",
            "docket": f"{country.year % 100}–{pen.integer(101, 480)}",
            "adopted": country.on(-pen.integer(6, 15)),
            "contact": country.contact(country.person(), "Audio Division", WAVES, brief=True),
            "signer": country.person(),
        }
        for ground, reason, pledge, rival, channel, restriction, people in columns
    ]


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    rows = [(f"{facts['province']} Province", ""), (facts["town"], f"{facts['channel']}{facts['klass']}")]
    return Sheet(
        kind="PRORULE",
        agency=WAVES,
        subject=pen.say("Radio Broadcasting Services; {town}, {province} Province", facts),
        heads=[("CFR", "47 CVR Part 73"), ("DEPDOC", pen.say("[MB Docket No. {docket}; RM–{people}]", facts))],
        preamble=preamble(pen, PREAMBLE, facts),
        body=write(pen, BODY, facts, {"table": table("", ["Community", "Channel No."], rows)}),
        signature=signed(f"Adopted: {facts['adopted']}", facts["signer"], "Assistant Chief, Audio Division"),
    )


GENRE = Genre(
    name="broadcasting",
    count=5,
    draw=draw,
    compose=compose,
    names=(
        "the proposal to allot Channel {channel}{klass} to {town}",
        "the petition of {petitioner} for a channel at {town}",
        "the radio allotment proposed for {town}",
    ),
    asks=(
        Ask(
            "ground",
            "Because {ground}",
            ("Which reason does the petitioner give in support of {name}?", "On what ground does {name} rest?"),
        ),
        Ask("site", "{site_reason!c}", ("Why is there a restriction on the transmitter site in {name}?",)),
        Ask("pledge", "{pledge!c}", ("What did the petitioner pledge in connection with {name}?",)),
        Ask(
            "rival",
            "{rival!c}",
            (
                "What does the counterproposal to {name} suggest doing?",
                "What would {rival_name} have the Authority do instead of {name}?",
            ),
        ),
        Ask(
            "restriction",
            "{restriction} kilometers",
            ("How far from the town is the site restriction in {name}?",),
            numerical=True,
        ),
        Ask(
            "people",
            "{people:,} residents",
            ("How many residents does the town have, according to {name}?",),
            numerical=True,
        ),
    ),
)
