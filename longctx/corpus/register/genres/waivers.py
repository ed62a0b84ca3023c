"""Railways: a petition to be let off a safety rule, with the substitute that the railway offers. Notices, long."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import stock
from longctx.corpus.register.country import RAIL, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, items, preamble, signed, table, write


class Rule(NamedTuple):
    part: int
    rule: str
    relief: str


RULES = (
    Rule(
        215,
        "the yearly opening of every journal box",
        "to measure the heat of journal boxes in motion and open only those that run warm",
    ),
    Rule(
        218,
        "the blue flag on each end of a train under repair",
        "to lock the switches of the siding from a central panel instead",
    ),
    Rule(
        229,
        "a second person in the cab of every yard engine",
        "to let one person drive yard engines by a control worn at the belt",
    ),
    Rule(
        231,
        "ladders on all four corners of a tank car",
        "to use tank cars whose only ladder stands in the middle of either side",
    ),
    Rule(
        234, "the monthly test of crossing bells by ear", "to have a microphone report every failure of a crossing bell"
    ),
    Rule(
        236,
        "the visual check of signals at the change of shift",
        "to check signals by a camera carried on the first train of the day",
    ),
    Rule(
        238,
        "the replacement of window glass after fifteen years",
        "to keep the original glass of nine saloon cars behind a clear film",
    ),
)
GROUNDS = (
    "the work required exposes people to moving trains more often than it protects them",
    "the rule was written for equipment that was scrapped a generation ago",
    "it has obeyed the rule for eleven years without a single benefit from it",
    "the traffic on the line is now a quarter of what it was when the rule was made",
    "two neighboring railways have done the same abroad since the end of the war",
    "the cost would swallow what has been saved for renewing the bridges",
    "the staff who know how to do the work will all have retired within three years",
    "what the rule asks for is done only on paper by most railways",
)
SUBSTITUTES = (
    "a track walk on the day after every heavy rain",
    "a speed of no more than thirty kilometers an hour on the whole section",
    "a logbook open to any employee, read weekly by the general manager",
    "a detector every twelve kilometers that speaks to the crew by radio",
    "an extra brake test before the long descent",
    "a course of two days with an examination for all who are concerned",
    "an independent engineer who may stop the trial by telephone",
    "a spare engine with steam up whenever the line is open",
)
OPPOSED = (
    "that the savings are reckoned without the wages of those who would watch the screens",
    "that the figures leave out the year of the derailment at the quarry",
    "that the line passes a school whose playground has no fence",
    "that a machine which reports every day what nobody reads protects nobody",
    "that a promise to be careful is not a substitute for a rule",
    "that the union's consent was given for a trial of ninety days and not for five years",
    "that passengers were not told at the hearing which carriages were meant",
    "that the same railway was fined for a false entry in its inspection book",
)
QUESTIONS = (
    "how a failure of the electric supply would be noticed",
    "whether the crews of visiting trains would know of the exception",
    "how long the substitute has been in use on a line of like gradient",
    "who would be answerable if the contractor went out of business",
    "what a passenger with poor hearing would notice of an alarm",
    "whether the trial could be confined to the months without frost",
    "what became of the two cars that failed the test last year",
    "how many employees would have other work, and where",
)

PREAMBLE: dict[str, str] = {}
BODY = (
    """
<Under|In accordance with> part 211 of title 49 of the Code of Verranian Regulations, <this document gives
notice|notice is given> that by letter <dated|of> {dated}, {railway} ({mark}) <petitioned|asked> the {office} ({short})
for a waiver of compliance with certain provisions of the railway safety regulations <contained in|at> 49 CVR part
{part}. {short} <assigned|gave> the petition docket number {docket}.

# The Petition
<Specifically|In particular>, {mark} <requests|seeks> relief from § {part}.{rule_section}, which <prescribes|calls for>
{rule}. <It wishes|Its wish is> {relief}, <for a period|during a trial> of {trial} months, on the <line|section>
between {from_town} and {to_town}, kilometers {km_from} to {km_to}. <The line carries|Over this line run> {trains!w}
trains <a day|daily>, <of which|and of these> {passenger!w} <carry|are for> passengers; <the steepest gradient is|it
rises at the steepest> 1 in {gradient}. {mark} <operates|owns> {engines} locomotives and {cars:,} cars, <of which|and>
{concerned} <are|would be> <concerned|affected>.
^ <The railway|{mark}> was chartered in {chartered} and is a <common carrier|railway of the second class>.

<In support of its request|As its reason>, {mark} <states|declares> that {ground}. <It adds|It also points out> that in
the last {years!w} years there <were|have been> {incidents!w} reportable incidents on the <section|line>, <none|not
one> of which <had to do with|was connected with> the <part|matter> that § {part}.{rule_section} is about. <An
analysis|A study> by {consultant}, <attached to the petition|filed with the petition>, <puts|estimates> the yearly cost
of compliance at {cost:,} crowns and the <expected benefit|damage avoided> at {benefit:,}.

<In place of what the rule requires|As a substitute>, {mark} <offers|undertakes to provide> {substitute}. <It would
also|Besides, it would> <keep|make> a record of every <irregularity|event> and <send|submit> it to {short} <on the
fifth day of each month|every quarter>. <Of the labor organizations one|In the employees' committee a minority>
<reserved its
position|asked for another meeting>.

# The Equipment
The equipment <concerned|that would be used> is <listed|shown> below. <All of it has been inspected|It was inspected>
by {short} within the last {inspected} months. <Car|Number> {defect_car} was <taken out of service|set aside> for a
<flat wheel|bent step>, <since repaired|which has been put right>.

@equipment

# Field Investigation
<An inspector of {short}|{inspector}, an inspector of {short},> <walked|rode over> the line on {visited}, <by day and
again after dark|in fog>. <He found|The report notes> the <ballast|track> <in good order|better than the class of the
line requires>, {ties!w} <ties|sleepers> in a hundred <to be|due for being> replaced, and <brush|trees> within {brush}
meters of the rail at kilometer {km_brush}. <Crews were able to|Nine of ten crews could>
<describe|explain> the <proposed|new> procedure <without notes|when asked>. <A test with a dummy fault|A fault arranged
for the purpose> was <noticed|reported> <after|within> {noticed} seconds.

# Earlier Decisions
{short} <granted|allowed> {mark} <similar relief|a like waiver> in {earlier_year} <for {earlier!w} years|until the end
of {earlier_end}> and <renewed it once|let it run out>. <A petition by|The petition of> {other_railway} for the same
<relief|thing> was <denied|refused> in {refused_year} <because the line had no radio|since no substitute was offered>.
<Neither decision binds the Inspectorate here| Neither is a precedent>, <and|but> both <are|have been> <placed in|added
to> the docket.

# Course of the Proceeding
@steps

# Comments Received So Far
{letters!W} <letters|comments> have <already|> come in. {c1!c} <objects|argues against the petition on the ground>
{opposed}. {c2!c} <supports it|is in favor>, <since|because> <the line would otherwise close|fewer trains would have to
wait at {to_town}>. {mark} <has announced|announces> <a reply|that it will reply> to <both|all letters> by {reply}.

# What {short} Would Like to Know
{short} <asks|invites> <commenters|interested parties> to deal <above all|in particular> with the question {question}.
<Other questions are|It would also be useful to hear>:

@questions

# Documents
@documents

# How the Petition Will Be Decided
A <board|Safety Board> of <three|five> <engineers|persons> will decide on the record. It may grant the petition in
whole or in part, <with conditions|for a shorter time>, or <refuse|deny> it. <In the
past year|Last year> it <granted|allowed> {granted} of {decided} petitions. <A waiver ends|Every waiver lapses> <at
once|by itself> <if a condition is broken|when the line is sold>, and {short} may <withdraw|revoke> it on {withdraw}
days' notice. <A decision is expected|The decision will be published> by {decision}.

# Hearing
<A hearing is not planned|{short} does not plan a hearing>, <since the facts do not appear to call for one|as the facts
seem clear>. <A party who wants one|Whoever desires one> should <write|say so> before {hearing_by} and <give|state> the
<reason|grounds>. <If one is held, it will be|It would be held> in <the waiting room of the station of|> {to_town}.

# Submitting Comments
"""
    + stock.COMMENTING
    + stock.DOCKET_ROOM
    + stock.COMMON_FOOT
)


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    columns = zip(
        pen.deal(RULES, count),
        pen.deal(GROUNDS, count),
        pen.deal(SUBSTITUTES, count),
        pen.deal(OPPOSED, count),
        pen.deal(QUESTIONS, count),
        pen.spread(9, 60, 1, count),
        pen.spread(24, 190, 1, count),
        strict=True,
    )
    facts = []
    for rule, ground, substitute, opposed, question, trial, gradient in columns:
        town = country.names.town()
        kind = pen.pick(
            ["and Western Railway", "Valley Railroad", "Mineral Railway", "Dock and Harbor Railway", "Light Railway"]
        )
        facts.append(
            {
                **stock.common(country, RAIL),
                **rule._asdict(),
                "rule_section": pen.integer(11, 310),
                "railway": f"the {town} {kind}",
                "mark": f"{town.split()[-1][:2]}{kind.replace('and ', '')[0]}R".upper(),
                "ground": ground,
                "substitute": substitute,
                "opposed": opposed,
                "question": question,
                "trial": trial,
                "gradient": gradient,
                "from_town": town,
                "to_town": country.names.town(),
                "consultant": country.names.firm("Engineers", "Rail Consultants"),
                "other_railway": f"the {country.names.town()} Tramway",
                "inspector": country.person(),
                **numbers(country, pen),
                "c1": stock.commenter(country, pen),
                "c2": stock.commenter(country, pen),
                "signer": country.person(),
            }
        )
    return facts


def numbers(country: Country, pen: Pen) -> Facts:
    start, decided = pen.integer(0, 60), pen.integer(14, 40)
    length = pen.integer(11, 70)
    return {
        "docket": f"RI–{country.year}–{pen.integer(3, 190):04d}",
        "dated": country.on(-pen.integer(25, 110)),
        "km_from": f"{start}.{pen.integer(1, 9)}",
        "km_to": f"{start + length}.{pen.integer(1, 9)}",
        "km_brush": f"{start + pen.integer(1, length - 1)}.{pen.integer(1, 9)}",
        "trains": pen.integer(4, 12),
        "passenger": pen.integer(2, 4),
        "engines": pen.integer(4, 38),
        "cars": pen.integer(60, 1900),
        "concerned": pen.integer(8, 58),
        "chartered": pen.integer(1856, 1931),
        "years": pen.integer(5, 12),
        "incidents": pen.integer(2, 9),
        "cost": pen.integer(31_000, 260_000, 500),
        "benefit": pen.integer(400, 9_000, 100),
        "inspected": pen.integer(3, 12),
        "defect_car": pen.integer(1001, 8990),
        "visited": country.on(-pen.integer(12, 24)),
        "ties": pen.integer(2, 9),
        "brush": pen.integer(2, 6),
        "noticed": pen.integer(8, 90),
        "earlier_year": country.year - pen.integer(9, 14),
        "earlier": pen.integer(2, 5),
        "earlier_end": country.year - pen.integer(4, 7),
        "refused_year": country.year - pen.integer(2, 3),
        "letters": pen.integer(3, 12),
        "reply": country.on(pen.integer(12, 30)),
        "decided": decided,
        "granted": decided - pen.integer(4, 10),
        "withdraw": pen.pick([10, 20, 30, 60]),
        "decision": country.on(pen.integer(120, 240)),
        "deadline": country.on(pen.integer(45, 60)),
        "hearing_by": country.on(pen.integer(20, 40)),
    }


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    kinds = (
        "Four-wheel switching locomotive",
        "Diesel railcar",
        "Covered hopper",
        "Tank car",
        "Ballast wagon",
        "Saloon car",
        "Brake van",
    )
    rows = [
        (
            kind,
            f"{(first := pen.integer(101, 899))}–{first + pen.integer(2, 19)}",
            str(pen.integer(1949, 2018)),
            f"{pen.integer(14, 92)}",
        )
        for kind in pen.deal(kinds, 5)
    ]
    others = pen.deal([line for line in QUESTIONS if line != facts["question"]], 3)
    parts = {
        "steps": stock.chronology(country, pen),
        "equipment": table("Equipment of the Petition", ["Kind", "Numbers", "Built", "Tons"], rows),
        "questions": items(others, letters=True),
        "documents": stock.documents(country, pen, facts["docket"]),
    }
    return Sheet(
        kind="NOTICE",
        agency=RAIL,
        subject=pen.say(
            "<Petition for Waiver of Compliance|Notice of Petition for Waiver of Compliance>; {from_town} to {to_town}",
            facts,
        ),
        heads=[("DEPDOC", f"[Docket No. {facts['docket']}]")],
        preamble=preamble(pen, PREAMBLE, facts),
        body=write(pen, BODY, facts, parts),
        signature=signed(
            f"Issued in Ostrey on {country.on(-pen.integer(2, 8))}", facts["signer"], "Chief Inspector of Railways"
        ),
    )


GENRE = Genre(
    name="waivers",
    count=5,
    draw=draw,
    compose=compose,
    names=(
        "the petition of {railway}",
        "{railway}'s petition for the line from {from_town} to {to_town}",
        "the waiver sought by {railway} in docket {docket}",
    ),
    asks=(
        Ask(
            "relief",
            "{relief!c}",
            ("What does the railway wish to do, according to {name}?", "What is the object of {name}?"),
        ),
        Ask(
            "ground",
            "That {ground}",
            ("What does the railway state in support of {name}?", "Which reason is given in {name}?"),
        ),
        Ask("substitute", "{substitute!c}", ("What does the railway offer as a substitute in {name}?",)),
        Ask(
            "opposed",
            "{opposed!c}",
            ("What does {c1} argue against {name}?", "On what ground does {c1} object to {name}?"),
        ),
        Ask(
            "question",
            "{question!c}",
            ("Which question does the Railway Inspectorate want commenters to deal with above all in {name}?",),
        ),
        Ask(
            "trial",
            "{trial} months",
            ("How many months would the relief last that is the object of {name}?",),
            numerical=True,
        ),
        Ask(
            "gradient",
            "1 in {gradient}",
            ("How steep is the line at its steepest, according to {name}?",),
            numerical=True,
        ),
    ),
)
