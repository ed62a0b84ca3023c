"""Privacy: a system of records about persons is announced or altered. Notices in fixed headings, long."""

from __future__ import annotations

from typing import NamedTuple

from longctx.corpus.register import country as offices
from longctx.corpus.register import stock
from longctx.corpus.register.country import Agency, Country
from longctx.corpus.register.genre import Ask, Facts, Genre
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet, items, preamble, signed, write


class System(NamedTuple):
    agency: Agency
    system: str
    persons: str
    contents: str


SYSTEMS = (
    System(
        offices.HARBORS,
        "Pilots' Medical Certificates",
        "pilots, trainee pilots, and their examining physicians",
        "eye tests, hearing tests, and reports of illness at sea",
    ),
    System(
        offices.JUSTICE,
        "Court Interpreters' Roll",
        "interpreters, applicants, and those who have been struck off",
        "test papers, tapes of oral tests, and complaints by parties",
    ),
    System(
        offices.VETERANS,
        "Loans of Hearing Aids",
        "veterans and members of their households",
        "audiograms, receipts for batteries, and letters about losses",
    ),
    System(
        offices.RAIL,
        "Signal Keepers' Examinations",
        "signal keepers, examiners, and college teachers",
        "answers to written papers, marks, and notes on conduct",
    ),
    System(
        offices.FISHERIES,
        "Observers on Fishing Vessels",
        "observers, masters, and mates",
        "sailing dates, sketches of gear, and statements on accidents",
    ),
    System(
        offices.SCHOOLS,
        "Teachers Trained Abroad",
        "teachers, referees, and heads of schools",
        "diplomas with translations, appraisals, and letters of reference",
    ),
    System(
        offices.ARCHIVES,
        "Readers' Tickets",
        "readers, copyists, and persons refused a ticket",
        "photographs, lists of papers read, and warnings for marking them",
    ),
)
NEEDS = (
    "a ministerial inquiry found the same person entered under four spellings",
    "records that lay in nine district offices were to be brought to one place",
    "letters to persons who had died went on being sent for years",
    "a tribunal ordered that those concerned be told when they are refused",
    "paper files had been lost in moving and could not be replaced",
    "another agency was found to have kept a second set of the same records",
    "a union asked that reports by anonymous writers be kept apart",
    "the old notice had not said that pictures were kept as well",
)
SPECIAL_USES = (
    "to a physician who treats the person in an emergency, by telephone after calling back",
    "to the consul of the country whose national the person is, unless the person objects",
    "to an insurer, as far as needed to settle a claim that the person has made",
    "to a university for research, once names have been replaced by numbers",
    "to a newspaper, but only whether a certificate is valid on a given day",
    "to the heirs, if they show a certificate of inheritance",
    "to a later employer who asks about the last three years, with the person's consent",
    "to the mediator appointed by both sides in a dispute over wages",
)
ROUTINE = (
    "to the Department of Justice when the Commonwealth is sued over a decision in which the record was used",
    "to the Auditor, for checking the accounts of the office",
    "to a court or tribunal that orders it, after the person has been told",
    "to the police, where the record on its face points to a crime",
    "to contractors who copy or repair the files and have sworn secrecy",
    "to the National Archives, when the time for keeping it is over",
    "to a member of the legislature who asks on behalf of the person",
    "to an office that needs it to stop or repair a breach of data",
    "to a licensing board that decides on the same person",
    "to a labor organization that represents the person",
    "to those who gave the information, so that it can be confirmed",
    "to the Tax Office, in the few cases that the tax code names",
)
SAFEGUARDS = (
    "the strongroom opens only to two keys, held by persons of different sections",
    "whoever opens a record leaves a trace that is read by a supervisor every week",
    "screens go dark when the clerk's card is taken out of the desk",
    "copies are printed on paper that shows the name of the reader",
    "the room has no windows and a floor that reports water",
    "passwords are drawn by lot and cannot be chosen",
    "cleaning is done by day under the eyes of the staff",
    "the computer holds no more than one name at a time",
)
EXEMPT = (
    "names of those who complained in confidence",
    "questions of tests that will be used again",
    "notes made for one's own memory by an examiner",
    "reports on investigations that are not closed",
    "opinions of physicians whose disclosure could harm the person",
    "evaluations of referees who were promised secrecy",
    "plans of buildings in which the persons work",
    "messages exchanged with foreign authorities",
)

PREAMBLE = {
    "AGY": "{agency}.",
    "ACT": "Notice of <a new|a modified|an altered> system of records.",
    "SUM": """<Under|In accordance with> the Personal Records Act, the {office} <gives notice of|proposes> a
        <new|changed> system of records <entitled|named> “{system},” number {number}. <The notice is needed
        because|It became necessary when> {need}. <The system covers|It is about> {persons}.""",
    "DATES": """<The system takes effect on|Effective> {effective}, <unless comments received by {deadline} lead to a
        different decision|except for new routine uses, which are effective {routine_on}>.""",
    "ADD": "Comments may be sent to {office}, {address}, <or through|or to> www.rulemaking.gov.vy, docket {docket}.",
    "FURINF": "{contact}.",
}
BODY = """
# Background
The {office} <has kept|keeps> records of {persons} since {since}. <The present notice|This notice> <replaces|takes the
place of> that of {older_on} ({cite}), which <was silent on|did not mention> <machines|computers> and <named|gave> an
address that <no longer exists|was given up in {moved}>. <A new notice|The change> became necessary when {need}. <On
{decided}, the {office}'s management|A circular of {decided}> <decided|ordered> that all holdings be <checked|gone
through> within {check} months, <during which|and in that time> {weeded:,} <folders|sheets> were <destroyed|found to be
duplicates>.
^ <The number of persons on record was {people:,}|On record were {people:,} persons> <at the end of|on the last day of>
{last_year}.

<A report on the system|As the Act requires, a report> was sent to <the legislature|Parliament> and to the National
Statistics Office on {reported}. {short_c} <weighed|considered> the <probable|likely> effect on the privacy of the
persons concerned and <found|concludes> that it is <slight|justified>, <since|because> <no one is entered without being
told|a person is entered only after being told>. <Matching with other systems|Comparison with the files of other
agencies> <is not planned|takes place once a year under an agreement of {matching}>.

<The steps that led here were these|The course of the matter was this>:

@steps

# SYSTEM NAME AND NUMBER
{system}, {number}.

# SECURITY CLASSIFICATION
<Unclassified|Not classified>, <apart from|but for> <letters received in confidence|{classified} folders>.

# SYSTEM LOCATION
{address}, <floors {floor1!w} and {floor2!w}|cellar and floor {floor2!w}>; <a copy on tape is kept|copies are stored>
at the <former barracks|provincial archive> in {copy_town}. <District offices|The offices in the districts> hold <no
records|only what is being worked on>, for no longer than {district} days.

# SYSTEM MANAGER
{manager}, <Keeper|Head> of Records, {office}, {address}; telephone {manager_phone}.

# AUTHORITY FOR MAINTENANCE OF THE SYSTEM
{law}, sections {section} and {section2}; <Cabinet Order|Order in Cabinet> {order}; 5 CVR part {part}.

# PURPOSES
<To decide|The records serve to decide> on <applications, renewals, and withdrawals|entry, renewal, and removal>; to
<answer|deal with> <inquiries|questions> by the persons themselves; to <pay|calculate> <fees and refunds|what is due>;
and to <make|compile> figures from which no one can be recognized. <They are not used|The records are never used> to
<rank|compare> persons with each other.

# CATEGORIES OF INDIVIDUALS
The system covers {persons}. <Persons who only made an inquiry|Those who merely ask for information> are <not
entered|entered by initials only>; <minors|persons under sixteen> <are not admitted|need the consent of a parent>.

# CATEGORIES OF RECORDS
<Name, date and place of birth, address|Name, former names, date of birth, and address>; <telephone numbers|an identity
number>; {contents}; <decisions|orders> and <the grounds for them|appeals>; <payments|bank details>; and
<correspondence|letters>. <Tapes|Pictures> are <kept|stored> apart <from the papers|under a number>.

# RECORD SOURCE CATEGORIES
The person; <employers and former employers|the employer>; <physicians|officials> with the person's consent; <public
registers|courts>; and, in {third} cases out of a hundred, <third parties|neighbors or colleagues> who <wrote|came> of
their own accord.

# ROUTINE USES
<Besides the disclosures|In addition to disclosures> that the Act <itself|> permits, records may be <disclosed|given>

@uses

<New with this notice is|What is new is the> disclosure {special_use}. <Each disclosure is entered|A note is made of
every
disclosure>, <with|giving> its date and purpose, and the list is <open|shown> to the person.

# STORAGE
Paper in <folders|envelopes> <of a colour for each year|sewn with thread>; <magnetic tape|disks> <in fireproof
boxes|under lock>; <films|microfilm> of everything older than {film} years.

# RETRIEVAL
By <name and date of birth|name>, by <number|ticket number>, <or by|and, since {moved}, by> <district|date of
decision>. <A search by address is not possible|Nobody can search by address>.

# RETENTION AND DISPOSAL
Records are kept for {keep} years after the last entry, <complaints that proved unfounded|those that came to nothing>
for {unfounded!w}. <They are then|After that they are> <burned|shredded> <by a firm under contract|in the presence of
an officer>, <apart from|with the exception of> one file in {sample}, <drawn by lot|chosen at random>, which goes to
the National Archives <under schedule|by virtue of schedule> {schedule}.

# SAFEGUARDS
<The building is guarded|A guard is on duty> <at all hours|day and night>. In particular, {safeguard}. <Staff are
trained|The staff take a course> every {training} months; <the last test|an unannounced test> on {tested}
<found|showed> {faults!w} <faults|lapses>, <all of them now cured|none of them grave>.

# ACCESS AND CORRECTION
<Persons who wish|Those who want> to see their record <write|apply> to the manager, with <a copy
of an identity card|a signature witnessed by a notary>, and <get|will have> an answer within {answer} days.
<Inspection is
free|To look is free>; copies cost {copy_fee} pence a page <after|beyond> the first {free!w}. <An entry that is
disputed is|Disputed entries are> marked until {disputed} has <decided|ruled>. <A representative needs|Those
who come for another need> a written <power|authority>.

# CONTESTING A REFUSAL
<A refusal|Every refusal> gives its reasons and may be taken to the <ombudsman|Privacy Tribunal> within {contest} days.
In {last_year} there were {contested!w} such cases, of which {won!w} were <decided for|won by> the person.

# EXEMPTIONS
<Not open to inspection are|The Secretary has exempted> {exempt}, <under|as allowed by> section {section3} of the
Personal Records Act. <The exemption is reviewed|It is looked at again> every <third|fourth|fifth> year.

# HISTORY
{cite} ({older_on}); <amended|changed> at {cite2}.

# PAPERS
@documents
"""


def draw(country: Country, pen: Pen, count: int) -> list[Facts]:
    columns = zip(
        pen.deal(SYSTEMS, count),
        pen.deal(NEEDS, count),
        pen.deal(SPECIAL_USES, count),
        pen.deal(SAFEGUARDS, count),
        pen.deal(EXEMPT, count),
        pen.spread(3, 40, 1, count),
        pen.spread(12, 60, 1, count),
        strict=True,
    )
    return [
        {
            **stock.common(country, system.agency),
            **system._asdict(),
            "agency": system.agency.full,
            "bureau": system.agency,
            "short_c": f"The {system.agency.name}",
            "need": need,
            "special_use": special_use,
            "safeguard": safeguard,
            "exempt": exempt,
            "keep": keep,
            "answer": answer,
            "disputed": pen.pick(["the ombudsman", "the Privacy Tribunal", "the head of the office"]),
            "manager": country.person(),
            "manager_phone": country.phone(),
            "copy_town": country.names.town(),
            **numbers(country, pen, system.agency),
            "contact": country.contact(country.person(), "Privacy Officer", system.agency),
            "signer": country.person(),
        }
        for system, need, special_use, safeguard, exempt, keep, answer in columns
    ]


def numbers(country: Country, pen: Pen, agency: Agency) -> Facts:
    older, since = pen.integer(2600, 5200), pen.integer(country.year - 60, country.year - 16)
    contested = pen.integer(5, 12)
    short = agency.domain.split(".")[0][:3].upper()
    return {
        "number": f"{short}–{pen.integer(2, 40):03d}",
        "docket": f"{short}–{country.year}–{pen.integer(3, 220):04d}",
        "since": since,
        "older_on": country.on(-older),
        "cite": country.cite(older),
        "cite2": country.cite(pen.integer(1200, 2500)),
        "moved": country.year - pen.integer(2, 6),
        "decided": country.on(-pen.integer(300, 600)),
        "check": pen.integer(4, 14),
        "weeded": pen.integer(900, 39_000, 10),
        "people": pen.integer(2_000, 96_000),
        "last_year": country.year - 1,
        "reported": country.on(-pen.integer(20, 50)),
        "matching": country.on(-pen.integer(200, 900)),
        "classified": pen.integer(11, 90),
        "floor1": pen.integer(1, 3),
        "floor2": pen.integer(4, 7),
        "district": pen.pick([10, 14, 20, 30]),
        "section": pen.integer(4, 40),
        "section2": pen.integer(41, 80),
        "section3": pen.integer(6, 19),
        "order": pen.integer(9, 70),
        "part": pen.integer(101, 390),
        "third": pen.integer(2, 12),
        "film": pen.integer(10, 25),
        "unfounded": pen.integer(1, 2),
        "sample": pen.integer(20, 200, 10),
        "schedule": f"N{pen.integer(1, 9)}–{pen.integer(100, 990)}–{pen.integer(2, 20)}",
        "training": pen.pick([6, 12, 18, 24]),
        "tested": country.on(-pen.integer(40, 200)),
        "faults": pen.integer(2, 7),
        "copy_fee": pen.pick([15, 20, 25, 35]),
        "free": pen.integer(5, 12),
        "contest": pen.pick([20, 30, 45, 60]),
        "contested": contested,
        "won": pen.integer(2, contested - 2),
        "effective": country.on(pen.integer(1, 10)),
        "deadline": country.on(30),
        "routine_on": country.on(pen.integer(31, 45)),
    }


def compose(facts: Facts, country: Country, pen: Pen) -> Sheet:
    parts = {
        "uses": items(pen.deal(ROUTINE, 8), letters=True),
        "documents": stock.documents(country, pen, facts["docket"]),
        "steps": stock.chronology(country, pen),
    }
    return Sheet(
        kind="NOTICE",
        agency=facts["bureau"],
        subject=pen.say(
            "<Personal Records Act; System of Records: {system}|Privacy: System of Records {number}, {system}>", facts
        ),
        heads=[("DEPDOC", f"[Docket No. {facts['docket']}]")],
        preamble=preamble(pen, PREAMBLE, facts),
        body=write(pen, BODY, facts, parts),
        signature=signed(f"Dated: {country.on(-pen.integer(3, 9))}", facts["signer"], "Senior Official for Privacy"),
    )


GENRE = Genre(
    name="records",
    count=5,
    draw=draw,
    compose=compose,
    names=(
        "the system of records “{system}”",
        "the file “{system}” ({number})",
        "the {office}'s system of records {number}",
    ),
    asks=(
        Ask(
            "need",
            "{need!c}",
            ("Why did a new notice of {name} become necessary?", "What made it necessary to announce {name} anew?"),
        ),
        Ask(
            "use",
            "{special_use!c}",
            (
                "Which disclosure from {name} is new?",
                "To whom may there now for the first time be disclosure from {name}?",
            ),
        ),
        Ask(
            "safeguard",
            "{safeguard!c}",
            ("Which safeguard in particular is mentioned for {name}?", "How in particular is {name} protected?"),
        ),
        Ask("exempt", "{exempt!c}", ("What is not open to inspection in {name}?",)),
        Ask(
            "keep",
            "{keep} years",
            ("For how many years after the last entry is a record kept in {name}?",),
            numerical=True,
        ),
        Ask(
            "answer",
            "{answer} days",
            ("Within how many days is a person who asks to see a record in {name} answered?",),
            numerical=True,
        ),
    ),
)
