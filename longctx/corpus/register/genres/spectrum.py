"""Radio spectrum: a firm may use a band in an unusual way, under conditions. Orders, long."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import stock
from longctx.corpus.register.country import WAVES, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, items, preamble, signed, table, write


class Device(NamedTuple):
    device: str
    works: str


DEVICES = (
    Device(
        "a radar that counts cattle from the air",
        "It sends short pulses toward the ground and tells an ox from a rock by the way it breathes.",
    ),
    Device(
        "sensors that listen for leaks in water mains",
        "Each of them wakes once a night, sends for less than a second, and sleeps again for a day.",
    ),
    Device(
        "a scanner for the frames of wooden bridges",
        "It is drawn along the beam by hand and shows hollow places on a screen.",
    ),
    Device(
        "cordless cameras for mountain rescue",
        "They are worn on the helmet and relay pictures from one rescuer to the next down to the valley.",
    ),
    Device(
        "tags that keep track of harbor containers",
        "A crane reads them while it lifts, even if three containers stand between.",
    ),
    Device(
        "a link between lighthouses and buoys",
        "It carries the state of the lamp and, twice an hour, the height of the waves.",
    ),
    Device(
        "a device that stops a motor saw when a hand comes near",
        "A ring worn on the finger answers the saw many times in a second.",
    ),
)
BENEFITS = (
    "it needs no cable, for which several parishes have refused the way",
    "no product that keeps to the rules works in rain and after dark",
    "lives were lost last year while permission was being waited for",
    "the band lies idle in nine places out of ten",
    "insurers have made it a condition of cover from next year",
    "it replaces a service that used forty times as much power",
    "the inventor means to license it to all comers at a fixed price",
    "the public bodies that need it have no other means within their budgets",
)
# An objection, and why it was rejected.
OBJECTIONS = (
    (
        "that the tests had been made in summer, when leaves absorb what would do harm in winter",
        "what was measured in two winters since then shows no harm at all",
    ),
    (
        "that nobody could find the source of interference once ten thousand units had been sold",
        "the number of units is limited by the number of trained operators, who are known by name",
    ),
    (
        "that amateurs would be driven from a band they have used for sixty years",
        "a device that listens before it speaks gives way to everyone else",
    ),
    (
        "that measurements of a single unit say nothing of a crowd of them",
        "the signals of forty units, tried together, did not add up beyond one decibel",
    ),
    (
        "that weather radars would take the signals for distant rain",
        "the radars that matter lie behind a ridge seven hundred meters high",
    ),
    (
        "that the same could be done in a higher band at little more expense",
        "in a higher band the signal is lost in wet ground, hair, and clothing",
    ),
    (
        "that receivers on roofs would be overloaded from the street",
        "an antenna that looks only downward cannot reach a receiver on a roof",
    ),
    (
        "that the band is needed for the relays of the nightly news",
        "the two services are never in use at the same hours of the day",
    ),
)
CONDITIONS = (
    "Units must be switched off within three minutes of a call from the Authority's monitoring station.",
    "A register of all units and their keepers is to be sent in each January.",
    "No unit may be used within {radius} kilometers of the observatory at {observatory}.",
    "The label must tell the user in plain words that use elsewhere is forbidden.",
    "Units must not be sold to anyone who has not passed the course of the applicant.",
    "The software must refuse to start if the clock or the position is missing.",
    "Interference that is reported must be ended before its cause is disputed.",
    "The applicant keeps a telephone number that is answered at any hour.",
    "Half of the units sold must be offered to public bodies first.",
    "The results of the first year are to be published, whether good or bad.",
    "The antenna may not be changed by the user, nor be made so that it could be.",
    "Use on board aircraft is allowed only below {ceiling} meters.",
    "At least {notice} days before first use in a province its police must be told.",
    "The power must fall by half whenever another signal is heard.",
)
CLUBS = ("Amateur Radio League", "Relay Users’ Association", "Wireless Council")
KEY_CONDITIONS = (
    "units carry a whistle that sounds as long as they are sending",
    "every unit stops working for good after eighteen months without renewal",
    "a unit may be used only while a second person watches a meter",
    "units are rented and never sold, so that each can be called back",
    "no more than one unit may send at a time within the same parish",
    "sending stops by itself during the hours of the coast radio's weather report",
    "each unit must send its number in clear once in every minute",
    "units are painted yellow and sealed with lead by the factory",
)

PREAMBLE = {
    "AGY": "{office}.",
    "ACT": "<Order|Grant of waiver>; <conditional waiver|waiver subject to conditions>.",
    "SUM": """In this document, the {office} <grants, subject to conditions,|conditionally grants> a request by
        {applicant} for <waiver|relief> of part {part} of its rules, so that it may <make and sell|operate>
        {device} in the band {low}–{high} MHz. <The Authority finds|It is found> that {benefit}, and that harm
        to other users can be <prevented|avoided> by the conditions <imposed|set out below>.""",
    "DATES": "Effective {effective}. <The waiver ends on|Without renewal, the waiver ends on> {sunset}.",
    "FURINF": "{contact}.",
}
BODY = (
    """
This is a summary of the Authority's Order, {da}, in ET Docket No. {docket}, adopted and released on {adopted}. <The
full text may be read at|Its full text is at> {site}/{link} <or, by appointment, at|and can be inspected at> {address}.

# I. Background
<On|By a letter of> {asked}, {applicant}, a <firm|company> at {place}, <asked|requested> the Authority to waive §§
{part}.{rule1} and {part}.{rule2} of its rules for {device}. {works} <The applicant would use|Its request is for> the
band {low}–{high} MHz, with a
<power|radiated power> of no more than {power} milliwatts and on the air for at most {duty} percent of the time.
<Section|§> {part}.{rule1} <forbids|does not allow> <devices without a license|unlicensed
devices> in that band <to move while sending|to send on purpose>, and § {part}.{rule2} sets a limit that is {excess}
decibels <lower|stricter>.
^ The <limit|rule> was <adopted|made> in {rule_year}, <when the band was given to|for the sake of> <television
relays|fixed links between islands>.

<The Authority sought comment|Comment was invited> by a public notice of {notice_on} ({cite}). {letters!W}
<parties|persons> <filed comments|answered>, and {replies!w} <filed|sent> replies. <The applicant amended its request
twice|Its request was amended once>, <lowering|reducing> the power by <half|a third> and <giving up|leaving out> <use
at airports|sale to private persons>.

<After that|From then on> the proceeding <took this course|went as follows>:

@steps

# II. Discussion
The Authority may <waive|set aside> a rule for good cause <shown|>, <if the purpose of the rule is not undermined|where
special circumstances justify it> and the public interest is <better|> served. <Both conditions are met|It finds this
to be so>. <The main reason is that|Above all,> {benefit}. <Without a waiver|If the rule were applied>, the applicant
would have to <stop a trial|give up work> in which {trial_units} units <have served|are serving> in {trial_places!w}
<districts|municipalities> <since|from> {trial_since}, <without a complaint|with no complaint that proved true>.

{opponent!c} <opposed|objected to> the request <and argued|on the ground> {objection}. <We are not persuaded|The
objection does not convince>, because {finding}. <The tests were repeated|Our laboratory repeated the tests> at
{test_place} on {tested}, with {opponent} <present|invited to attend>, and <gave|produced> the values <of the
table|shown here>:

@tests

{c2!c} <asked|wished> that the <waiver|grant> be <extended to all makers|opened to competitors>. <That would need a
change of the rules|For that the rules would have to be changed>; <a petition for such a change may be filed| the
Authority has begun to prepare one>. {c3!c} <asked for|wanted> a <longer|shorter> <term|period>; <a term of {term!w}
years seems right|the {term!w} years chosen are a middle way>, <being|which is> about the <life of a unit|age that a
unit reaches>.

<As to astronomy|For radio astronomy>, the <lines|bands> near {line} MHz <are observed|must stay quiet> at
{observatory}. <The director of the observatory|The observatory> <accepted|agreed to> a distance of {radius}
kilometers, <measured along the ground|which the conditions require>. <As to|For> the <armed forces|coast guard>,
<coordination|an exchange of letters> was <completed|concluded> on {coordinated}.

# III. Conditions
The <most important|chief> condition is that {key_condition}. <Besides|In addition>, the following <apply|are imposed>:

@conditions

# IV. Technical Limits
<Units must keep within|No unit may exceed> the limits <below|of this table>, measured <at three meters|in an anechoic
room> with <a quasi-peak|an average> detector. <A unit found above them|Units that fail> <may|are to> be <seized|called
back>, <and|while> <the maker pays|the applicant bears> the cost of the <search|measurement>.

@limits

# V. Enforcement and Review
<The monitoring station at {monitor} will make checks|Checks are made by the monitoring station at {monitor}> <every
quarter|without notice>. <Complaints go to|Send complaints to> {desk}, telephone {counter}, who will <answer|see to it
that they are answered> within {answer_days} days. <The Authority keeps|It keeps> the <power|right> to <change|alter>
the conditions <at any time|without a hearing> if harm <is shown|appears>. <A petition for reconsideration|Petitions
for reconsideration> may be filed <until|by> {reconsider}.

<The applicant must report|A report is due> by {report_on} on the number of units <in use|made>, the places, and <the
hours|every complaint>. <If fewer than|Should fewer than> {minimum} units be in use <on that day|by then>, the waiver
<lapses|ends early>, <since|for> a band should not be <kept for a plan|reserved for what is not used>.

# VI. Procedural Matters
@documents

The Small Undertakings Act <does not apply|has no application>, <because|since> the waiver <concerns|is given to> one
<firm|undertaking> <only|>. <The Order will be sent|A copy of the Order will go> to <Parliament|the legislature> and
the Auditor.

"""
    + stock.PAPERWORK
    + """

# VII. Ordering Clauses
<It is ordered|Accordingly, it is ordered> that, <under|by virtue of> sections {section} and {section2} of the {law},
the request of {applicant} <is granted|be granted> to the extent <described|stated> here, and that ET Docket No.
{docket} <is closed|be closed> <on {closed}|unless a petition is pending on {closed}>.
"""
)


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    columns = zip(
        pen.deal(DEVICES, count),
        pen.deal(BENEFITS, count),
        pen.deal(OBJECTIONS, count),
        pen.deal(KEY_CONDITIONS, count),
        pen.spread(5, 480, 5, count),
        pen.spread(40, 900, 5, count),
        strict=True,
    )
    return [
        {
            **stock.common(country, WAVES),
            **device._asdict(),
            "benefit": benefit,
            "objection": objection,
            "finding": finding,
            "key_condition": key,
            "power": power,
            "minimum": minimum,
            "low": (low := pen.integer(400, 6_900, 5)),
            "high": low + pen.integer(4, 90),
            "line": low + pen.integer(100, 180),
            "applicant": country.names.firm("Instruments", "Electronics", "Telemetry", "Signals"),
            "opponent": f"the {country.names.town()} {pen.pick(CLUBS)}",
            "place": country.place(),
            "observatory": country.names.town(),
            "test_place": country.names.town(),
            "monitor": country.names.town(),
            **details(country, pen),
            "c2": stock.commenter(country, pen),
            "c3": stock.commenter(country, pen),
            "contact": country.contact(country.person(), "Office of Engineering", WAVES),
            "signer": country.person(),
        }
        for device, benefit, (objection, finding), key, power, minimum in columns
    ]


def details(country: Country, pen: Pen) -> Facts:
    term = pen.integer(3, 7)
    return {
        "part": pen.pick([15, 18, 90, 95]),
        "rule1": pen.integer(201, 260),
        "rule2": pen.integer(261, 525),
        "rule_year": pen.integer(1968, 2004),
        "da": f"CA {country.year % 100}–{pen.integer(100, 990)}",
        "docket": f"{country.year % 100 - 1}–{pen.integer(11, 390)}",
        "link": f"{pen.integer(1000, 9999)}",
        "adopted": country.on(-pen.integer(5, 14)),
        "asked": country.on(-pen.integer(400, 600)),
        "duty": pen.integer(1, 10),
        "excess": pen.integer(3, 26),
        "notice_on": country.on(-(back := pen.integer(200, 380))),
        "cite": country.cite(back),
        "letters": pen.integer(5, 31),
        "replies": pen.integer(2, 9),
        "trial_units": pen.integer(11, 190),
        "trial_places": pen.integer(2, 9),
        "trial_since": country.year - 2,
        "tested": country.on(-pen.integer(60, 150)),
        "radius": pen.integer(8, 60),
        "ceiling": pen.integer(60, 300, 10),
        "notice": pen.integer(10, 30),
        "coordinated": country.on(-pen.integer(20, 50)),
        "term": term,
        "sunset": country.on(365 * term),
        "effective": country.on(pen.integer(1, 20)),
        "answer_days": pen.pick([3, 5, 10]),
        "reconsider": country.on(30),
        "report_on": country.on(pen.integer(380, 500)),
        "section": pen.integer(4, 30),
        "section2": pen.integer(301, 340),
        "closed": country.on(pen.integer(35, 60)),
    }


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    levels = sorted(pen.spread(120, 790, 1, 4), reverse=True)
    tests = [
        (f"{meters} meters", f"{level / 10}", f"{pen.integer(60, 119) / 10}")
        for meters, level in zip((3, 10, 30, 40), levels, strict=True)
    ]
    low = facts["low"]
    bands = [
        (f"{low - 200}–{low - 50}", 41),
        (f"{low - 49}–{low}", 52),
        (f"{low}–{facts['high']}", 88),
        (f"Above {facts['high'] + 60}", 46),
    ]
    limits = [
        (band, f"{level + pen.integer(0, 9)}.{pen.integer(0, 9)}", str(pen.pick([10, 100, 120, 1000])))
        for band, level in bands
    ]
    parts = {
        "documents": stock.documents(country, pen, f"ET–{facts['docket']}"),
        "steps": stock.chronology(country, pen, 195),
        "tests": table("Field Strength Measured", ["Distance", "Units on", "Units off"], tests),
        "conditions": items([pen.say(line, facts) for line in pen.deal(CONDITIONS, 8)]),
        "limits": table("Emission Limits", ["Band (MHz)", "dBµV/m", "Bandwidth (kHz)"], limits),
    }
    return Sheet(
        kind="RULE",
        agency=WAVES,
        subject=pen.say("Waiver of Part {part} for {device}", facts),
        heads=[("CFR", f"47 CVR Part {facts['part']}"), ("DEPDOC", pen.say("[ET Docket No. {docket}; {da}]", facts))],
        preamble=preamble(pen, PREAMBLE, facts),
        body=write(pen, BODY, facts, parts),
        signature=signed(f"Communications Authority, {facts['adopted']}", facts["signer"], "Secretary"),
    )


GENRE = Genre(
    name="spectrum",
    count=5,
    draw=draw,
    compose=compose,
    names=(
        "the waiver granted to {applicant}",
        "the Communications Authority's order on the request of {applicant}",
        "the order in ET Docket No. {docket}",
    ),
    asks=(
        Ask(
            "device",
            "{device!c}",
            ("What may be operated or sold under {name}?", "For which product was relief given by {name}?"),
        ),
        Ask(
            "benefit",
            "Because {benefit}",
            ("What is the main reason for {name}?", "Why did the Authority find good cause for {name}?"),
        ),
        Ask(
            "objection",
            "{objection!c}",
            ("What did {opponent} argue before {name}?", "Which objection of {opponent} is rejected in {name}?"),
        ),
        Ask("finding", "Because {finding}", ("Why was the objection of {opponent} rejected in {name}?",)),
        Ask("condition", "{key_condition!c}", ("What is the chief condition imposed by {name}?",)),
        Ask("power", "{power} milliwatts", ("What is the greatest power allowed by {name}?",), numerical=True),
        Ask(
            "minimum",
            "{minimum} units",
            ("How many units must at least be in use if {name} is not to end early?",),
            numerical=True,
        ),
    ),
)
