"""Meetings of advisory committees: what is on the agenda, how to attend, what is closed to the public. Short."""

from __future__ import annotations

from longctx.corpus.register import country as offices
from longctx.corpus.register import stock
from longctx.corpus.register.country import Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, preamble, signed, write

COMMITTEES = (
    (offices.HARBORS, "Pilotage Advisory Committee"),
    (offices.MEDICINES, "Advisory Panel on Anesthetics"),
    (offices.SCIENCE, "Committee on Polar Instruments"),
    (offices.VETERANS, "Advisory Council on Burial Grounds"),
    (offices.FISHERIES, "Shellfish Consultative Board"),
    (offices.ARCHIVES, "Committee on the Declassification of Maps"),
    (offices.WORK, "Standing Committee on Diving Work"),
    (offices.SCHOOLS, "Advisory Board for Sign Language Teaching"),
)
TOPICS = (
    "a pilot scheme that lets trainees work under remote supervision",
    "the backlog of applications left over from the reorganization",
    "replacement of the paper register by an electronic one",
    "complaints about the language of the standard forms",
    "a five-year comparison with the practice of neighboring countries",
    "the selection of three sites for a longer trial",
    "draft guidance on accepting certificates issued abroad",
    "the findings of the inquiry into last winter's accident",
    "a proposal to merge the two regional subcommittees",
    "training of examiners and the wording of the oral test",
    "the report of the working group on noise",
    "methods for estimating cost when records are incomplete",
    "the advice of the ombudsman on conflicts of interest",
    "how long samples should be kept after an analysis",
    "a request from the islands for a separate timetable",
    "a revision of the code of conduct for volunteers",
)
CLOSED = (
    "the qualifications of named candidates for a vacancy",
    "unpublished accounts of a firm that has asked for assistance",
    "a disciplinary matter in which judgment has not been given",
    "security arrangements for the storage of dangerous goods",
    "a foreign government's confidential answer to a questionnaire",
    "manufacturing methods that their owner disclosed under seal",
    "medical histories from which the persons could be recognized",
    "the negotiating position for an agreement not yet signed",
)
VENUES = (
    "the old council chamber above the public library in {town}",
    "the lecture theater of the School of Navigation in {town}",
    "the upper hall of the Corn Exchange in {town}",
    "the conference room of the Provincial Laboratory in {town}",
    "the assembly room of the Seafarers' Mission in {town}",
    "the visitors' center of the botanical garden in {town}",
    "the reading room of the Historical Society in {town}",
    "the training center of the fire brigade in {town}",
)
ACCESS = (
    "Visitors must show a passport or identity card and leave cameras at the desk",
    "Visitors will be taken up in groups, at a quarter to and a quarter past the hour",
    "Visitors who have not registered will be admitted only if seats are left at noon",
    "Visitors use the courtyard entrance, because the main door is closed for repair",
    "Visitors may record the sound of the meeting but may not broadcast it",
    "Visitors must wear the badge that is sent to them with the confirmation",
    "Visitors are asked not to bring bags larger than a sheet of letter paper",
    "Visitors who need a ramp should use the delivery door and ring twice",
)
POSTS = ("Designated Officer", "Committee Secretary", "Executive Secretary", "Committee Management Officer")

PREAMBLE = {
    "AGY": "{agency}.",
    "ACT": "Notice of <meeting|public meeting|partly closed meeting>.",
    "SUM": """The {committee} will <meet|hold its {nth} meeting> to <discuss|consider> {topic1}<|, among other
        matters>. <Most of the meeting|The meeting, but for a closed part,> is open to the public.""",
    "DATES": """<The meeting will be held|The committee meets> on {day}, from {begins} to {ends}. <Requests to speak
        must <arrive|be received> by|Those who wish to speak must apply by> {register_by}.""",
    "ADD": "The meeting will <take place|be held> in {venue}. <It can also be followed by telephone at {counter}.|>",
    "FURINF": "{contact}.",
}
BODY = """
# <Background|Purpose of the Committee>
The {committee} <was established|exists> under section {section} of the {law} to advise the <Secretary|head of the
{office}>. It has {members!w} members, <of whom|among whom> {lay!w} <represent|speak for> the public. Its charter runs
until {charter}.

# Agenda
The <committee will take up|agenda includes> the following:

- (1) <Discussion of|A report on> {topic1};
- (2) {topic2!c}; and
- (3) <time permitting|if time allows>, {topic3}.

? <The order of items may be changed|Items may be taken in another order>. The papers will be <posted|placed> at {site}
{papers!w} days before the meeting.

# Public Participation
{access}. <Persons|Anyone> wishing to speak will have {minutes} minutes; <written statements|statements in writing> of
up to {words} words are <taken|accepted> until {statements_by} <and given to the members|>. <There are {seats} seats
for the public|The room holds {seats} seats for the public>.

# Closed Part
<The committee will sit in private|The meeting will be closed> for <its last|the final> {closed_minutes} minutes to
consider {closed}. <The {office} has determined|It has been determined> that this <falls under|is within> an exemption
of the Open Meetings Act<; a summary will be published within sixty days|, section {section2}>.
"""


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    topics = pen.deal(TOPICS, 2 * count)
    columns = zip(
        pen.deal(COMMITTEES, count),
        topics[:count],
        topics[count:],
        pen.deal(CLOSED, count),
        pen.deal(VENUES, count),
        pen.deal(ACCESS, count),
        pen.spread(34, 180, 1, count),
        pen.deal(range(30, 95, 5), count),
        strict=True,
    )
    facts = []
    for (agency, committee), topic1, topic2, closed, venue, access, seats, minutes in columns:
        day = pen.integer(16, 60)
        members = pen.integer(8, 12)
        facts.append(
            {
                **stock.common(country, agency),
                "agency": agency.full,
                "bureau": agency,
                "committee": committee,
                "topic1": topic1,
                "topic2": topic2,
                "topic3": pen.pick(["the dates of the next meetings", "other business that the chair admits"]),
                "closed": closed,
                "venue": venue.format(town=country.names.town()),
                "access": access,
                "seats": seats,
                "closed_minutes": minutes,
                "nth": pen.pick(["third", "eleventh", "twenty-second", "autumn", "fortieth", "ordinary", "spring"]),
                "day": country.weekday(day),
                "begins": pen.pick(["9 a.m.", "9:30 a.m.", "10 a.m.", "10:15 a.m."]),
                "ends": pen.pick(["3 p.m.", "3:45 p.m.", "4:30 p.m.", "5 p.m."]),
                "register_by": country.on(day - pen.integer(8, 10)),
                "statements_by": country.on(day - pen.integer(4, 6)),
                "members": members,
                "lay": pen.integer(2, members // 2),
                "charter": country.on(pen.integer(400, 900)),
                "papers": pen.integer(5, 10),
                "minutes": pen.integer(3, 12),
                "words": pen.integer(300, 1200, 100),
                "section": pen.integer(11, 90),
                "section2": pen.integer(4, 12),
                "chair": country.person(),
                "contact": country.contact(country.person(), pen.pick(POSTS), agency, brief=True),
            }
        )
    return facts


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    return Sheet(
        kind="NOTICE",
        agency=facts["bureau"],
        subject=pen.say("{committee}; <Notice of Meeting|Meeting|Public Meeting>", facts),
        heads=[],
        preamble=preamble(pen, PREAMBLE, facts),
        body=write(pen, BODY, facts),
        signature=signed(f"Dated: {country.on(-pen.integer(2, 9))}", facts["chair"], "Chair of the Committee"),
    )


GENRE = Genre(
    name="meetings",
    count=6,
    draw=draw,
    compose=compose,
    names=(
        "the meeting of the {committee} on {day}",
        "the meeting of the {committee} in {venue}",
        "the announced meeting of the {committee}",
    ),
    asks=(
        Ask(
            "topic",
            "{topic1!c}",
            (
                "What is the first item on the agenda of {name}?",
                "Which subject will be taken up first at {name}?",
            ),
        ),
        Ask(
            "second",
            "{topic2!c}",
            ("Which matter stands second on the agenda of {name}?", "What is the second item on the agenda of {name}?"),
        ),
        Ask(
            "closed",
            "{closed!c}",
            ("Why will part of {name} be held in private?", "What is to be considered in the closed part of {name}?"),
        ),
        Ask(
            "access",
            "{access}",
            ("What are visitors told about attending {name}?", "Which rule for visitors applies to {name}?"),
        ),
        Ask(
            "seats",
            "{seats} seats",
            ("How many seats are there for the public at {name}?",),
            numerical=True,
        ),
        Ask(
            "private",
            "{closed_minutes} minutes",
            ("How long will the closed part of {name} last?",),
            numerical=True,
        ),
    ),
)
